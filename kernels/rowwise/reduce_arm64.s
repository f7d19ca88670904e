#include "textflag.h"
#include "../neon_arm64.h"
#include "../exp_arm64.h"

// func neonSumSquares(x *float32, n int) float32
//
// The sum of x² of n values, a multiple of 16.
TEXT ·neonSumSquares(SB), NOSPLIT, $0-20
	MOVD x+0(FP), R0
	MOVD n+8(FP), R1
	ZEROV(0); ZEROV(1); ZEROV(2); ZEROV(3)
loop:
	VLD1.P 64(R0), [V4.S4, V5.S4, V6.S4, V7.S4]
	FMLAS(4, 4, 0); FMLAS(5, 5, 1); FMLAS(6, 6, 2); FMLAS(7, 7, 3)
	SUBS $16, R1
	BNE  loop
	VFADDS(1, 0, 0)
	VFADDS(3, 2, 2)
	VFADDS(2, 0, 0)
	FADDPS(0, 0, 0)
	FADDPS(0, 0, 0)
	FMOVS F0, ret+16(FP)
	RET

// func neonBlockMaxima(dst, x *float32, blocks int)
TEXT ·neonBlockMaxima(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), R0
	MOVD x+8(FP), R1
	MOVD blocks+16(FP), R2
block:
	VLD1.P 64(R1), [V0.S4, V1.S4, V2.S4, V3.S4]
	VLD1.P 64(R1), [V4.S4, V5.S4, V6.S4, V7.S4]
	VLD1.P 64(R1), [V8.S4, V9.S4, V10.S4, V11.S4]
	VLD1.P 64(R1), [V12.S4, V13.S4, V14.S4, V15.S4]
	VFMAXS(1, 0, 0); VFMAXS(3, 2, 2); VFMAXS(5, 4, 4); VFMAXS(7, 6, 6)
	VFMAXS(9, 8, 8); VFMAXS(11, 10, 10); VFMAXS(13, 12, 12); VFMAXS(15, 14, 14)
	VFMAXS(2, 0, 0); VFMAXS(6, 4, 4); VFMAXS(10, 8, 8); VFMAXS(14, 12, 12)
	VFMAXS(4, 0, 0); VFMAXS(12, 8, 8)
	VFMAXS(8, 0, 0)
	FMAXVS(0, 0)
	FMOVS.P F0, 4(R0)
	SUBS $1, R2
	BNE  block
	RET

// func neonExpMass(x *float32, n int, top, scale float32) float64
//
// The sum of exp((x-top)*scale) of n values, a multiple of 4, in double precision.
TEXT ·neonExpMass(SB), NOSPLIT, $0-32
	MOVD x+0(FP), R0
	MOVD n+8(FP), R1
	FMOVS top+16(FP), F16
	DUPS(16, 16)
	FMOVS scale+20(FP), F17
	DUPS(17, 17)
	EXPLOAD(R2)
	ZEROV(6); ZEROV(7)
loop:
	FMOVQ.P 16(R0), F0
	VFSUBS(16, 0, 0)
	VFMULS(17, 0, 0)
	EXP(0, 2, 3, 4)
	FCVTLS(0, 1); FCVTL2S(0, 2)
	VFADDD(1, 6, 6); VFADDD(2, 7, 7)
	SUBS $4, R1
	BNE  loop
	VFADDD(7, 6, 6)
	FADDPD(6, 6)
	FMOVD F6, ret+24(FP)
	RET
