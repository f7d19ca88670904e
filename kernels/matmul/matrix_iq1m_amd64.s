#include "go_asm.h"
#include "textflag.h"
#include "matrix_amd64.h"
#include "matrix_k_amd64.h"
#include "matrix_twobit_amd64.h"
#include "matrix_inplace_amd64.h"
#include "matrix_iq1_amd64.h"

// IQ1_M, whose values go up or down by eights. Of one input row the sums of 8 are multiplied with
// offsets; several rows would spend more on that than it takes to add a bit to the codes.

DATA iq1m<>+0(SB)/8, $0x0202020200000000 // what a bit adds where a code counts 8
DATA iq1m<>+8(SB)/8, $0x0202020200000000
DATA iq1m<>+16(SB)/4, $0x18181818
DATA iq1m<>+20(SB)/4, $0x3e000000 // 1/8
DATA iq1m<>+24(SB)/4, $0xbe000000 // -1/8
GLOBL iq1m<>(SB), RODATA|NOPTR, $28

// In the scratch memory: one row's sums of 8, or -9 times the input's sums of 16, 64 bytes an input
// row; after the float sums the words of bits, shifted for each half.
#define EIGHTS 0
#define NINES 0
#define BITS 1280

// SEVENAHEAD is what a block fetches beside its lines.
#define SEVENAHEAD \
	AHEAD      \
	AHEAD      \
	AHEAD      \
	AHEAD      \
	AHEAD      \
	AHEAD      \
	AHEAD

// ADDEIGHTS adds up 128 values of the input row, o bytes into its block, by eights; Z29 is ones, K3
// every other word. Of 8 sub-blocks s and s+4 are neighbours: their first sums, then their second.
#define ADDEIGHTS(o)                  \
	VPXORD   Z24, Z24, Z24        \
	VPXORD   Z25, Z25, Z25        \
	VPDPBUSD o(R8), Z29, Z24      \
	VPDPBUSD (o+64)(R8), Z29, Z25 \
	VPSHUFD  $0xb1, Z24, Z26      \
	VPSHUFD  $0xb1, Z25, Z27      \
	VPADDD   Z26, Z24, Z24        \
	VPADDD   Z27, Z25, K3, Z24    \
	VPMOVDW  Z24, (EIGHTS+o/4)(R15)

#define SUMS8(o, i, P, A, B, C, D)          \
	VPBROADCASTD (EIGHTS+4*o)(R15), Z28 \
	VPDPWSSD     Z28, Z26, C            \
	VPDPWSSD     Z28, Z27, D

// UPWARDS puts the bits that are n up in the words' bytes into nibbles in Z24 and Z25.
#define UPWARDS(n)                                \
	VPSRLD          $n, 320(SI), Z26          \
	VPSRLD          $n, 384(SI), Z27          \
	VPTERNLOGD.BCST $0xd8, BYTEONES, Z26, Z24 \
	VPTERNLOGD.BCST $0xd8, BYTEONES, Z27, Z25

// FOUR has the offsets of four sub-blocks, whose nibbles NIBBLES reads, for their first 8 values and
// for the others.
#define FOUR(v, NIBBLES, at)                  \
	NIBBLES(at)                           \
	UPWARDS((2*v))                        \
	OFFSETS(ROWS1, SUMS8, (4*v), (4*v+2)) \
	NIBBLES(at)                           \
	UPWARDS((2*v+1))                      \
	OFFSETS(ROWS1, SUMS8, (4*v+1), (4*v+3))

// ONEFOLD undoes EIGHTFOLD, so that scales are the same numbers as for several rows.
#define ONEFOLD(o, i, P, A, B, C, D) \
	VPSRAD $3, C, C              \
	VPSRAD $3, D, D

#define IQ1MONE(BLOCK, HALF)                 \
	ROWS1(LOADK, 0)                      \
	LOADMASKS                            \
	MOVL  $0xaaaa, AX                    \
	KMOVW AX, K3                         \
BLOCK:                                       \
	SEVENAHEAD                           \
	VPBROADCASTD BYTEONES, Z29           \
	ADDEIGHTS(0)                         \
	ADDEIGHTS(128)                       \
	NIBBLEOFFSETS                        \
	ROWS1(CLEARTOTAL, 0)                 \
	FOUR(0, LOWNIBBLES, 64)              \
	FOUR(1, HIGHNIBBLES, 64)             \
	FOUR(2, LOWNIBBLES, 192)             \
	FOUR(3, HIGHNIBBLES, 192)            \
	ROWS1(EIGHTFOLD, 0)                  \
	FIRSTHALF                            \
HALF:                                        \
	CLEARFIELDS                          \
	FOURLINES(448, 0)                    \
	SCALESAT(VPSLLD, 6, 64, SI, TIMES64) \
	FIELD0(LESSTOTAL, 0)                 \
	SCALESAT(VPSRLD, 0, 64, SI, TIMES16) \
	FIELD1(LESSTOTAL, 0)                 \
	SCALESAT(VPSRLD, 14, 64, SI, TIMES4) \
	FIELD2(LESSTOTAL, 0)                 \
	SCALESAT(VPSRLD, 20, 64, SI, TIMES1) \
	FIELD3(LESSTOTAL, 0)                 \
	CLEARFIELDS                          \
	FOURLINES(448, 4)                    \
	SCALESAT(VPSRLD, 2, 64, SI, TIMES64) \
	FIELD0(LESSTOTAL, 0)                 \
	SCALESAT(VPSRLD, 8, 64, SI, TIMES16) \
	FIELD1(LESSTOTAL, 0)                 \
	SCALESAT(VPSRLD, 22, 64, SI, TIMES4) \
	FIELD2(LESSTOTAL, 0)                 \
	SCALESAT(VPSRLD, 28, 64, SI, TIMES1) \
	FIELD3(LESSTOTAL, 0)                 \
	NEXTHALF(HALF)                       \
	ROWS1(ONEFOLD, 0)                    \
	HALFTIMES(ROWS1, iq1m<>+24(SB))      \
	NEXTBLOCK(BLOCK, 2496, ROWS1)

// KEEPBITS stores the words of bits as each half's sub-blocks want them.
#define KEEPBITS                       \
	VMOVDQU64 320(SI), Z24         \
	VMOVDQU64 384(SI), Z25         \
	VMOVDQA64 Z24, BITS(R15)       \
	VMOVDQA64 Z25, (BITS+64)(R15)  \
	VPSRLD    $4, Z24, Z24         \
	VPSRLD    $4, Z25, Z25         \
	VMOVDQA64 Z24, (BITS+128)(R15) \
	VMOVDQA64 Z25, (BITS+192)(R15)

// NINETIMES makes what NINES are of -32 times the sums.
#define NINETIMES(o, i, P, A, B, C, D)   \
	VMOVDQU64 const_q8kOffsets(P), A \
	VPSRAD    $2, A, B               \
	VPSRAD    $5, A, A               \
	VPADDD    B, A, A                \
	VMOVDQA64 A, (NINES+8*i)(R15)

// START9 sets the sums to -9 times the input's.
#define START9(o, i, P, A, B, C, D)                 \
	VPBROADCASTD (NINES+8*i+4*o)(R15)(R14*1), A \
	VMOVDQA64    A, B

// BIT has what bit n of the half's words adds, in Z26 and Z27.
#define BIT(n)                                   \
	VPSRLD    $n, BITS(R15)(R14*4), Z26      \
	VPSRLD    $n, (BITS+64)(R15)(R14*4), Z27 \
	VPERMILPS Z26, Z31, Z26                  \
	VPERMILPS Z27, Z31, Z27

// BITLINE brings codes to where they count eight times, by the shift OP by n, beside what BIT has.
// Rotations, which need no two operations, share their unit with VPDPBUSD.
#define BITLINE(ROWS, OP, n, g, j)                \
	OP         $n, (448+128*j)(SI)(AX*2), Z24 \
	OP         $n, (512+128*j)(SI)(AX*2), Z25 \
	VPTERNLOGD $0xec, Z29, Z26, Z24           \
	VPTERNLOGD $0xec, Z29, Z27, Z25           \
	ROWS(DOTH, (32*g+4*j))

// IQ1MSUB is sub-block 2g+u of the half, its scale at that bit of a word and its bits at that of another.
#define IQ1MSUB(ROWS, OP, n, g, u, scale, bit)  \
	ROWS(START9, (2*g+u))                   \
	AHEAD                                   \
	BIT(bit)                                \
	BITLINE(ROWS, OP, n, g, (4*u+0))        \
	BITLINE(ROWS, OP, n, g, (4*u+1))        \
	AHEAD                                   \
	BIT((bit+1))                            \
	BITLINE(ROWS, OP, n, g, (4*u+2))        \
	BITLINE(ROWS, OP, n, g, (4*u+3))        \
	SCALESAT(VPSRLD, scale, 64, SI, TIMES1) \
	ROWS(TOTAL, 0)

#define IQ1M(BLOCK, HALF, ROWS)                \
	ROWS(LOADK, 0)                         \
	VPBROADCASTD iq1m<>+16(SB), Z29        \
BLOCK:                                         \
	SEVENAHEAD                             \
	VBROADCASTI32X4 iq1m<>+0(SB), Z31      \
	KEEPBITS                               \
	ROWS(NINETIMES, 0)                     \
	ROWS(CLEARTOTAL, 0)                    \
	FIRSTHALF                              \
HALF:                                          \
	IQ1MSUB(ROWS, VPSLLW, 3, 0, 0, 0, 0)   \
	IQ1MSUB(ROWS, VPSLLW, 3, 0, 1, 8, 8)   \
	IQ1MSUB(ROWS, VPSLLW, 1, 1, 0, 4, 2)   \
	IQ1MSUB(ROWS, VPSLLW, 1, 1, 1, 12, 10) \
	IQ1MSUB(ROWS, VPSRLW, 1, 2, 0, 16, 16) \
	IQ1MSUB(ROWS, VPSRLW, 1, 2, 1, 24, 24) \
	IQ1MSUB(ROWS, VPSRLW, 3, 3, 0, 20, 18) \
	IQ1MSUB(ROWS, VPSRLW, 3, 3, 1, 28, 26) \
	NEXTHALF(HALF)                         \
	HALFTIMES(ROWS, iq1m<>+20(SB))         \
	NEXTBLOCK(BLOCK, 2496, ROWS)

// func vnniIQ1M(p *product)
TEXT ·vnniIQ1M(SB), 0, $1600-8
	BEGIN
	ALIGN
	CHOOSE
one:
	IQ1MONE(block1, half1)
two:
	IQ1M(block2, half2, ROWS2)
three:
	IQ1M(block3, half3, ROWS3)
four:
	IQ1M(block4, half4, ROWS4)
five:
	IQ1M(block5, half5, ROWS5)
six:
	IQ1M(block6, half6, ROWS6)
