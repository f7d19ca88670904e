#include "textflag.h"
#include "ask_amd64.h"

// The values of decoding attention for AVX-512; see attendkeys_amd64.s.

// Four vectors of a row gain a weight times Z20 to Z23.
#define GAIN_4(value, z, a, b, c, d) \
	VBROADCASTSS value, z    \
	VFMADD231PS Z20, z, a    \
	VFMADD231PS Z21, z, b    \
	VFMADD231PS Z22, z, c    \
	VFMADD231PS Z23, z, d

#define SHRINK_4(from, by, a, b, c, d) \
	VMULPS (from), by, a    \
	VMULPS 64(from), by, b  \
	VMULPS 128(from), by, c \
	VMULPS 192(from), by, d

#define STORE_4(to, a, b, c, d) \
	VMOVUPS a, (to)    \
	VMOVUPS b, 64(to)  \
	VMOVUPS c, 128(to) \
	VMOVUPS d, 192(to)

// AX becomes where cell BX is, relative to DX.
#define CELL \
	MOVLQSX (R14)(BX*4), AX \
	IMULQ R15, AX

// FETCH asks for 64 columns of the keys of cell BX of those that are read next.
#define FETCH \
	MOVLQSX (R8)(BX*4), AX    \
	IMULQ keyBytes+80(FP), AX \
	ADDQ keys+72(FP), AX      \
	ASK((AX))                 \
	ASK(64(AX))

// func attendWiden4512(out, weights, shrink *float32, cells *int32, base *uint16, strideBytes, n, stride int, ahead *int32, keys *uint16, keyBytes int)
//
// As attendValues4512, from the cells themselves.
TEXT ·attendWiden4512(SB), NOSPLIT, $0-88
	MOVQ out+0(FP), DI
	MOVQ weights+8(FP), SI
	MOVQ shrink+16(FP), R8
	MOVQ cells+24(FP), R14
	MOVQ base+32(FP), DX
	MOVQ strideBytes+40(FP), R15
	MOVQ n+48(FP), CX
	MOVQ stride+56(FP), R9
	MOVQ R9, R10 // columns left
	SHLQ $2, R9  // bytes a row
	VBROADCASTSS 0(R8), Z28
	VBROADCASTSS 4(R8), Z29
	VBROADCASTSS 8(R8), Z30
	VBROADCASTSS 12(R8), Z31
	MOVQ ahead+64(FP), R8
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
	XORQ BX, BX
wideLoop:
	FETCH
	CELL
	VCVTPH2PS 0(DX)(AX*1), Z20
	VCVTPH2PS 32(DX)(AX*1), Z21
	VCVTPH2PS 64(DX)(AX*1), Z22
	VCVTPH2PS 96(DX)(AX*1), Z23
	GAIN_4(0(SI)(BX*4), Z24, Z0, Z1, Z2, Z3)
	GAIN_4(256(SI)(BX*4), Z25, Z4, Z5, Z6, Z7)
	GAIN_4(512(SI)(BX*4), Z26, Z8, Z9, Z10, Z11)
	GAIN_4(768(SI)(BX*4), Z27, Z12, Z13, Z14, Z15)
	INCQ BX
	CMPQ BX, CX
	JB   wideLoop
	STORE_4(DI, Z0, Z1, Z2, Z3)
	STORE_4(R11, Z4, Z5, Z6, Z7)
	STORE_4(R12, Z8, Z9, Z10, Z11)
	STORE_4(R13, Z12, Z13, Z14, Z15)
	ADDQ $256, DI
	ADDQ $128, DX
	ADDQ $128, keys+72(FP)
	SUBQ $64, R10
	JMP  wide
narrow:
	TESTQ R10, R10
	JE   done
	VMULPS (DI), Z28, Z0
	VMULPS (R11), Z29, Z1
	VMULPS (R12), Z30, Z2
	VMULPS (R13), Z31, Z3
	XORQ BX, BX
narrowLoop:
	CELL
	VCVTPH2PS (DX)(AX*1), Z20
	VFMADD231PS.BCST 0(SI)(BX*4), Z20, Z0
	VFMADD231PS.BCST 256(SI)(BX*4), Z20, Z1
	VFMADD231PS.BCST 512(SI)(BX*4), Z20, Z2
	VFMADD231PS.BCST 768(SI)(BX*4), Z20, Z3
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
	ADDQ $32, DX
	SUBQ $16, R10
	JMP  narrow
done:
	VZEROUPPER
	RET

// func attendWiden2512(out, weights, shrink *float32, cells *int32, base *uint16, strideBytes, n, stride int, ahead *int32, keys *uint16, keyBytes int)
//
// As attendValues2512, from the cells themselves.
TEXT ·attendWiden2512(SB), NOSPLIT, $0-88
	MOVQ out+0(FP), DI
	MOVQ weights+8(FP), SI
	MOVQ shrink+16(FP), R8
	MOVQ cells+24(FP), R14
	MOVQ base+32(FP), DX
	MOVQ strideBytes+40(FP), R15
	MOVQ n+48(FP), CX
	MOVQ stride+56(FP), R9
	MOVQ R9, R10 // columns left
	SHLQ $2, R9  // bytes a row
	VBROADCASTSS 0(R8), Z28
	VBROADCASTSS 4(R8), Z29
	MOVQ ahead+64(FP), R8
wide:
	LEAQ (DI)(R9*1), R11
	CMPQ R10, $64
	JB   narrow
	SHRINK_4(DI, Z28, Z0, Z1, Z2, Z3)
	SHRINK_4(R11, Z29, Z4, Z5, Z6, Z7)
	XORQ BX, BX
wideLoop:
	FETCH
	CELL
	VCVTPH2PS 0(DX)(AX*1), Z20
	VCVTPH2PS 32(DX)(AX*1), Z21
	VCVTPH2PS 64(DX)(AX*1), Z22
	VCVTPH2PS 96(DX)(AX*1), Z23
	GAIN_4(0(SI)(BX*4), Z24, Z0, Z1, Z2, Z3)
	GAIN_4(256(SI)(BX*4), Z25, Z4, Z5, Z6, Z7)
	INCQ BX
	CMPQ BX, CX
	JB   wideLoop
	STORE_4(DI, Z0, Z1, Z2, Z3)
	STORE_4(R11, Z4, Z5, Z6, Z7)
	ADDQ $256, DI
	ADDQ $128, DX
	ADDQ $128, keys+72(FP)
	SUBQ $64, R10
	JMP  wide
narrow:
	TESTQ R10, R10
	JE   done
	VMULPS (DI), Z28, Z0
	VMULPS (R11), Z29, Z1
	XORQ BX, BX
narrowLoop:
	CELL
	VCVTPH2PS (DX)(AX*1), Z20
	VFMADD231PS.BCST 0(SI)(BX*4), Z20, Z0
	VFMADD231PS.BCST 256(SI)(BX*4), Z20, Z1
	INCQ BX
	CMPQ BX, CX
	JB   narrowLoop
	VMOVUPS Z0, (DI)
	VMOVUPS Z1, (R11)
	ADDQ $64, DI
	ADDQ $64, R11
	ADDQ $32, DX
	SUBQ $16, R10
	JMP  narrow
done:
	VZEROUPPER
	RET

// func attendWiden1512(out, weights, shrink *float32, cells *int32, base *uint16, strideBytes, n, stride int, ahead *int32, keys *uint16, keyBytes int)
//
// As attendValues1512, from the cells themselves.
TEXT ·attendWiden1512(SB), NOSPLIT, $0-88
	MOVQ out+0(FP), DI
	MOVQ weights+8(FP), SI
	MOVQ shrink+16(FP), R8
	MOVQ cells+24(FP), R14
	MOVQ base+32(FP), DX
	MOVQ strideBytes+40(FP), R15
	MOVQ n+48(FP), CX
	MOVQ stride+56(FP), R9
	MOVQ R9, R10 // columns left
	SHLQ $2, R9  // bytes a row
	VBROADCASTSS 0(R8), Z28
	MOVQ ahead+64(FP), R8
wide:
	CMPQ R10, $64
	JB   narrow
	SHRINK_4(DI, Z28, Z0, Z1, Z2, Z3)
	XORQ BX, BX
wideLoop:
	FETCH
	CELL
	VCVTPH2PS 0(DX)(AX*1), Z20
	VCVTPH2PS 32(DX)(AX*1), Z21
	VCVTPH2PS 64(DX)(AX*1), Z22
	VCVTPH2PS 96(DX)(AX*1), Z23
	GAIN_4(0(SI)(BX*4), Z24, Z0, Z1, Z2, Z3)
	INCQ BX
	CMPQ BX, CX
	JB   wideLoop
	STORE_4(DI, Z0, Z1, Z2, Z3)
	ADDQ $256, DI
	ADDQ $128, DX
	ADDQ $128, keys+72(FP)
	SUBQ $64, R10
	JMP  wide
narrow:
	TESTQ R10, R10
	JE   done
	VMULPS (DI), Z28, Z0
	XORQ BX, BX
narrowLoop:
	CELL
	VCVTPH2PS (DX)(AX*1), Z20
	VFMADD231PS.BCST 0(SI)(BX*4), Z20, Z0
	INCQ BX
	CMPQ BX, CX
	JB   narrowLoop
	VMOVUPS Z0, (DI)
	ADDQ $64, DI
	ADDQ $32, DX
	SUBQ $16, R10
	JMP  narrow
done:
	VZEROUPPER
	RET
