#include "textflag.h"
#include "../neon_arm64.h"
#include "../exp_arm64.h"

// LANES makes V16 ones in the four lanes whose bits, n places up, are in the mask.
#define LANES(n)                                             \
	VMOVQ  $0x0000000200000001, $0x0000000800000004, V20 \
	LSR    $n, R6, R7                                    \
	VDUP   R7, V16.S4                                    \
	VCMTST V20.S4, V16.S4, V16.S4

// SEEN replaces scores that are masked by V19 and takes the others into V18.
#define SEEN(n, X, x)                \
	LANES(n)                     \
	VBIF V16.B16, V19.B16, X.B16 \
	VFMAXS(x, 18, 18)

#define WEIGHT(n, X, x)    \
	VFSUBS(18, x, x)   \
	EXP(x, 16, 17, 20) \
	LANES(n)           \
	VAND V16.B16, X.B16, X.B16

#define ALL(M)                                                     \
	M(0, V0, 0); M(4, V1, 1); M(8, V2, 2); M(12, V3, 3)        \
	M(16, V4, 4); M(20, V5, 5); M(24, V6, 6); M(28, V7, 7)     \
	M(32, V8, 8); M(36, V9, 9); M(40, V10, 10); M(44, V11, 11) \
	M(48, V12, 12); M(52, V13, 13); M(56, V14, 14); M(60, V15, 15)

// func neonSoftmax(scores *float32, masks *uint64, top, sum, shrink *float32, rows int, unseen float32)
//
// V0 to V15 are a row's scores, V18 its largest so far.
TEXT ·neonSoftmax(SB), NOSPLIT, $0-52
	MOVD scores+0(FP), R0
	MOVD masks+8(FP), R1
	MOVD top+16(FP), R2
	MOVD sum+24(FP), R3
	MOVD shrink+32(FP), R4
	MOVD rows+40(FP), R5
	EXPLOAD(R8)
row:
	MOVD.P 8(R1), R6
	MOVD R0, R8
	VLD1.P 64(R8), [V0.S4, V1.S4, V2.S4, V3.S4]
	VLD1.P 64(R8), [V4.S4, V5.S4, V6.S4, V7.S4]
	VLD1.P 64(R8), [V8.S4, V9.S4, V10.S4, V11.S4]
	VLD1   (R8), [V12.S4, V13.S4, V14.S4, V15.S4]
	FMOVS unseen+48(FP), F19
	DUPS(19, 19)
	VLD1R (R2), [V18.S4]
	ALL(SEEN)
	FMAXVS(18, 18)
	DUPS(18, 18)
	VLD1R (R2), [V19.S4]
	FMOVS.P F18, 4(R2)
	VFSUBS(18, 19, 19)
	EXP(19, 16, 17, 20)
	FMOVS.P F19, 4(R4)
	ALL(WEIGHT)
	VST1.P [V0.S4, V1.S4, V2.S4, V3.S4], 64(R0)
	VST1.P [V4.S4, V5.S4, V6.S4, V7.S4], 64(R0)
	VST1.P [V8.S4, V9.S4, V10.S4, V11.S4], 64(R0)
	VST1.P [V12.S4, V13.S4, V14.S4, V15.S4], 64(R0)
	VFADDS(1, 0, 0); VFADDS(3, 2, 2); VFADDS(5, 4, 4); VFADDS(7, 6, 6)
	VFADDS(9, 8, 8); VFADDS(11, 10, 10); VFADDS(13, 12, 12); VFADDS(15, 14, 14)
	VFADDS(2, 0, 0); VFADDS(6, 4, 4); VFADDS(10, 8, 8); VFADDS(14, 12, 12)
	VFADDS(4, 0, 0); VFADDS(12, 8, 8)
	VFADDS(8, 0, 0)
	FADDPS(0, 0, 0)
	FADDPS(0, 0, 0)
	FMOVS (R3), F1
	FMADDS F19, F0, F1, F0
	FMOVS.P F0, 4(R3)
	SUBS $1, R5
	BNE  row
	RET
