#include "textflag.h"

// func conv512(out, x, state, w *float32, channels, stride, taps int)
//
// The sums alone, without SiLU, of channels channels, a multiple of 16; those of a
// tap are stride apart.
TEXT ·conv512(SB), NOSPLIT, $0-56
	MOVQ out+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ state+16(FP), DX
	MOVQ w+24(FP), R8
	MOVQ channels+32(FP), CX
	MOVQ stride+40(FP), R9
	SHLQ $2, R9
	MOVQ taps+48(FP), R10
	DECQ R10
	SHLQ $2, CX
	XORQ BX, BX
channel:
	VPXORD Z0, Z0, Z0
	LEAQ (DX)(BX*1), R11 // the oldest token's place
	LEAQ (R8)(BX*1), R12
	VMOVUPS (SI)(BX*1), Z2
	MOVQ R10, AX
	TESTQ AX, AX
	JE   last
	VMOVUPS (R11), Z1
tap:
	VMULPS (R12), Z1, Z3
	VADDPS Z3, Z0, Z0
	ADDQ R9, R12
	DECQ AX
	JE   newest
	VMOVUPS (R11)(R9*1), Z1
	VMOVUPS Z1, (R11)
	ADDQ R9, R11
	JMP  tap
newest:
	VMOVUPS Z2, (R11)
last:
	VMULPS (R12), Z2, Z3
	VADDPS Z3, Z0, Z0
	VMOVUPS Z0, (DI)(BX*1)
	ADDQ $64, BX
	CMPQ BX, CX
	JB   channel
	VZEROUPPER
	RET

// func conv256(out, x, state, w *float32, channels, stride, taps int)
//
// The sums alone, without SiLU, of channels channels, a multiple of 8; those of a
// tap are stride apart.
TEXT ·conv256(SB), NOSPLIT, $0-56
	MOVQ out+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ state+16(FP), DX
	MOVQ w+24(FP), R8
	MOVQ channels+32(FP), CX
	MOVQ stride+40(FP), R9
	SHLQ $2, R9
	MOVQ taps+48(FP), R10
	DECQ R10
	SHLQ $2, CX
	XORQ BX, BX
channel:
	VXORPS Y0, Y0, Y0
	LEAQ (DX)(BX*1), R11 // the oldest token's place
	LEAQ (R8)(BX*1), R12
	VMOVUPS (SI)(BX*1), Y2
	MOVQ R10, AX
	TESTQ AX, AX
	JE   last
	VMOVUPS (R11), Y1
tap:
	VMULPS (R12), Y1, Y3
	VADDPS Y3, Y0, Y0
	ADDQ R9, R12
	DECQ AX
	JE   newest
	VMOVUPS (R11)(R9*1), Y1
	VMOVUPS Y1, (R11)
	ADDQ R9, R11
	JMP  tap
newest:
	VMOVUPS Y2, (R11)
last:
	VMULPS (R12), Y2, Y3
	VADDPS Y3, Y0, Y0
	VMOVUPS Y0, (DI)(BX*1)
	ADDQ $32, BX
	CMPQ BX, CX
	JB   channel
	VZEROUPPER
	RET
