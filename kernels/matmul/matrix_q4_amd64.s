#include "go_asm.h"
#include "textflag.h"
#include "matrix_amd64.h"
#include "matrix_q8_amd64.h"

// What nibbles stand for, plus 128.
DATA q4<>+0(SB)/8, $0x7f7e7d7c7b7a7978
DATA q4<>+8(SB)/8, $0x8786858483828180
GLOBL q4<>(SB), RODATA|NOPTR, $16

DATA iq4<>+0(SB)/8, $0x766a5d4f3f2d1801
DATA iq4<>+8(SB)/8, $0xf1d9c5b5a6998d81
GLOBL iq4<>(SB), RODATA|NOPTR, $16

DATA fp4<>+0(SB)/8, $0x8c88868483828180
DATA fp4<>+8(SB)/8, $0x74787a7c7d7e7f80
GLOBL fp4<>(SB), RODATA|NOPTR, $16

// POWERS reads a block's scales where they are BF16.
#define POWERS                  \
	VPMOVZXWD (SI), Z26     \
	VPMOVZXWD 32(SI), Z27   \
	VPSLLD    $16, Z26, Z26 \
	VPSLLD    $16, Z27, Z27

// N4 is for the types whose nibbles have a table; SCALES reads the scales.
#define N4LINE(ROWS, i)  \
	LINES(64, i)     \
	LOW              \
	TABLE            \
	AHEAD            \
	ROWS(DOT, (4*i)) \
	HIGH             \
	TABLE            \
	AHEAD            \
	ROWS(DOT, (16+4*i))

#define N4(BLOCK, SCALES, ROWS) \
	ROWS(LOAD, 0)           \
BLOCK:                          \
	AHEAD                   \
	AHEAD                   \
	ROWS(START, 0)          \
	N4LINE(ROWS, 0)         \
	N4LINE(ROWS, 1)         \
	N4LINE(ROWS, 2)         \
	N4LINE(ROWS, 3)         \
	SCALES                  \
	ROWS(SCALE, 0)          \
	ROWS(NEXT, 0)           \
	ADDQ $(64+512), SI      \
	DECQ CX                 \
	JNZ BLOCK               \
	ROWS(STORE, 0)          \
	END

// Q4_1 has minima instead of an offset.
#define Q4_1LINE(ROWS, i) \
	LINES(128, i)     \
	LOW               \
	AHEAD             \
	ROWS(DOT, (4*i))  \
	HIGH              \
	AHEAD             \
	ROWS(DOT, (16+4*i))

#define Q4_1(BLOCK, HALF, PART, ROWS) \
	ROWS(LOAD, 0)         \
BLOCK:                        \
	AHEAD                 \
	AHEAD                 \
	ROWS(CLEAR, 0)        \
	Q4_1LINE(ROWS, 0)     \
	Q4_1LINE(ROWS, 1)     \
	Q4_1LINE(ROWS, 2)     \
	Q4_1LINE(ROWS, 3)     \
	SCALES                \
	ROWS(SCALE, 0)        \
	VCVTPH2PS 64(SI), Z24 \
	VCVTPH2PS 96(SI), Z25 \
	ROWS(MINIMUM, 0)      \
	ROWS(NEXT, 0)         \
	ADDQ $(128+512), SI   \
	DECQ CX               \
	JNZ BLOCK             \
	ROWS(STORE, 0)        \
	END

// STARTSIXTEEN sets the sums to -128 times those of 16 values, o bytes into the block; Z30
// is 128s.
#define STARTSIXTEEN(o, i, P, A, B, C, D)  \
	VPXORD        A, A, A              \
	VPXORD        Z28, Z28, Z28        \
	VPDPBUSD.BCST (o+0)(P), Z30, A     \
	VPDPBUSD.BCST (o+4)(P), Z30, A     \
	VPDPBUSD.BCST (o+8)(P), Z30, A     \
	VPDPBUSD.BCST (o+12)(P), Z30, A    \
	VPSUBD        A, Z28, A            \
	VMOVDQA64     A, B

// NVFP4 has scales for each 16 values: those of the low nibbles, those of the high ones.
#define NVLOW(ROWS, i)                       \
	VPANDD (128+128*i)(SI), Z29, Z24     \
	VPANDD (192+128*i)(SI), Z29, Z25     \
	TABLE                                \
	AHEAD                                \
	ROWS(DOT, (4*i))

#define NVHIGH(ROWS, i)                  \
	LINES(128, i)                    \
	HIGH                             \
	TABLE                            \
	AHEAD                            \
	ROWS(DOT, (16+4*i))

#define NVFP4(BLOCK, HALF, PART, ROWS) \
	ROWS(LOAD, 0)           \
BLOCK:                          \
	AHEAD                   \
	AHEAD                   \
	ROWS(STARTSIXTEEN, 0)   \
	NVLOW(ROWS, 0)          \
	NVLOW(ROWS, 1)          \
	NVLOW(ROWS, 2)          \
	NVLOW(ROWS, 3)          \
	SCALES                  \
	ROWS(SCALE, 0)          \
	ROWS(STARTSIXTEEN, 16)  \
	NVHIGH(ROWS, 0)         \
	NVHIGH(ROWS, 1)         \
	NVHIGH(ROWS, 2)         \
	NVHIGH(ROWS, 3)         \
	VCVTPH2PS 64(SI), Z26   \
	VCVTPH2PS 96(SI), Z27   \
	ROWS(SCALE, 0)          \
	ROWS(NEXT, 0)           \
	ADDQ $(128+512), SI     \
	DECQ CX                 \
	JNZ BLOCK               \
	ROWS(STORE, 0)          \
	END

DATA offset<>+0(SB)/4, $0x80808080
GLOBL offset<>(SB), RODATA|NOPTR, $4

// func vnniQ4_0(p *product)
TEXT ·vnniQ4_0(SB), NOSPLIT, $0-8
	BEGIN
	VPBROADCASTD nibble<>+0(SB), Z29
	VBROADCASTI32X4 q4<>(SB), Z31
	CHOOSE
one:
	N4(block1, SCALES, ROWS1)
two:
	N4(block2, SCALES, ROWS2)
three:
	N4(block3, SCALES, ROWS3)
four:
	N4(block4, SCALES, ROWS4)
five:
	N4(block5, SCALES, ROWS5)
six:
	N4(block6, SCALES, ROWS6)

// func vnniIQ4(p *product)
TEXT ·vnniIQ4(SB), NOSPLIT, $0-8
	BEGIN
	VPBROADCASTD nibble<>+0(SB), Z29
	VBROADCASTI32X4 iq4<>(SB), Z31
	CHOOSE
one:
	N4(block1, SCALES, ROWS1)
two:
	N4(block2, SCALES, ROWS2)
three:
	N4(block3, SCALES, ROWS3)
four:
	N4(block4, SCALES, ROWS4)
five:
	N4(block5, SCALES, ROWS5)
six:
	N4(block6, SCALES, ROWS6)

// func vnniFP4(p *product)
TEXT ·vnniFP4(SB), NOSPLIT, $0-8
	BEGIN
	VPBROADCASTD nibble<>+0(SB), Z29
	VBROADCASTI32X4 fp4<>(SB), Z31
	CHOOSE
one:
	N4(block1, POWERS, ROWS1)
two:
	N4(block2, POWERS, ROWS2)
three:
	N4(block3, POWERS, ROWS3)
four:
	N4(block4, POWERS, ROWS4)
five:
	N4(block5, POWERS, ROWS5)
six:
	N4(block6, POWERS, ROWS6)

// func vnniQ4_1(p *product)
TEXT ·vnniQ4_1(SB), NOSPLIT, $0-8
	BEGIN
	VPBROADCASTD nibble<>+0(SB), Z29
	BODIES(Q4_1)

// func vnniNVFP4(p *product)
TEXT ·vnniNVFP4(SB), NOSPLIT, $0-8
	BEGIN
	VPBROADCASTD nibble<>+0(SB), Z29
	VPBROADCASTD offset<>(SB), Z30
	VBROADCASTI32X4 fp4<>(SB), Z31
	BODIES(NVFP4)
