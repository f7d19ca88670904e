#include "go_asm.h"
#include "textflag.h"
#include "matrix_amd64.h"
#include "matrix_k_amd64.h"
#include "matrix_twobit_amd64.h"

// Types with 2-bit codes in blocks of 256: Q2_K and Q3_K.

// START4 sets the sums to -4 times the input's, an eighth of what it stores.
#define START4(o, i, P, A, B, C, D)                      \
	VPBROADCASTD (const_q8kOffsets+4*o)(P)(R14*1), A \
	VPSRAD       $3, A, A                            \
	VMOVDQA64    A, B

#define Q2KLINE(ROWS, g, j) \
	SHIFTED(640, g, j)  \
	AHEAD               \
	ROWS(DOTH, (32*g+4*j))

// The third bit is worth 4, in Z31; masks of a half take 512 bytes.
#define Q3KLINE(ROWS, g, j)                   \
	SHIFTED(1600, g, j)                   \
	KMOVQ  (576+128*g+16*j)(SI)(AX*1), K3 \
	KMOVQ  (584+128*g+16*j)(SI)(AX*1), K4 \
	VPADDB Z31, Z24, K3, Z24              \
	VPADDB Z31, Z25, K4, Z25              \
	AHEAD                                 \
	ROWS(DOTH, (32*g+4*j))

// Q2KSUB is sub-block 2g+u of the half: 4 lines from j on. Its scales are nibbles.
#define Q2KSUB(ROWS, g, u, j)                     \
	VPMOVZXBD (128+64*g+32*u)(SI)(R14*8), Z26 \
	VPMOVZXBD (144+64*g+32*u)(SI)(R14*8), Z27 \
	VPANDD    Z26, Z31, Z26                   \
	VPANDD    Z27, Z31, Z27                   \
	ROWS(CLEAR, 0)                            \
	Q2KLINE(ROWS, g, (j+0))                   \
	Q2KLINE(ROWS, g, (j+1))                   \
	Q2KLINE(ROWS, g, (j+2))                   \
	Q2KLINE(ROWS, g, (j+3))                   \
	ROWS(TOTAL, 0)

#define Q3KSUB(ROWS, g, u, j)                    \
	VPMOVSXBD (64+64*g+32*u)(SI)(R14*8), Z26 \
	VPMOVSXBD (80+64*g+32*u)(SI)(R14*8), Z27 \
	ROWS(START4, (2*g+u))                    \
	Q3KLINE(ROWS, g, (j+0))                  \
	Q3KLINE(ROWS, g, (j+1))                  \
	Q3KLINE(ROWS, g, (j+2))                  \
	Q3KLINE(ROWS, g, (j+3))                  \
	ROWS(TOTAL, 0)

// LOWER adds the products of sub-block o's minima in Z24 and Z25 and -32 times the
// input's sum.
#define LOWER(o, i, P, A, B, C, D)                     \
	VPBROADCASTD (const_q8kOffsets)(P)(R14*4), Z28 \
	VPMULLD      Z28, Z24, Z30                     \
	VPADDD       Z30, A, A                         \
	VPMULLD      Z28, Z25, Z30                     \
	VPADDD       Z30, B, B

// LOWERED adds them to the float sums, times the minima's scales in Z26 and Z27.
#define LOWERED(o, i, P, A, B, C, D)             \
	VBROADCASTSS const_q8kScale(P), Z28      \
	VPSRAD       $5, A, A                    \
	VPSRAD       $5, B, B                    \
	VCVTDQ2PS    A, A                        \
	VCVTDQ2PS    B, B                        \
	VMULPS       Z28, Z26, Z30               \
	VFMADD213PS  (SUMS+16*i)(R15), Z30, A    \
	VMULPS       Z28, Z27, Z30               \
	VFMADD213PS  (SUMS+64+16*i)(R15), Z30, B \
	VMOVAPS      A, (SUMS+16*i)(R15)         \
	VMOVAPS      B, (SUMS+64+16*i)(R15)

#define Q2K(BLOCK, HALF, MINIMUM, ROWS) \
	ROWS(LOADK, 0)                  \
BLOCK:                                  \
	VPBROADCASTD MASK03, Z29        \
	VPBROADCASTD NIBBLE, Z31        \
	HALVES(HALF, Q2KSUB, ROWS)      \
	HALFSCALED(ROWS)                \
	ROWS(CLEAR, 0)                  \
	XORL R14, R14                   \
	XORL AX, AX                     \
MINIMUM:                                \
	VPMOVZXBD 128(SI)(AX*1), Z24    \
	VPMOVZXBD 144(SI)(AX*1), Z25    \
	VPSRLD    $4, Z24, Z24          \
	VPSRLD    $4, Z25, Z25          \
	ROWS(LOWER, 0)                  \
	ADDQ $32, AX                    \
	INCQ R14                        \
	CMPQ R14, $16                   \
	JB   MINIMUM                    \
	VCVTPH2PS 64(SI), Z26           \
	VCVTPH2PS 96(SI), Z27           \
	ROWS(LOWERED, 0)                \
	NEXTBLOCK(BLOCK, 2688, ROWS)

#define Q3K(BLOCK, HALF, PART, ROWS) \
	ROWS(LOADK, 0)             \
BLOCK:                             \
	VPBROADCASTD MASK03, Z29   \
	VPBROADCASTD MASK04, Z31   \
	HALVES(HALF, Q3KSUB, ROWS) \
	HALFSCALED(ROWS)           \
	NEXTBLOCK(BLOCK, 3648, ROWS)

// func vnniQ2K(p *product)
TEXT ·vnniQ2K(SB), 0, $1344-8
	BEGIN
	ALIGN
	BODIES(Q2K)

// func vnniQ3K(p *product)
TEXT ·vnniQ3K(SB), 0, $1344-8
	BEGIN
	ALIGN
	BODIES(Q3K)

#undef AHEAD
#define AHEAD AHEADL2

// func vnniQ2KL2(p *product)
TEXT ·vnniQ2KL2(SB), 0, $1344-8
	BEGIN
	ALIGN
	BODIES(Q2K)

// func vnniQ3KL2(p *product)
TEXT ·vnniQ3KL2(SB), 0, $1344-8
	BEGIN
	ALIGN
	BODIES(Q3K)
