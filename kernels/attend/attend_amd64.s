#include "textflag.h"
#include "../exp_amd64.h"

// The tiles of attention for AVX-512. A block is 64 positions: 4 vectors of scores
// a row, 256 bytes. The number of rows of a form does not change the bits.

#define LOAD_4(from) \
	VMOVUPS (from), Z20    \
	VMOVUPS 64(from), Z21  \
	VMOVUPS 128(from), Z22 \
	VMOVUPS 192(from), Z23

// Four vectors of a row gain a value times what LOAD_4 loaded.
#define GAIN_4(value, z, a, b, c, d) \
	VBROADCASTSS value, z    \
	VFMADD231PS Z20, z, a    \
	VFMADD231PS Z21, z, b    \
	VFMADD231PS Z22, z, c    \
	VFMADD231PS Z23, z, d

#define STORE_4(to, a, b, c, d) \
	VMOVUPS a, (to)    \
	VMOVUPS b, 64(to)  \
	VMOVUPS c, 128(to) \
	VMOVUPS d, 192(to)

#define ZERO_4(a, b, c, d) \
	VPXORD a, a, a \
	VPXORD b, b, b \
	VPXORD c, c, c \
	VPXORD d, d, d

// Four vectors are what a row has so far, times what shrinks it.
#define SHRINK_4(from, by, a, b, c, d) \
	VMULPS (from), by, a    \
	VMULPS 64(from), by, b  \
	VMULPS 128(from), by, c \
	VMULPS 192(from), by, d

// func attendScores4512(scores, queries, keys *float32, dim int)
TEXT ·attendScores4512(SB), NOSPLIT, $0-32
	MOVQ scores+0(FP), DI
	MOVQ queries+8(FP), SI
	MOVQ keys+16(FP), DX
	MOVQ dim+24(FP), CX
	LEAQ (SI)(CX*4), R8
	LEAQ (R8)(CX*4), R9
	LEAQ (R9)(CX*4), R10
	ZERO_4(Z0, Z1, Z2, Z3)
	ZERO_4(Z4, Z5, Z6, Z7)
	ZERO_4(Z8, Z9, Z10, Z11)
	ZERO_4(Z12, Z13, Z14, Z15)
	XORQ BX, BX
loop:
	LOAD_4(DX)
	GAIN_4((SI)(BX*4), Z24, Z0, Z1, Z2, Z3)
	GAIN_4((R8)(BX*4), Z25, Z4, Z5, Z6, Z7)
	GAIN_4((R9)(BX*4), Z26, Z8, Z9, Z10, Z11)
	GAIN_4((R10)(BX*4), Z27, Z12, Z13, Z14, Z15)
	ADDQ $256, DX
	INCQ BX
	CMPQ BX, CX
	JB   loop
	STORE_4(DI, Z0, Z1, Z2, Z3)
	ADDQ $256, DI
	STORE_4(DI, Z4, Z5, Z6, Z7)
	ADDQ $256, DI
	STORE_4(DI, Z8, Z9, Z10, Z11)
	ADDQ $256, DI
	STORE_4(DI, Z12, Z13, Z14, Z15)
	VZEROUPPER
	RET

// func attendScores2512(scores, queries, keys *float32, dim int)
TEXT ·attendScores2512(SB), NOSPLIT, $0-32
	MOVQ scores+0(FP), DI
	MOVQ queries+8(FP), SI
	MOVQ keys+16(FP), DX
	MOVQ dim+24(FP), CX
	LEAQ (SI)(CX*4), R8
	ZERO_4(Z0, Z1, Z2, Z3)
	ZERO_4(Z4, Z5, Z6, Z7)
	XORQ BX, BX
loop:
	LOAD_4(DX)
	GAIN_4((SI)(BX*4), Z24, Z0, Z1, Z2, Z3)
	GAIN_4((R8)(BX*4), Z25, Z4, Z5, Z6, Z7)
	ADDQ $256, DX
	INCQ BX
	CMPQ BX, CX
	JB   loop
	STORE_4(DI, Z0, Z1, Z2, Z3)
	ADDQ $256, DI
	STORE_4(DI, Z4, Z5, Z6, Z7)
	VZEROUPPER
	RET

// func attendScores1512(scores, queries, keys *float32, dim int)
TEXT ·attendScores1512(SB), NOSPLIT, $0-32
	MOVQ scores+0(FP), DI
	MOVQ queries+8(FP), SI
	MOVQ keys+16(FP), DX
	MOVQ dim+24(FP), CX
	ZERO_4(Z0, Z1, Z2, Z3)
	XORQ BX, BX
loop:
	LOAD_4(DX)
	GAIN_4((SI)(BX*4), Z24, Z0, Z1, Z2, Z3)
	ADDQ $256, DX
	INCQ BX
	CMPQ BX, CX
	JB   loop
	STORE_4(DI, Z0, Z1, Z2, Z3)
	VZEROUPPER
	RET

// func attendValues4512(out, weights, values, shrink *float32, n, stride int)
TEXT ·attendValues4512(SB), NOSPLIT, $0-48
	MOVQ out+0(FP), DI
	MOVQ weights+8(FP), SI
	MOVQ values+16(FP), DX
	MOVQ shrink+24(FP), R8
	MOVQ n+32(FP), CX
	MOVQ stride+40(FP), R9
	MOVQ R9, R10 // columns left
	SHLQ $2, R9  // bytes a row
	VBROADCASTSS 0(R8), Z28
	VBROADCASTSS 4(R8), Z29
	VBROADCASTSS 8(R8), Z30
	VBROADCASTSS 12(R8), Z31
wide:
	LEAQ (DI)(R9*1), R11
	LEAQ (R11)(R9*1), R12
	LEAQ (R12)(R9*1), R13
	CMPQ R10, $64
	JB   narrow
	SHRINK_4(DI, Z28, Z0, Z1, Z2, Z3)
	SHRINK_4(R11, Z29, Z4, Z5, Z6, Z7)
	SHRINK_4(R12, Z30, Z8, Z9, Z10, Z11)
	SHRINK_4(R13, Z31, Z12, Z13, Z14, Z15)
	MOVQ DX, AX
	XORQ BX, BX
wideLoop:
	LOAD_4(AX)
	GAIN_4(0(SI)(BX*4), Z24, Z0, Z1, Z2, Z3)
	GAIN_4(256(SI)(BX*4), Z25, Z4, Z5, Z6, Z7)
	GAIN_4(512(SI)(BX*4), Z26, Z8, Z9, Z10, Z11)
	GAIN_4(768(SI)(BX*4), Z27, Z12, Z13, Z14, Z15)
	ADDQ R9, AX
	INCQ BX
	CMPQ BX, CX
	JB   wideLoop
	STORE_4(DI, Z0, Z1, Z2, Z3)
	STORE_4(R11, Z4, Z5, Z6, Z7)
	STORE_4(R12, Z8, Z9, Z10, Z11)
	STORE_4(R13, Z12, Z13, Z14, Z15)
	ADDQ $256, DI
	ADDQ $256, DX
	SUBQ $64, R10
	JMP  wide
narrow:
	TESTQ R10, R10
	JE   done
	VMULPS (DI), Z28, Z0
	VMULPS (R11), Z29, Z1
	VMULPS (R12), Z30, Z2
	VMULPS (R13), Z31, Z3
	MOVQ DX, AX
	XORQ BX, BX
narrowLoop:
	VMOVUPS (AX), Z20
	VFMADD231PS.BCST 0(SI)(BX*4), Z20, Z0
	VFMADD231PS.BCST 256(SI)(BX*4), Z20, Z1
	VFMADD231PS.BCST 512(SI)(BX*4), Z20, Z2
	VFMADD231PS.BCST 768(SI)(BX*4), Z20, Z3
	ADDQ R9, AX
	INCQ BX
	CMPQ BX, CX
	JB   narrowLoop
	VMOVUPS Z0, (DI)
	VMOVUPS Z1, (R11)
	VMOVUPS Z2, (R12)
	VMOVUPS Z3, (R13)
	ADDQ $64, DI
	ADDQ $64, R11
	ADDQ $64, R12
	ADDQ $64, R13
	ADDQ $64, DX
	SUBQ $16, R10
	JMP  narrow
done:
	VZEROUPPER
	RET

// func attendValues2512(out, weights, values, shrink *float32, n, stride int)
TEXT ·attendValues2512(SB), NOSPLIT, $0-48
	MOVQ out+0(FP), DI
	MOVQ weights+8(FP), SI
	MOVQ values+16(FP), DX
	MOVQ shrink+24(FP), R8
	MOVQ n+32(FP), CX
	MOVQ stride+40(FP), R9
	MOVQ R9, R10 // columns left
	SHLQ $2, R9  // bytes a row
	VBROADCASTSS 0(R8), Z28
	VBROADCASTSS 4(R8), Z29
wide:
	LEAQ (DI)(R9*1), R11
	CMPQ R10, $64
	JB   narrow
	SHRINK_4(DI, Z28, Z0, Z1, Z2, Z3)
	SHRINK_4(R11, Z29, Z4, Z5, Z6, Z7)
	MOVQ DX, AX
	XORQ BX, BX
wideLoop:
	LOAD_4(AX)
	GAIN_4(0(SI)(BX*4), Z24, Z0, Z1, Z2, Z3)
	GAIN_4(256(SI)(BX*4), Z25, Z4, Z5, Z6, Z7)
	ADDQ R9, AX
	INCQ BX
	CMPQ BX, CX
	JB   wideLoop
	STORE_4(DI, Z0, Z1, Z2, Z3)
	STORE_4(R11, Z4, Z5, Z6, Z7)
	ADDQ $256, DI
	ADDQ $256, DX
	SUBQ $64, R10
	JMP  wide
narrow:
	TESTQ R10, R10
	JE   done
	VMULPS (DI), Z28, Z0
	VMULPS (R11), Z29, Z1
	MOVQ DX, AX
	XORQ BX, BX
narrowLoop:
	VMOVUPS (AX), Z20
	VFMADD231PS.BCST 0(SI)(BX*4), Z20, Z0
	VFMADD231PS.BCST 256(SI)(BX*4), Z20, Z1
	ADDQ R9, AX
	INCQ BX
	CMPQ BX, CX
	JB   narrowLoop
	VMOVUPS Z0, (DI)
	VMOVUPS Z1, (R11)
	ADDQ $64, DI
	ADDQ $64, R11
	ADDQ $64, DX
	SUBQ $16, R10
	JMP  narrow
done:
	VZEROUPPER
	RET

// func attendValues1512(out, weights, values, shrink *float32, n, stride int)
TEXT ·attendValues1512(SB), NOSPLIT, $0-48
	MOVQ out+0(FP), DI
	MOVQ weights+8(FP), SI
	MOVQ values+16(FP), DX
	MOVQ shrink+24(FP), R8
	MOVQ n+32(FP), CX
	MOVQ stride+40(FP), R9
	MOVQ R9, R10 // columns left
	SHLQ $2, R9  // bytes a row
	VBROADCASTSS 0(R8), Z28
wide:
	CMPQ R10, $64
	JB   narrow
	SHRINK_4(DI, Z28, Z0, Z1, Z2, Z3)
	MOVQ DX, AX
	XORQ BX, BX
wideLoop:
	LOAD_4(AX)
	GAIN_4(0(SI)(BX*4), Z24, Z0, Z1, Z2, Z3)
	ADDQ R9, AX
	INCQ BX
	CMPQ BX, CX
	JB   wideLoop
	STORE_4(DI, Z0, Z1, Z2, Z3)
	ADDQ $256, DI
	ADDQ $256, DX
	SUBQ $64, R10
	JMP  wide
narrow:
	TESTQ R10, R10
	JE   done
	VMULPS (DI), Z28, Z0
	MOVQ DX, AX
	XORQ BX, BX
narrowLoop:
	VMOVUPS (AX), Z20
	VFMADD231PS.BCST 0(SI)(BX*4), Z20, Z0
	ADDQ R9, AX
	INCQ BX
	CMPQ BX, CX
	JB   narrowLoop
	VMOVUPS Z0, (DI)
	ADDQ $64, DI
	ADDQ $64, DX
	SUBQ $16, R10
	JMP  narrow
done:
	VZEROUPPER
	RET
