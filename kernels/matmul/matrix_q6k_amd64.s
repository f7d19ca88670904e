#include "go_asm.h"
#include "textflag.h"
#include "matrix_amd64.h"
#include "matrix_k_amd64.h"

// In this file R14 is 32 and AX 1024 times the half of the block, of 128 values.

// STARTH sets the sums to -32 times the input's: codes are stored plus 32.
#define STARTH(o, i, P, A, B, C, D)                      \
	VPBROADCASTD (const_q8kOffsets+4*o)(P)(R14*1), A \
	VMOVDQA64    A, B

#define LOWQ(at)                          \
	VMOVDQU64 (576+at)(SI)(AX*2), Z24 \
	VMOVDQU64 (640+at)(SI)(AX*2), Z25

#define HIGHQ(at)                          \
	VPSRLW $4, (576+at)(SI)(AX*2), Z24 \
	VPSRLW $4, (640+at)(SI)(AX*2), Z25

// TWO adds the two high bits, moved to their place by SHIFT, to the nibbles.
#define TWO(SHIFT, n, j)                           \
	SHIFT      $n, (4672+128*j)(SI)(AX*1), Z30 \
	VPANDD     Z30, Z31, Z30                   \
	VPTERNLOGD $0xea, Z30, Z29, Z24            \
	SHIFT      $n, (4736+128*j)(SI)(AX*1), Z30 \
	VPANDD     Z30, Z31, Z30                   \
	VPTERNLOGD $0xea, Z30, Z29, Z25

#define LINE0(ROWS, j)    \
	LOWQ((128*j))     \
	TWO(VPSLLW, 4, j) \
	AHEAD             \
	ROWS(DOTH, (4*j))

#define LINE1(ROWS, j)     \
	LOWQ((1024+128*j)) \
	TWO(VPSLLW, 2, j)  \
	AHEAD              \
	ROWS(DOTH, (32+4*j))

#define LINE2(ROWS, j)    \
	HIGHQ((128*j))    \
	TWO(VPSRLW, 0, j) \
	AHEAD             \
	ROWS(DOTH, (64+4*j))

#define LINE3(ROWS, j)      \
	HIGHQ((1024+128*j)) \
	TWO(VPSRLW, 2, j)   \
	AHEAD               \
	ROWS(DOTH, (96+4*j))

// SUB is one sub-block of 16 values: 4 lines from j on.
#define SUB(ROWS, LINE, s, j)               \
	VPMOVSXBD (64+32*s)(SI)(R14*8), Z26 \
	VPMOVSXBD (80+32*s)(SI)(R14*8), Z27 \
	AHEAD                               \
	AHEAD                               \
	AHEAD                               \
	ROWS(STARTH, s)                     \
	LINE(ROWS, (j+0))                   \
	LINE(ROWS, (j+1))                   \
	LINE(ROWS, (j+2))                   \
	LINE(ROWS, (j+3))                   \
	ROWS(TOTAL, 0)

#define Q6K(BLOCK, HALF, PART, ROWS) \
	ROWS(LOADK, 0)               \
BLOCK:                               \
	VPBROADCASTD MASK0F, Z29     \
	VPBROADCASTD MASK30, Z31     \
	ROWS(CLEARTOTAL, 0)          \
	XORL R14, R14                \
	XORL AX, AX                  \
HALF:                                \
	SUB(ROWS, LINE0, 0, 0)       \
	SUB(ROWS, LINE0, 1, 4)       \
	SUB(ROWS, LINE1, 2, 0)       \
	SUB(ROWS, LINE1, 3, 4)       \
	SUB(ROWS, LINE2, 4, 0)       \
	SUB(ROWS, LINE2, 5, 4)       \
	SUB(ROWS, LINE3, 6, 0)       \
	SUB(ROWS, LINE3, 7, 4)       \
	ADDQ $32, R14                \
	ADDQ $1024, AX               \
	CMPQ AX, $2048               \
	JB   HALF                    \
	VCVTPH2PS (SI), Z26          \
	VCVTPH2PS 32(SI), Z27        \
	ROWS(FLOATS, 0)              \
	ROWS(NEXTK, 0)               \
	ADDQ $(64+512+4096+2048), SI \
	DECQ CX                      \
	JNZ  BLOCK                   \
	ROWS(STOREK, 0)              \
	END

// func vnniQ6K(p *product)
TEXT ·vnniQ6K(SB), 0, $1344-8
	BEGIN
	ALIGN
	BODIES(Q6K)

#undef AHEAD
#define AHEAD AHEADL2

// func vnniQ6KL2(p *product)
TEXT ·vnniQ6KL2(SB), 0, $1344-8
	BEGIN
	ALIGN
	BODIES(Q6K)
