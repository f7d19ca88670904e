#include "textflag.h"
#include "../neon_arm64.h"

#define CLEAR4(a, b, c, d) ZEROV(a); ZEROV(b); ZEROV(c); ZEROV(d)

// FMLA4 adds 16 values, in V16 to V19, times the first lane of x.
#define FMLA4(x, a, b, c, d) \
	FMLALANE(x, 16, a)   \
	FMLALANE(x, 17, b)   \
	FMLALANE(x, 18, c)   \
	FMLALANE(x, 19, d)

// func neonScores4(scores, queries, keys *float32, dim int)
//
// V0 to V15 are 16 positions of 4 rows.
TEXT ·neonScores4(SB), NOSPLIT, $0-32
	MOVD scores+0(FP), R0
	MOVD queries+8(FP), R1
	MOVD keys+16(FP), R2
	MOVD dim+24(FP), R3
	MOVD $256, R4
	MOVD $4, R5
columns:
	CLEAR4(0, 1, 2, 3)
	CLEAR4(4, 5, 6, 7)
	CLEAR4(8, 9, 10, 11)
	CLEAR4(12, 13, 14, 15)
	MOVD R2, R6
	MOVD R1, R7
	ADD  R3<<2, R7, R8
	ADD  R3<<2, R8, R9
	ADD  R3<<2, R9, R10
	MOVD R3, R11
dimension:
	VLD1.P  (R6)(R4), [V16.S4, V17.S4, V18.S4, V19.S4]
	FMOVS.P 4(R7), F20
	FMOVS.P 4(R8), F21
	FMOVS.P 4(R9), F22
	FMOVS.P 4(R10), F23
	FMLA4(20, 0, 1, 2, 3)
	FMLA4(21, 4, 5, 6, 7)
	FMLA4(22, 8, 9, 10, 11)
	FMLA4(23, 12, 13, 14, 15)
	SUBS $1, R11
	BNE  dimension
	MOVD R0, R12
	VST1.P [V0.S4, V1.S4, V2.S4, V3.S4], (R12)(R4)
	VST1.P [V4.S4, V5.S4, V6.S4, V7.S4], (R12)(R4)
	VST1.P [V8.S4, V9.S4, V10.S4, V11.S4], (R12)(R4)
	VST1   [V12.S4, V13.S4, V14.S4, V15.S4], (R12)
	ADD  $64, R0
	ADD  $64, R2
	SUBS $1, R5
	BNE  columns
	RET

// func neonScores1(scores, queries, keys *float32, dim int)
//
// V0 to V15 are 64 positions.
TEXT ·neonScores1(SB), NOSPLIT, $0-32
	MOVD scores+0(FP), R0
	MOVD queries+8(FP), R1
	MOVD keys+16(FP), R2
	MOVD dim+24(FP), R3
	CLEAR4(0, 1, 2, 3)
	CLEAR4(4, 5, 6, 7)
	CLEAR4(8, 9, 10, 11)
	CLEAR4(12, 13, 14, 15)
dimension:
	FMOVS.P 4(R1), F20
	VLD1.P  64(R2), [V16.S4, V17.S4, V18.S4, V19.S4]
	FMLA4(20, 0, 1, 2, 3)
	VLD1.P  64(R2), [V16.S4, V17.S4, V18.S4, V19.S4]
	FMLA4(20, 4, 5, 6, 7)
	VLD1.P  64(R2), [V16.S4, V17.S4, V18.S4, V19.S4]
	FMLA4(20, 8, 9, 10, 11)
	VLD1.P  64(R2), [V16.S4, V17.S4, V18.S4, V19.S4]
	FMLA4(20, 12, 13, 14, 15)
	SUBS $1, R3
	BNE  dimension
	VST1.P [V0.S4, V1.S4, V2.S4, V3.S4], 64(R0)
	VST1.P [V4.S4, V5.S4, V6.S4, V7.S4], 64(R0)
	VST1.P [V8.S4, V9.S4, V10.S4, V11.S4], 64(R0)
	VST1   [V12.S4, V13.S4, V14.S4, V15.S4], (R0)
	RET

// SHRINK4 multiplies 16 values by the first lane of x.
#define SHRINK4(x, a, b, c, d) \
	FMULLANE(x, a, a)      \
	FMULLANE(x, b, b)      \
	FMULLANE(x, c, c)      \
	FMULLANE(x, d, d)

// func neonValues4(out, weights, values, shrink *float32, n, stride int)
//
// V0 to V15 are 16 dimensions of 4 rows.
TEXT ·neonValues4(SB), NOSPLIT, $0-48
	MOVD out+0(FP), R0
	MOVD weights+8(FP), R1
	MOVD values+16(FP), R2
	MOVD shrink+24(FP), R3
	MOVD n+32(FP), R4
	MOVD stride+40(FP), R5
	LSL  $2, R5, R6
	FMOVS (R3), F24
	FMOVS 4(R3), F25
	FMOVS 8(R3), F26
	FMOVS 12(R3), F27
columns:
	MOVD R0, R12
	VLD1.P (R12)(R6), [V0.S4, V1.S4, V2.S4, V3.S4]
	VLD1.P (R12)(R6), [V4.S4, V5.S4, V6.S4, V7.S4]
	VLD1.P (R12)(R6), [V8.S4, V9.S4, V10.S4, V11.S4]
	VLD1   (R12), [V12.S4, V13.S4, V14.S4, V15.S4]
	SHRINK4(24, 0, 1, 2, 3)
	SHRINK4(25, 4, 5, 6, 7)
	SHRINK4(26, 8, 9, 10, 11)
	SHRINK4(27, 12, 13, 14, 15)
	MOVD R2, R7
	MOVD R1, R8
	MOVD R4, R11
position:
	VLD1.P  (R7)(R6), [V16.S4, V17.S4, V18.S4, V19.S4]
	FMOVS   256(R8), F21
	FMOVS   512(R8), F22
	FMOVS   768(R8), F23
	FMOVS.P 4(R8), F20
	FMLA4(20, 0, 1, 2, 3)
	FMLA4(21, 4, 5, 6, 7)
	FMLA4(22, 8, 9, 10, 11)
	FMLA4(23, 12, 13, 14, 15)
	SUBS $1, R11
	BNE  position
	MOVD R0, R12
	VST1.P [V0.S4, V1.S4, V2.S4, V3.S4], (R12)(R6)
	VST1.P [V4.S4, V5.S4, V6.S4, V7.S4], (R12)(R6)
	VST1.P [V8.S4, V9.S4, V10.S4, V11.S4], (R12)(R6)
	VST1   [V12.S4, V13.S4, V14.S4, V15.S4], (R12)
	ADD  $64, R0
	ADD  $64, R2
	SUBS $16, R5
	BNE  columns
	RET

// func neonValues1(out, weights, values, shrink *float32, n, stride int)
//
// V0 to V15 are 64 dimensions; what is left goes 16 at a time in V0 to V3.
TEXT ·neonValues1(SB), NOSPLIT, $0-48
	MOVD out+0(FP), R0
	MOVD weights+8(FP), R1
	MOVD values+16(FP), R2
	MOVD shrink+24(FP), R3
	MOVD n+32(FP), R4
	MOVD stride+40(FP), R5
	LSL  $2, R5, R6
	SUB  $192, R6, R9
	FMOVS (R3), F24
	CMP  $64, R5
	BLT  narrow
wide:
	MOVD R0, R12
	VLD1.P 64(R12), [V0.S4, V1.S4, V2.S4, V3.S4]
	VLD1.P 64(R12), [V4.S4, V5.S4, V6.S4, V7.S4]
	VLD1.P 64(R12), [V8.S4, V9.S4, V10.S4, V11.S4]
	VLD1   (R12), [V12.S4, V13.S4, V14.S4, V15.S4]
	SHRINK4(24, 0, 1, 2, 3)
	SHRINK4(24, 4, 5, 6, 7)
	SHRINK4(24, 8, 9, 10, 11)
	SHRINK4(24, 12, 13, 14, 15)
	MOVD R2, R7
	MOVD R1, R8
	MOVD R4, R11
widePosition:
	FMOVS.P 4(R8), F20
	VLD1.P  64(R7), [V16.S4, V17.S4, V18.S4, V19.S4]
	FMLA4(20, 0, 1, 2, 3)
	VLD1.P  64(R7), [V16.S4, V17.S4, V18.S4, V19.S4]
	FMLA4(20, 4, 5, 6, 7)
	VLD1.P  64(R7), [V16.S4, V17.S4, V18.S4, V19.S4]
	FMLA4(20, 8, 9, 10, 11)
	VLD1.P  (R7)(R9), [V16.S4, V17.S4, V18.S4, V19.S4]
	FMLA4(20, 12, 13, 14, 15)
	SUBS $1, R11
	BNE  widePosition
	VST1.P [V0.S4, V1.S4, V2.S4, V3.S4], 64(R0)
	VST1.P [V4.S4, V5.S4, V6.S4, V7.S4], 64(R0)
	VST1.P [V8.S4, V9.S4, V10.S4, V11.S4], 64(R0)
	VST1.P [V12.S4, V13.S4, V14.S4, V15.S4], 64(R0)
	ADD  $256, R2
	SUB  $64, R5
	CMP  $64, R5
	BGE  wide
	CBZ  R5, done
narrow:
	VLD1 (R0), [V0.S4, V1.S4, V2.S4, V3.S4]
	SHRINK4(24, 0, 1, 2, 3)
	MOVD R2, R7
	MOVD R1, R8
	MOVD R4, R11
narrowPosition:
	FMOVS.P 4(R8), F20
	VLD1.P  (R7)(R6), [V16.S4, V17.S4, V18.S4, V19.S4]
	FMLA4(20, 0, 1, 2, 3)
	SUBS $1, R11
	BNE  narrowPosition
	VST1.P [V0.S4, V1.S4, V2.S4, V3.S4], 64(R0)
	ADD  $64, R2
	SUBS $16, R5
	BNE  narrow
done:
	RET
