#include "go_asm.h"
#include "textflag.h"
#include "../neon_arm64.h"
#include "matrix_arm64.h"

// The float kernels go over a panel in pieces of 64 blocks, and over each half of a piece
// with the sums in V0 to V23. R12 is the block of the half at hand, R14 the piece's blocks,
// R13 counts them; V31 is a mask of what is left of a pair.
#define LOADSUMS(o, i, P, A, B, C, D) \
	LDPQ((128*(i)), 10, A, B)     \
	LDPQ((128*(i)+32), 10, C, D)

#define STORESUMS(o, i, P, A, B, C, D) \
	STPQ((128*(i)), 10, A, B)      \
	STPQ((128*(i)+32), 10, C, D)

#define BACK(o, i, P, A, B, C, D) \
	SUB R14<<2, P

// PIECES is the body for blocks of 32 rows of which STEP takes 16; a half is halfBytes.
#define PIECES(PIECE, HALF, NEXT, ROWS, STEP, halfBytes) \
	ROWS(LOADROW, 0)                                 \
PIECE:                                                   \
	MOVD $64, R14                                    \
	CMP  R14, R9                                     \
	CSEL LT, R9, R14, R14                            \
	MOVD R1, R12                                     \
	MOVD $2, R11                                     \
HALF:                                                    \
	ROWS(LOADSUMS, 0)                                \
	MOVD R14, R13                                    \
NEXT:                                                    \
	STEP(ROWS)                                       \
	SUBS $1, R13                                     \
	BNE  NEXT                                        \
	ROWS(STORESUMS, 0)                               \
	ROWS(BACK, 0)                                    \
	ADD  $64, R10                                    \
	ADD  $halfBytes, R1, R12                         \
	SUBS $1, R11                                     \
	BNE  HALF                                        \
	SUB  $128, R10                                   \
	MOVD $(2*halfBytes), R13                         \
	MADD R14, R1, R13, R1                            \
	ROWS(FORTH, 0)                                   \
	SUBS R14, R9                                     \
	BNE  PIECE                                       \
	RET

#define FORTH(o, i, P, A, B, C, D) \
	ADD R14<<2, P

// FMLA4 adds the products of 16 weights and the value in V28.
#define FMLA4(A, B, C, D)   \
	FMLALANE(28, 24, A) \
	FMLALANE(28, 25, B) \
	FMLALANE(28, 26, C) \
	FMLALANE(28, 27, D)

#define VALUE(o, i, X, A, B, C, D) \
	FMOVS.P 4(X), F28          \
	FMLA4(A, B, C, D)

#define F32STEP(ROWS) \
	LINE          \
	ROWS(VALUE, 0)

#define F16STEP(ROWS)                   \
	FLDPQ.P 64(R12), (F28, F29)     \
	FCVTLH(28, 24); FCVTL2H(28, 25) \
	FCVTLH(29, 26); FCVTL2H(29, 27) \
	ROWS(VALUE, 0)

// SECOND and FIRST are the values of a pair of BF16, weights and inputs.
#define SECOND(o, i, P, A, B, C, D)    \
	FMOVS (P), F28                 \
	VAND V31.B16, V28.B16, V28.B16 \
	FMLA4(A, B, C, D)

#define FIRST(o, i, X, A, B, C, D) \
	FMOVS.P 4(X), F28          \
	VSHL $16, V28.S4, V28.S4   \
	FMLA4(A, B, C, D)

#define BF16STEP(ROWS)           \
	STAY                     \
	MASK                     \
	ROWS(SECOND, 0)          \
	LINE                     \
	VSHL $16, V24.S4, V24.S4 \
	VSHL $16, V25.S4, V25.S4 \
	VSHL $16, V26.S4, V26.S4 \
	VSHL $16, V27.S4, V27.S4 \
	ROWS(FIRST, 0)

#define F32(PIECE, HALF, NEXT, ROWS) PIECES(PIECE, HALF, NEXT, ROWS, F32STEP, 64)
#define F16(PIECE, HALF, NEXT, ROWS) PIECES(PIECE, HALF, NEXT, ROWS, F16STEP, 32)
#define BF16(PIECE, HALF, NEXT, ROWS) PIECES(PIECE, HALF, NEXT, ROWS, BF16STEP, 64)

// func neonF32(p *product, sums *panelSums)
TEXT ·neonF32(SB), NOSPLIT, $0-16
	EACHROWS(F32)

// func neonF16(p *product, sums *panelSums)
TEXT ·neonF16(SB), NOSPLIT, $0-16
	EACHROWS(F16)

// func neonBF16(p *product, sums *panelSums)
TEXT ·neonBF16(SB), NOSPLIT, $0-16
	MOVD $0xffff0000, R11
	VDUP R11, V31.S4
	EACHROWS(BF16)
