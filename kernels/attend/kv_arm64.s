#include "textflag.h"
#include "../neon_arm64.h"

// func neonTurn(dst *float32, cells *int32, base *uint16, strideBytes, dims int)
//
// Writes 8 cells' keys to 8 columns of dst, 8 dimensions at a time: lanes of 16 bits, of
// 32 and of 64 change places.
TEXT ·neonTurn(SB), NOSPLIT, $0-40
	MOVD dst+0(FP), R0
	MOVD cells+8(FP), R1
	MOVD base+16(FP), R2
	MOVD strideBytes+24(FP), R3
	MOVD dims+32(FP), R4
	MOVD $256, R13
#define CELL(n, P)        \
	MOVW (4*n)(R1), P \
	MADD R3, R2, P, P
	CELL(0, R5); CELL(1, R6); CELL(2, R7); CELL(3, R8)
	CELL(4, R9); CELL(5, R10); CELL(6, R11); CELL(7, R12)
dimensions:
	VLD1.P 16(R5), [V0.B16]
	VLD1.P 16(R6), [V1.B16]
	VLD1.P 16(R7), [V2.B16]
	VLD1.P 16(R8), [V3.B16]
	VLD1.P 16(R9), [V4.B16]
	VLD1.P 16(R10), [V5.B16]
	VLD1.P 16(R11), [V6.B16]
	VLD1.P 16(R12), [V7.B16]
	VTRN1 V1.H8, V0.H8, V16.H8
	VTRN2 V1.H8, V0.H8, V17.H8
	VTRN1 V3.H8, V2.H8, V18.H8
	VTRN2 V3.H8, V2.H8, V19.H8
	VTRN1 V5.H8, V4.H8, V20.H8
	VTRN2 V5.H8, V4.H8, V21.H8
	VTRN1 V7.H8, V6.H8, V22.H8
	VTRN2 V7.H8, V6.H8, V23.H8
	VTRN1 V18.S4, V16.S4, V0.S4
	VTRN2 V18.S4, V16.S4, V2.S4
	VTRN1 V19.S4, V17.S4, V1.S4
	VTRN2 V19.S4, V17.S4, V3.S4
	VTRN1 V22.S4, V20.S4, V4.S4
	VTRN2 V22.S4, V20.S4, V6.S4
	VTRN1 V23.S4, V21.S4, V5.S4
	VTRN2 V23.S4, V21.S4, V7.S4
// PAIR widens and writes two dimensions, four apart.
#define PAIR(L, H, at)                  \
	VTRN1 H.D2, L.D2, V16.D2        \
	VTRN2 H.D2, L.D2, V17.D2        \
	FCVTLH(16, 18); FCVTL2H(16, 19) \
	FCVTLH(17, 20); FCVTL2H(17, 21) \
	FSTPQ (F18, F19), (256*at)(R0)  \
	FSTPQ (F20, F21), (256*at)(R14)
	ADD $1024, R0, R14
	PAIR(V0, V4, 0)
	PAIR(V1, V5, 1)
	PAIR(V2, V6, 2)
	PAIR(V3, V7, 3)
	ADD  $2048, R0
	SUBS $8, R4
	BNE  dimensions
	RET

// func neonWiden(dst *float32, cells *int32, base *uint16, strideBytes, n, dims int)
//
// Writes n cells' values one after the other; dims is a multiple of 16.
TEXT ·neonWiden(SB), NOSPLIT, $0-48
	MOVD dst+0(FP), R0
	MOVD cells+8(FP), R1
	MOVD base+16(FP), R2
	MOVD strideBytes+24(FP), R3
	MOVD n+32(FP), R4
	MOVD dims+40(FP), R5
cell:
	MOVW.P 4(R1), R6
	MADD R3, R2, R6, R6
	MOVD R5, R7
dimensions:
	FLDPQ.P 32(R6), (F0, F1)
	FCVTLH(0, 2); FCVTL2H(0, 3)
	FCVTLH(1, 4); FCVTL2H(1, 5)
	FSTPQ.P (F2, F3), 32(R0)
	FSTPQ.P (F4, F5), 32(R0)
	SUBS $16, R7
	BNE  dimensions
	SUBS $1, R4
	BNE  cell
	RET

// func neonNarrow(dst *uint16, src *float32, n int)
//
// n is a multiple of 4.
TEXT ·neonNarrow(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), R0
	MOVD src+8(FP), R1
	MOVD n+16(FP), R2
values:
	FMOVQ.P 16(R1), F0
	FCVTNH(0, 0)
	FMOVD.P F0, 8(R0)
	SUBS $4, R2
	BNE  values
	RET
