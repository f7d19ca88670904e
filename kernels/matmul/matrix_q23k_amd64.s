#include "go_asm.h"
#include "textflag.h"
#include "matrix_amd64.h"
#include "matrix_k_amd64.h"

// Types with 2-bit codes in blocks of 256: Q2_K, Q3_K, IQ1, IQ2 and TQ.

// What a code and 4 times its bit stand for, plus 64: magnitudes and signs of IQ2, eighths
// of IQ1.
DATA iq2<>+0(SB)/8, $0x40152738406b5948
DATA iq2<>+8(SB)/8, $0
GLOBL iq2<>(SB), RODATA|NOPTR, $16

DATA iq1<>+0(SB)/8, $0x4049413940473f37
DATA iq1<>+8(SB)/8, $0
GLOBL iq1<>(SB), RODATA|NOPTR, $16

// In this file R14 is 32 times the half of the block, of 128 values, and AX 512 times.

// START4 sets the sums to -4 times the input's, an eighth of what it stores.
#define START4(o, i, P, A, B, C, D)                      \
	VPBROADCASTD (const_q8kOffsets+4*o)(P)(R14*1), A \
	VPSRAD       $3, A, A                            \
	VMOVDQA64    A, B

// START64 sets them to -64 times the input's.
#define START64(o, i, P, A, B, C, D)                     \
	VPBROADCASTD (const_q8kOffsets+4*o)(P)(R14*1), A \
	VPADDD       A, A, A                             \
	VMOVDQA64    A, B

// SHIFTED reads 2-bit codes: line j of the half, shifted by twice g.
#define SHIFTED(lines, g, j)                           \
	VPSRLW $(2*g), (lines+128*j)(SI)(AX*2), Z24    \
	VPSRLW $(2*g), (lines+64+128*j)(SI)(AX*2), Z25 \
	VPANDD Z24, Z29, Z24                           \
	VPANDD Z25, Z29, Z25

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

// CODED replaces codes by what they stand for, in Z30.
#define CODED                 \
	VPSHUFB Z24, Z30, Z24 \
	VPSHUFB Z25, Z30, Z25

#define IQ2LINE(ROWS, g, j)                   \
	SHIFTED(1664, g, j)                   \
	KMOVQ  (640+128*g+16*j)(SI)(AX*1), K3 \
	KMOVQ  (648+128*g+16*j)(SI)(AX*1), K4 \
	VPADDB Z31, Z24, K3, Z24              \
	VPADDB Z31, Z25, K4, Z25              \
	CODED                                 \
	AHEAD                                 \
	ROWS(DOTH, (32*g+4*j))

// IQ1LINE has its bits in K3 and K4.
#define IQ1LINE(ROWS, g, j)      \
	SHIFTED(768, g, j)       \
	VPADDD Z31, Z24, K3, Z24 \
	VPADDD Z31, Z25, K4, Z25 \
	CODED                    \
	AHEAD                    \
	ROWS(DOTH, (32*g+4*j))

// IQ1BITS reads the bits of 8 values, of lines j and j+1.
#define IQ1BITS(g, j)                        \
	KMOVW (640+16*g+2*j)(SI)(R14*2), K3 \
	KMOVW (642+16*g+2*j)(SI)(R14*2), K4

#define TQLINE(ROWS, g, j) \
	SHIFTED(64, g, j)  \
	AHEAD              \
	ROWS(DOTH, (32*g+4*j))

#define TQSUB(ROWS, g, u, j)   \
	TQLINE(ROWS, g, (j+0)) \
	TQLINE(ROWS, g, (j+1)) \
	TQLINE(ROWS, g, (j+2)) \
	TQLINE(ROWS, g, (j+3))

#define SUMMED(P, A, s) \
	VPADDD.BCST (const_q8kOffsets+4*s)(P), A, A

// STARTALL sets the sums to -1 times the input's over the block; INTOTAL makes them the
// block's totals.
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
	VMOVDQA64 A, C               \
	VMOVDQA64 B, D

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

#define IQSCALES(g, u)                            \
	VPMOVSXBD (128+64*g+32*u)(SI)(R14*8), Z26 \
	VPMOVSXBD (144+64*g+32*u)(SI)(R14*8), Z27

#define IQ2SUB(ROWS, g, u, j)     \
	IQSCALES(g, u)            \
	ROWS(START64, (2*g+u))    \
	IQ2LINE(ROWS, g, (j+0))   \
	IQ2LINE(ROWS, g, (j+1))   \
	IQ2LINE(ROWS, g, (j+2))   \
	IQ2LINE(ROWS, g, (j+3))   \
	ROWS(TOTAL, 0)

#define IQ1SUB(ROWS, g, u, j)     \
	IQSCALES(g, u)            \
	ROWS(START64, (2*g+u))    \
	IQ1BITS(g, (j+0))         \
	IQ1LINE(ROWS, g, (j+0))   \
	IQ1LINE(ROWS, g, (j+1))   \
	IQ1BITS(g, (j+2))         \
	IQ1LINE(ROWS, g, (j+2))   \
	IQ1LINE(ROWS, g, (j+3))   \
	ROWS(TOTAL, 0)

#define HALVES(HALF, SUB, ROWS) \
	ROWS(CLEARTOTAL, 0)     \
	XORL R14, R14           \
	XORL AX, AX             \
HALF:                           \
	SUB(ROWS, 0, 0, 0)      \
	SUB(ROWS, 0, 1, 4)      \
	SUB(ROWS, 1, 0, 0)      \
	SUB(ROWS, 1, 1, 4)      \
	SUB(ROWS, 2, 0, 0)      \
	SUB(ROWS, 2, 1, 4)      \
	SUB(ROWS, 3, 0, 0)      \
	SUB(ROWS, 3, 1, 4)      \
	ADDQ $32, R14           \
	ADDQ $512, AX           \
	CMPQ AX, $1024          \
	JB   HALF

// HALFSCALED and FLOATSCALED add the block's totals, by scales of F16 or F32.
#define HALFSCALED(ROWS)      \
	VCVTPH2PS (SI), Z26   \
	VCVTPH2PS 32(SI), Z27 \
	ROWS(FLOATS, 0)

#define FLOATSCALED(ROWS)   \
	VMOVUPS (SI), Z26   \
	VMOVUPS 64(SI), Z27 \
	ROWS(FLOATS, 0)

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

#define NEXTBLOCK(BLOCK, bytes, ROWS) \
	ROWS(NEXTK, 0)                \
	ADDQ $bytes, SI               \
	DECQ CX                       \
	JNZ  BLOCK                    \
	ROWS(STOREK, 0)               \
	END

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

#define Q3K(BLOCK, HALF, ROWS)     \
	ROWS(LOADK, 0)             \
BLOCK:                             \
	VPBROADCASTD MASK03, Z29   \
	VPBROADCASTD MASK04, Z31   \
	HALVES(HALF, Q3KSUB, ROWS) \
	HALFSCALED(ROWS)           \
	NEXTBLOCK(BLOCK, 3648, ROWS)

#define IQ(BLOCK, HALF, TABLE, SUB, bytes, ROWS) \
	ROWS(LOADK, 0)                           \
BLOCK:                                           \
	VPBROADCASTD    MASK03, Z29              \
	VPBROADCASTD    MASK04, Z31              \
	VBROADCASTI32X4 TABLE, Z30               \
	HALVES(HALF, SUB, ROWS)                  \
	FLOATSCALED(ROWS)                        \
	NEXTBLOCK(BLOCK, bytes, ROWS)

#define IQ2(BLOCK, HALF, ROWS) IQ(BLOCK, HALF, iq2<>(SB), IQ2SUB, 3712, ROWS)
#define IQ1(BLOCK, HALF, ROWS) IQ(BLOCK, HALF, iq1<>(SB), IQ1SUB, 2816, ROWS)

#define TQ(BLOCK, HALF, ROWS)     \
	ROWS(LOADK, 0)            \
	VPBROADCASTD MASK03, Z29  \
BLOCK:                            \
	ROWS(STARTALL, 0)         \
	HALVES(HALF, TQSUB, ROWS) \
	ROWS(INTOTAL, 0)          \
	HALFSCALED(ROWS)          \
	NEXTBLOCK(BLOCK, 2112, ROWS)

// func vnniQ2K(p *product)
TEXT ·vnniQ2K(SB), 0, $1344-8
	BEGIN
	ALIGN
	CHOOSE
one:
	Q2K(block1, half1, minimum1, ROWS1)
two:
	Q2K(block2, half2, minimum2, ROWS2)
three:
	Q2K(block3, half3, minimum3, ROWS3)
four:
	Q2K(block4, half4, minimum4, ROWS4)
five:
	Q2K(block5, half5, minimum5, ROWS5)
six:
	Q2K(block6, half6, minimum6, ROWS6)

// func vnniQ3K(p *product)
TEXT ·vnniQ3K(SB), 0, $1344-8
	BEGIN
	ALIGN
	CHOOSE
one:
	Q3K(block1, half1, ROWS1)
two:
	Q3K(block2, half2, ROWS2)
three:
	Q3K(block3, half3, ROWS3)
four:
	Q3K(block4, half4, ROWS4)
five:
	Q3K(block5, half5, ROWS5)
six:
	Q3K(block6, half6, ROWS6)

// func vnniIQ2(p *product)
TEXT ·vnniIQ2(SB), 0, $1344-8
	BEGIN
	ALIGN
	CHOOSE
one:
	IQ2(block1, half1, ROWS1)
two:
	IQ2(block2, half2, ROWS2)
three:
	IQ2(block3, half3, ROWS3)
four:
	IQ2(block4, half4, ROWS4)
five:
	IQ2(block5, half5, ROWS5)
six:
	IQ2(block6, half6, ROWS6)

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
