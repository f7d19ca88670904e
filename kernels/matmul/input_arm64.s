#include "go_asm.h"
#include "textflag.h"
#include "../neon_arm64.h"

// CODES makes 16 bytes in V0 of V0 to V3 times the first lane of V24.
#define CODES                                                      \
	FMULLANE(24, 0, 0); FMULLANE(24, 1, 1)                     \
	FMULLANE(24, 2, 2); FMULLANE(24, 3, 3)                     \
	FCVTNSS(0, 0); FCVTNSS(1, 1); FCVTNSS(2, 2); FCVTNSS(3, 3) \
	SQXTNS(0, 0); SQXTN2S(1, 0)                                \
	SQXTNS(2, 2); SQXTN2S(3, 2)                                \
	SQXTNH(0, 0); SQXTN2H(2, 0)

// SUM makes R the sum of V0's bytes.
#define SUM(R)          \
	SADDLVB(0, 1)   \
	VMOV V1.H[0], R \
	MOVH R, R

// func roundQ8NEON(dst *byte, src *float32, blocks int)
TEXT ·roundQ8NEON(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), R0
	MOVD src+8(FP), R1
	MOVD blocks+16(FP), R2
	MOVD $-128, R6
	FMOVS $(127.0), F27
block:
	MOVD R1, R3
	VLD1.P 64(R3), [V0.S4, V1.S4, V2.S4, V3.S4]
	VLD1   (R3), [V4.S4, V5.S4, V6.S4, V7.S4]
	VFABSS(0, 16); VFABSS(1, 17); VFABSS(2, 18); VFABSS(3, 19)
	VFABSS(4, 20); VFABSS(5, 21); VFABSS(6, 22); VFABSS(7, 23)
	VFMAXS(17, 16, 16); VFMAXS(19, 18, 18); VFMAXS(21, 20, 20); VFMAXS(23, 22, 22)
	VFMAXS(18, 16, 16); VFMAXS(22, 20, 20)
	VFMAXS(20, 16, 16)
	FMAXVS(16, 16)
	FDIVS F16, F27, F24
	FCMPS $(0.0), F16
	BNE  some
	ZEROV(24)
some:
	FDIVS F27, F16, F25
	FCVTNH(25, 25); FCVTLH(25, 25)
	CODES
	SUM(R4)
	FMOVQ F0, (R0)
	VLD1 (R3), [V0.S4, V1.S4, V2.S4, V3.S4]
	CODES
	SUM(R5)
	FMOVQ F0, 16(R0)
	ADD  R4, R5, R5
	SCVTFWS R5, F26
	FMULS F25, F26, F26
	MULW R6, R5, R5
	FMOVS F25, const_q8Scale(R0)
	MOVW R5, const_q8Offset(R0)
	FMOVS F26, const_q8Sum(R0)
	ADD  $128, R1
	ADD  $const_q8Bytes, R0
	SUBS $1, R2
	BNE  block
	RET

// func roundQ8KNEON(dst *byte, src *float32, blocks int)
TEXT ·roundQ8KNEON(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), R0
	MOVD src+8(FP), R1
	MOVD blocks+16(FP), R2
	MOVD $-32, R6
	FMOVS $(127.0), F27
	FMOVS $(1.0), F28
block:
	// V16 and V20 become the largest and the smallest value.
	MOVD R1, R3
	MOVD $15, R7
	VLD1.P 64(R3), [V16.S4, V17.S4, V18.S4, V19.S4]
	MOVV(16, 20); MOVV(17, 21); MOVV(18, 22); MOVV(19, 23)
extremes:
	VLD1.P 64(R3), [V0.S4, V1.S4, V2.S4, V3.S4]
	VFMAXS(0, 16, 16); VFMAXS(1, 17, 17); VFMAXS(2, 18, 18); VFMAXS(3, 19, 19)
	VFMINS(0, 20, 20); VFMINS(1, 21, 21); VFMINS(2, 22, 22); VFMINS(3, 23, 23)
	SUBS $1, R7
	BNE  extremes
	VFMAXS(17, 16, 16); VFMAXS(19, 18, 18)
	VFMAXS(18, 16, 16)
	FMAXVS(16, 16)
	VFMINS(21, 20, 20); VFMINS(23, 22, 22)
	VFMINS(22, 20, 20)
	FMINVS(20, 20)
	// F16 becomes the one of the larger magnitude, with both the one that comes first.
	FNEGS F20, F17
	FCMPS F17, F16
	BGT  chosen
	BEQ  same
	FMOVS F20, F16
	B    chosen
same:
	ZEROV(24)
	ZEROV(25)
	FCMPS $(0.0), F16
	BEQ  round
	MOVD R1, R3
search:
	FMOVS.P 4(R3), F18
	FABSS F18, F19
	FCMPS F16, F19
	BNE  search
	FMOVS F18, F16
chosen:
	FNEGS F27, F24
	FDIVS F16, F24, F24
	FDIVS F24, F28, F25
round:
	FMOVS F25, const_q8kScale(R0)
	MOVD R0, R8
	MOVD R0, R9
	MOVD R0, R11
	MOVD $8, R7
pair:
	VLD1.P 64(R1), [V0.S4, V1.S4, V2.S4, V3.S4]
	CODES
	SUM(R4)
	FMOVQ F0, (R9)
	VLD1.P 64(R1), [V0.S4, V1.S4, V2.S4, V3.S4]
	CODES
	SUM(R5)
	FMOVQ F0, 16(R9)
	ADD  R4, R5, R10
	MULW R6, R4, R4
	MULW R6, R5, R5
	MOVH R10, const_q8kSums(R8)
	MOVW R4, const_q8kOffsets(R11)
	MOVW R5, (const_q8kOffsets+4)(R11)
	ADD  $2, R8
	ADD  $32, R9
	ADD  $8, R11
	SUBS $1, R7
	BNE  pair
	ADD  $const_q8kBytes, R0
	SUBS $1, R2
	BNE  block
	RET
