#include "go_asm.h"
#include "textflag.h"
#include "matrix_avx2_amd64.h"

// What nibbles stand for.
DATA octq4<>+0(SB)/8, $0xfffefdfcfbfaf9f8
DATA octq4<>+8(SB)/8, $0x0706050403020100
GLOBL octq4<>(SB), RODATA|NOPTR, $16

DATA octiq4<>+0(SB)/8, $0xf6eaddcfbfad9881
DATA octiq4<>+8(SB)/8, $0x7159453526190d01
GLOBL octiq4<>(SB), RODATA|NOPTR, $16

DATA octfp4<>+0(SB)/8, $0x0c08060403020100
DATA octfp4<>+8(SB)/8, $0xf4f8fafcfdfeff00
GLOBL octfp4<>(SB), RODATA|NOPTR, $16

DATA octq5<>+0(SB)/8, $0xf7f6f5f4f3f2f1f0
DATA octq5<>+8(SB)/8, $0xfffefdfcfbfaf9f8
GLOBL octq5<>(SB), RODATA|NOPTR, $16

#define HALVES VCVTPH2PS (SI)(R15*4), Y12

#define POWERS                     \
	VPMOVZXWD (SI)(R15*4), Y12 \
	VPSLLD    $16, Y12, Y12

// OCTSCALE adds a finished block: sums times the scales in Y12 and the input's.
#define OCTSCALE(o, i, P, A, C)            \
	VBROADCASTSS const_q8Scale(P), Y14 \
	VMULPS       Y14, Y12, Y14         \
	VCVTDQ2PS    A, A                  \
	VFMADD231PS  Y14, A, C

// OCTMINIMUM adds the minima in Y13 times the input's sum.
#define OCTMINIMUM(o, i, P, A, C)        \
	VBROADCASTSS const_q8Sum(P), Y14 \
	VFMADD231PS  Y14, Y13, C

#define OCTSTEP(o, i, P, A, C) \
	ADDQ $const_q8Bytes, P

#define NOMINIMA(ROWS) \
	HALVES         \
	ROWS(OCTSCALE, 0)

#define MINIMA(ROWS)                 \
	HALVES                       \
	VCVTPH2PS 64(SI)(R15*4), Y13 \
	ROWS(OCTSCALE, 0)            \
	ROWS(OCTMINIMUM, 0)

#define OCTPOWERS(ROWS) \
	POWERS          \
	ROWS(OCTSCALE, 0)

// CODES reads line j of 8-bit codes.
#define CODES(j)                                     \
	VPBROADCASTQ BYTES80, Y13                    \
	VPXOR        (64+128*j)(SI)(R15*8), Y13, Y12 \
	VPABSB       Y12, Y13

#define I8LINE(ROWS, j) \
	CODES(j)        \
	ROWS(DOTS, (4*j))

#define I8LINES(ROWS)                                                      \
	I8LINE(ROWS, 0); I8LINE(ROWS, 1); I8LINE(ROWS, 2); I8LINE(ROWS, 3) \
	I8LINE(ROWS, 4); I8LINE(ROWS, 5); I8LINE(ROWS, 6); I8LINE(ROWS, 7)

// OCTTABLE replaces nibbles by what they stand for.
#define OCTTABLE(T)                 \
	VBROADCASTI128 T<>(SB), Y13 \
	VPSHUFB        Y12, Y13, Y12

#define T4LINE(ROWS, T, j)             \
	NIBLOW((64+128*j)(SI)(R15*8))  \
	OCTTABLE(T)                    \
	VPABSB Y12, Y13                \
	ROWS(DOTS, (4*j))              \
	NIBHIGH((64+128*j)(SI)(R15*8)) \
	OCTTABLE(T)                    \
	VPABSB Y12, Y13                \
	ROWS(DOTS, (16+4*j))

#define Q4_0LINES(ROWS) T4LINE(ROWS, octq4, 0); T4LINE(ROWS, octq4, 1); T4LINE(ROWS, octq4, 2); T4LINE(ROWS, octq4, 3)
#define IQ4LINES(ROWS) T4LINE(ROWS, octiq4, 0); T4LINE(ROWS, octiq4, 1); T4LINE(ROWS, octiq4, 2); T4LINE(ROWS, octiq4, 3)
#define FP4LINES(ROWS) T4LINE(ROWS, octfp4, 0); T4LINE(ROWS, octfp4, 1); T4LINE(ROWS, octfp4, 2); T4LINE(ROWS, octfp4, 3)

#define Q4_1LINE(ROWS, j)               \
	NIBLOW((128+128*j)(SI)(R15*8))  \
	ROWS(DOTU, (4*j))               \
	NIBHIGH((128+128*j)(SI)(R15*8)) \
	ROWS(DOTU, (16+4*j))

#define Q4_1LINES(ROWS) Q4_1LINE(ROWS, 0); Q4_1LINE(ROWS, 1); Q4_1LINE(ROWS, 2); Q4_1LINE(ROWS, 3)

#define Q5_0LINE(ROWS, j)               \
	NIBLOW((192+128*j)(SI)(R15*8))  \
	OCTTABLE(octq5)                 \
	OCTBITS((64+16*j)(SI)(R15*1))   \
	VPADDB Y14, Y12, Y12            \
	VPABSB Y12, Y13                 \
	ROWS(DOTS, (4*j))               \
	NIBHIGH((192+128*j)(SI)(R15*8)) \
	OCTTABLE(octq5)                 \
	OCTBITS((128+16*j)(SI)(R15*1))  \
	VPADDB Y14, Y12, Y12            \
	VPABSB Y12, Y13                 \
	ROWS(DOTS, (16+4*j))

#define Q5_0LINES(ROWS) Q5_0LINE(ROWS, 0); Q5_0LINE(ROWS, 1); Q5_0LINE(ROWS, 2); Q5_0LINE(ROWS, 3)

#define Q5_1LINE(ROWS, j)               \
	NIBLOW((256+128*j)(SI)(R15*8))  \
	OCTBITS((128+16*j)(SI)(R15*1))  \
	VPADDB Y14, Y12, Y12            \
	ROWS(DOTU, (4*j))               \
	NIBHIGH((256+128*j)(SI)(R15*8)) \
	OCTBITS((192+16*j)(SI)(R15*1))  \
	VPADDB Y14, Y12, Y12            \
	ROWS(DOTU, (16+4*j))

#define Q5_1LINES(ROWS) Q5_1LINE(ROWS, 0); Q5_1LINE(ROWS, 1); Q5_1LINE(ROWS, 2); Q5_1LINE(ROWS, 3)

// OCT32 is the body for blocks of 32 values.
#define OCT32(OCTET, BLOCK, ALLLINES, SCALES, bytes, ROWS) \
OCTET:                                                     \
	OCTPASS                                            \
	ROWS(OCTLOAD, 0)                                   \
BLOCK:                                                     \
	ROWS(OCTCLEAR, 0)                                  \
	ALLLINES(ROWS)                                     \
	SCALES(ROWS)                                       \
	ROWS(OCTSTEP, 0)                                   \
	ADDQ $bytes, SI                                    \
	DECQ CX                                            \
	JNZ  BLOCK                                         \
	OCTMASK                                            \
	ROWS(OCTSTORE, 0)                                  \
	OCTNEXT(OCTET)

// func avx2I8(p *product)
TEXT ·avx2I8(SB), NOSPLIT, $0-8
	OCTBEGIN
	OCTCHOOSE
one:
	OCT32(octet1, block1, I8LINES, NOMINIMA, 1088, OCTROWS1)
two:
	OCT32(octet2, block2, I8LINES, NOMINIMA, 1088, OCTROWS2)
three:
	OCT32(octet3, block3, I8LINES, NOMINIMA, 1088, OCTROWS3)
four:
	OCT32(octet4, block4, I8LINES, NOMINIMA, 1088, OCTROWS4)
five:
	OCT32(octet5, block5, I8LINES, NOMINIMA, 1088, OCTROWS5)
six:
	OCT32(octet6, block6, I8LINES, NOMINIMA, 1088, OCTROWS6)

// func avx2Q4_0(p *product)
TEXT ·avx2Q4_0(SB), NOSPLIT, $0-8
	OCTBEGIN
	OCTCHOOSE
one:
	OCT32(octet1, block1, Q4_0LINES, NOMINIMA, 576, OCTROWS1)
two:
	OCT32(octet2, block2, Q4_0LINES, NOMINIMA, 576, OCTROWS2)
three:
	OCT32(octet3, block3, Q4_0LINES, NOMINIMA, 576, OCTROWS3)
four:
	OCT32(octet4, block4, Q4_0LINES, NOMINIMA, 576, OCTROWS4)
five:
	OCT32(octet5, block5, Q4_0LINES, NOMINIMA, 576, OCTROWS5)
six:
	OCT32(octet6, block6, Q4_0LINES, NOMINIMA, 576, OCTROWS6)

// func avx2IQ4(p *product)
TEXT ·avx2IQ4(SB), NOSPLIT, $0-8
	OCTBEGIN
	OCTCHOOSE
one:
	OCT32(octet1, block1, IQ4LINES, NOMINIMA, 576, OCTROWS1)
two:
	OCT32(octet2, block2, IQ4LINES, NOMINIMA, 576, OCTROWS2)
three:
	OCT32(octet3, block3, IQ4LINES, NOMINIMA, 576, OCTROWS3)
four:
	OCT32(octet4, block4, IQ4LINES, NOMINIMA, 576, OCTROWS4)
five:
	OCT32(octet5, block5, IQ4LINES, NOMINIMA, 576, OCTROWS5)
six:
	OCT32(octet6, block6, IQ4LINES, NOMINIMA, 576, OCTROWS6)

// func avx2FP4(p *product)
TEXT ·avx2FP4(SB), NOSPLIT, $0-8
	OCTBEGIN
	OCTCHOOSE
one:
	OCT32(octet1, block1, FP4LINES, OCTPOWERS, 576, OCTROWS1)
two:
	OCT32(octet2, block2, FP4LINES, OCTPOWERS, 576, OCTROWS2)
three:
	OCT32(octet3, block3, FP4LINES, OCTPOWERS, 576, OCTROWS3)
four:
	OCT32(octet4, block4, FP4LINES, OCTPOWERS, 576, OCTROWS4)
five:
	OCT32(octet5, block5, FP4LINES, OCTPOWERS, 576, OCTROWS5)
six:
	OCT32(octet6, block6, FP4LINES, OCTPOWERS, 576, OCTROWS6)

// func avx2Q4_1(p *product)
TEXT ·avx2Q4_1(SB), NOSPLIT, $0-8
	OCTBEGIN
	OCTCHOOSE
one:
	OCT32(octet1, block1, Q4_1LINES, MINIMA, 640, OCTROWS1)
two:
	OCT32(octet2, block2, Q4_1LINES, MINIMA, 640, OCTROWS2)
three:
	OCT32(octet3, block3, Q4_1LINES, MINIMA, 640, OCTROWS3)
four:
	OCT32(octet4, block4, Q4_1LINES, MINIMA, 640, OCTROWS4)
five:
	OCT32(octet5, block5, Q4_1LINES, MINIMA, 640, OCTROWS5)
six:
	OCT32(octet6, block6, Q4_1LINES, MINIMA, 640, OCTROWS6)

// func avx2Q5_0(p *product)
TEXT ·avx2Q5_0(SB), NOSPLIT, $0-8
	OCTBEGIN
	OCTCHOOSE
one:
	OCT32(octet1, block1, Q5_0LINES, NOMINIMA, 704, OCTROWS1)
two:
	OCT32(octet2, block2, Q5_0LINES, NOMINIMA, 704, OCTROWS2)
three:
	OCT32(octet3, block3, Q5_0LINES, NOMINIMA, 704, OCTROWS3)
four:
	OCT32(octet4, block4, Q5_0LINES, NOMINIMA, 704, OCTROWS4)
five:
	OCT32(octet5, block5, Q5_0LINES, NOMINIMA, 704, OCTROWS5)
six:
	OCT32(octet6, block6, Q5_0LINES, NOMINIMA, 704, OCTROWS6)

// func avx2Q5_1(p *product)
TEXT ·avx2Q5_1(SB), NOSPLIT, $0-8
	OCTBEGIN
	OCTCHOOSE
one:
	OCT32(octet1, block1, Q5_1LINES, MINIMA, 768, OCTROWS1)
two:
	OCT32(octet2, block2, Q5_1LINES, MINIMA, 768, OCTROWS2)
three:
	OCT32(octet3, block3, Q5_1LINES, MINIMA, 768, OCTROWS3)
four:
	OCT32(octet4, block4, Q5_1LINES, MINIMA, 768, OCTROWS4)
five:
	OCT32(octet5, block5, Q5_1LINES, MINIMA, 768, OCTROWS5)
six:
	OCT32(octet6, block6, Q5_1LINES, MINIMA, 768, OCTROWS6)
