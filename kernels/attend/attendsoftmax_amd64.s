#include "textflag.h"
#include "../exp_amd64.h"

// The softmax of attention for AVX-512: a block's, and the merge of two states.

// The largest, or the sum, of the lanes of Zx, in all lanes; Zt is scratch. The
// order of the sum is fixed: halves, quarters, pairs, neighbours.
#define ALL_LANES(OP, x, t) \
	VSHUFF64X2 $0x4e, x, x, t \
	OP t, x, x                \
	VSHUFF64X2 $0xb1, x, x, t \
	OP t, x, x                \
	VPERMILPS $0x4e, x, t     \
	OP t, x, x                \
	VPERMILPS $0xb1, x, t     \
	OP t, x, x

#define SOFT_CAP(x) \
	VMULPS Z17, x, x        \
	EXP_512(x, Z8, Z9)      \
	VADDPS Z31, x, x        \
	VDIVPS x, Z19, x        \
	VSUBPS x, Z31, x        \
	VMULPS Z18, x, x

// func attendSoftmax512(scores *float32, masks *uint64, top, sum, shrink *float32, rows int, cap float32)
TEXT ·attendSoftmax512(SB), NOSPLIT, $0-52
	MOVQ scores+0(FP), DI
	MOVQ masks+8(FP), SI
	MOVQ top+16(FP), DX
	MOVQ sum+24(FP), R8
	MOVQ shrink+32(FP), R9
	MOVQ rows+40(FP), CX
	EXP_LOAD_512
	MOVL cap+48(FP), R10
	VADDPS Z31, Z31, Z19
	VBROADCASTSS cap+48(FP), Z18
	VDIVPS Z18, Z19, Z17 // 2/cap: the exponential of tanh wants twice the quotient
	XORQ BX, BX
row:
	MOVQ (SI)(BX*8), AX
	KMOVW AX, K1
	SHRQ $16, AX
	KMOVW AX, K2
	SHRQ $16, AX
	KMOVW AX, K3
	SHRQ $16, AX
	KMOVW AX, K4
	VMOVUPS (DI), Z0
	VMOVUPS 64(DI), Z1
	VMOVUPS 128(DI), Z2
	VMOVUPS 192(DI), Z3
	TESTL R10, R10
	JE   capped
	SOFT_CAP(Z0)
	SOFT_CAP(Z1)
	SOFT_CAP(Z2)
	SOFT_CAP(Z3)
capped:
	VBROADCASTSS (DX)(BX*4), Z4
	VMOVAPS Z4, Z5
	VMAXPS Z0, Z5, K1, Z5
	VMAXPS Z1, Z5, K2, Z5
	VMAXPS Z2, Z5, K3, Z5
	VMAXPS Z3, Z5, K4, Z5
	ALL_LANES(VMAXPS, Z5, Z6)
	VMOVSS X5, (DX)(BX*4)
	VSUBPS Z5, Z4, Z4
	VSUBPS Z5, Z0, Z0
	VSUBPS Z5, Z1, Z1
	VSUBPS Z5, Z2, Z2
	VSUBPS Z5, Z3, Z3
	EXP_512(Z4, Z8, Z9)
	EXP_512(Z0, Z10, Z11)
	EXP_512(Z1, Z12, Z13)
	EXP_512(Z2, Z14, Z15)
	EXP_512(Z3, Z16, Z20)
	VMOVAPS.Z Z0, K1, Z0
	VMOVAPS.Z Z1, K2, Z1
	VMOVAPS.Z Z2, K3, Z2
	VMOVAPS.Z Z3, K4, Z3
	VMOVUPS Z0, (DI)
	VMOVUPS Z1, 64(DI)
	VMOVUPS Z2, 128(DI)
	VMOVUPS Z3, 192(DI)
	VADDPS Z1, Z0, Z0
	VADDPS Z3, Z2, Z2
	VADDPS Z2, Z0, Z0
	ALL_LANES(VADDPS, Z0, Z6)
	VMOVSS X4, (R9)(BX*4)
	VMOVSS (R8)(BX*4), X5
	VFMADD213SS X0, X4, X5
	VMOVSS X5, (R8)(BX*4)
	ADDQ $256, DI
	INCQ BX
	CMPQ BX, CX
	JB   row
	VZEROUPPER
	RET

// func attendMerge512(out, top, sum, out2, top2, sum2 *float32, rows, stride int)
TEXT ·attendMerge512(SB), NOSPLIT, $0-64
	MOVQ out+0(FP), DI
	MOVQ top+8(FP), SI
	MOVQ sum+16(FP), DX
	MOVQ out2+24(FP), R8
	MOVQ top2+32(FP), R9
	MOVQ sum2+40(FP), R10
	MOVQ rows+48(FP), CX
	MOVQ stride+56(FP), R11
	EXP_LOAD_512
	XORQ BX, BX
row:
	VBROADCASTSS (SI)(BX*4), Z0
	VBROADCASTSS (R9)(BX*4), Z1
	VMAXPS Z0, Z1, Z2
	VMOVSS X2, (SI)(BX*4)
	VSUBPS Z2, Z0, Z0
	VSUBPS Z2, Z1, Z1
	EXP_512(Z0, Z3, Z4)
	EXP_512(Z1, Z5, Z6)
	VMULSS (DX)(BX*4), X0, X2
	VFMADD231SS (R10)(BX*4), X1, X2
	VMOVSS X2, (DX)(BX*4)
	MOVQ R11, AX
column:
	VMULPS (DI), Z0, Z2
	VFMADD231PS (R8), Z1, Z2
	VMOVUPS Z2, (DI)
	ADDQ $64, DI
	ADDQ $64, R8
	SUBQ $16, AX
	JNE  column
	INCQ BX
	CMPQ BX, CX
	JB   row
	VZEROUPPER
	RET
