#include "go_asm.h"
#include "textflag.h"
#include "matrix_amd64.h"
#include "matrix_k_amd64.h"
#include "matrix_twobit_amd64.h"

// Types with three values in blocks of 256: IQ1, whose values have a bit more, and TQ.

// Where 8 times a code of IQ1 is in a byte, and what its bit adds.
DATA iq1<>+0(SB)/4, $0x18181818
DATA iq1<>+4(SB)/4, $0x02020202
GLOBL iq1<>(SB), RODATA|NOPTR, $8

// IQ1 keeps -9 times the input's sums of 16 at NINES(R15), 64 bytes an input row.
#define NINES 0

// IQ1LINE brings codes to where they count eight times, by the shift OP by n, and has its bits
// in K3 and K4. Rotations, which need no two operations, share their unit with VPDPBUSD.
#define IQ1LINE(ROWS, OP, n, g, j)                  \
	OP     $n, (768+128*j)(SI)(AX*2), Z24       \
	OP     $n, (832+128*j)(SI)(AX*2), Z25       \
	VPANDD Z24, Z29, Z24                        \
	VPANDD Z25, Z29, Z25                        \
	VPADDD Z31, Z24, K3, Z24                    \
	VPADDD Z31, Z25, K4, Z25                    \
	AHEAD                                       \
	ROWS(DOTH, (32*g+4*j))

// IQ1BITS reads the bits of 8 values, of lines j and j+1.
#define IQ1BITS(g, j)                        \
	KMOVW (640+16*g+2*j)(SI)(R14*2), K3 \
	KMOVW (642+16*g+2*j)(SI)(R14*2), K4

// NINETIMES makes what NINES are of -32 times the sums.
#define NINETIMES(o, i, P, A, B, C, D)    \
	VMOVDQU64 const_q8kOffsets(P), A  \
	VPSRAD    $2, A, B                \
	VPSRAD    $5, A, A                \
	VPADDD    B, A, A                 \
	VMOVDQA64 A, (NINES+8*i)(R15)

// START9 sets the sums to -9 times the input's.
#define START9(o, i, P, A, B, C, D)                 \
	VPBROADCASTD (NINES+8*i+4*o)(R15)(R14*1), A \
	VMOVDQA64    A, B

// TQLINE adds to the sums or, by DOTHOTHER, to the others: every product of a block waits for
// the one before it in its sum.
#define TQLINE(ROWS, DOTS, g, j) \
	SHIFTED(64, g, j)        \
	AHEAD                    \
	ROWS(DOTS, (32*g+4*j))

#define DOTHOTHER(o, i, P, A, B, C, D) DOTH(o, i, P, C, D, A, B)

#define TQSUB(ROWS, g, u, j)              \
	TQLINE(ROWS, DOTH, g, (j+0))      \
	TQLINE(ROWS, DOTHOTHER, g, (j+1)) \
	TQLINE(ROWS, DOTH, g, (j+2))      \
	TQLINE(ROWS, DOTHOTHER, g, (j+3))

#define SUMMED(P, A, s) \
	VPADDD.BCST (const_q8kOffsets+4*s)(P), A, A

// STARTALL sets the sums to -1 times the input's over the block; INTOTAL adds them to the
// others, which makes those the block's totals.
#define STARTALL(o, i, P, A, B, C, D)        \
	VPBROADCASTD const_q8kOffsets(P), A  \
	SUMMED(P, A, 1)                      \
	SUMMED(P, A, 2)                      \
	SUMMED(P, A, 3)                      \
	SUMMED(P, A, 4)                      \
	SUMMED(P, A, 5)                      \
	SUMMED(P, A, 6)                      \
	SUMMED(P, A, 7)                      \
	SUMMED(P, A, 8)                      \
	SUMMED(P, A, 9)                      \
	SUMMED(P, A, 10)                     \
	SUMMED(P, A, 11)                     \
	SUMMED(P, A, 12)                     \
	SUMMED(P, A, 13)                     \
	SUMMED(P, A, 14)                     \
	SUMMED(P, A, 15)                     \
	VPSRAD    $5, A, A                   \
	VMOVDQA64 A, B

#define INTOTAL(o, i, P, A, B, C, D) \
	VPADDD A, C, C               \
	VPADDD B, D, D

#define IQ1SUB(ROWS, OP, n, g, u, j)   \
	IQSCALES(g, u)                 \
	ROWS(START9, (2*g+u))          \
	IQ1BITS(g, (j+0))              \
	IQ1LINE(ROWS, OP, n, g, (j+0)) \
	IQ1LINE(ROWS, OP, n, g, (j+1)) \
	IQ1BITS(g, (j+2))              \
	IQ1LINE(ROWS, OP, n, g, (j+2)) \
	IQ1LINE(ROWS, OP, n, g, (j+3)) \
	ROWS(TOTAL, 0)

#define IQ1SUBS(SUB, ROWS)           \
	SUB(ROWS, VPSLLW, 3, 0, 0, 0) \
	SUB(ROWS, VPSLLW, 3, 0, 1, 4) \
	SUB(ROWS, VPSLLW, 1, 1, 0, 0) \
	SUB(ROWS, VPSLLW, 1, 1, 1, 4) \
	SUB(ROWS, VPSRLW, 1, 2, 0, 0) \
	SUB(ROWS, VPSRLW, 1, 2, 1, 4) \
	SUB(ROWS, VPSRLW, 3, 3, 0, 0) \
	SUB(ROWS, VPSRLW, 3, 3, 1, 4)

#define IQ1(BLOCK, HALF, ROWS)               \
	ROWS(LOADK, 0)                       \
	VPBROADCASTD iq1<>+0(SB), Z29        \
BLOCK:                                       \
	VPBROADCASTD iq1<>+4(SB), Z31        \
	ROWS(NINETIMES, 0)                   \
	HALVES(HALF, IQ1SUBS, IQ1SUB, ROWS)  \
	FLOATSCALED(ROWS)                    \
	NEXTBLOCK(BLOCK, 2816, ROWS)

#define TQ(BLOCK, HALF, ROWS)           \
	ROWS(LOADK, 0)                  \
	VPBROADCASTD MASK03, Z29        \
BLOCK:                                  \
	ROWS(STARTALL, 0)               \
	HALVES(HALF, SUBS, TQSUB, ROWS) \
	ROWS(INTOTAL, 0)                \
	HALFSCALED(ROWS)                \
	NEXTBLOCK(BLOCK, 2112, ROWS)

// func vnniIQ1(p *product)
TEXT ·vnniIQ1(SB), 0, $1344-8
	BEGIN
	ALIGN
	CHOOSE
one:
	IQ1(block1, half1, ROWS1)
two:
	IQ1(block2, half2, ROWS2)
three:
	IQ1(block3, half3, ROWS3)
four:
	IQ1(block4, half4, ROWS4)
five:
	IQ1(block5, half5, ROWS5)
six:
	IQ1(block6, half6, ROWS6)

// func vnniTQ(p *product)
TEXT ·vnniTQ(SB), 0, $1344-8
	BEGIN
	ALIGN
	CHOOSE
one:
	TQ(block1, half1, ROWS1)
two:
	TQ(block2, half2, ROWS2)
three:
	TQ(block3, half3, ROWS3)
four:
	TQ(block4, half4, ROWS4)
five:
	TQ(block5, half5, ROWS5)
six:
	TQ(block6, half6, ROWS6)
