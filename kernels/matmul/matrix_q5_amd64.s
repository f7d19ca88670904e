#include "go_asm.h"
#include "textflag.h"
#include "matrix_amd64.h"
#include "matrix_q8_amd64.h"

// What the low nibbles of Q5_0 stand for, plus 128.
DATA q5<>+0(SB)/8, $0x7776757473727170
DATA q5<>+8(SB)/8, $0x7f7e7d7c7b7a7978
GLOBL q5<>(SB), RODATA|NOPTR, $16

#define Q5_0LINE(ROWS, i) \
	LINES(192, i)     \
	LOW               \
	TABLE             \
	FIFTH(64, i)      \
	AHEAD             \
	ROWS(DOT, (4*i))  \
	HIGH              \
	TABLE             \
	FIFTH(64, (4+i))  \
	AHEAD             \
	ROWS(DOT, (16+4*i))

#define Q5_0(BLOCK, HALF, PART, ROWS) \
	ROWS(LOAD, 0)          \
BLOCK:                         \
	AHEAD                  \
	AHEAD                  \
	ROWS(START, 0)         \
	Q5_0LINE(ROWS, 0)      \
	Q5_0LINE(ROWS, 1)      \
	Q5_0LINE(ROWS, 2)      \
	Q5_0LINE(ROWS, 3)      \
	SCALES                 \
	ROWS(SCALE, 0)         \
	AHEAD                  \
	AHEAD                  \
	ROWS(NEXT, 0)          \
	ADDQ $(64+128+512), SI \
	DECQ CX                \
	JNZ BLOCK              \
	ROWS(STORE, 0)         \
	END

#define Q5_1LINE(ROWS, i) \
	LINES(256, i)     \
	LOW               \
	FIFTH(128, i)     \
	AHEAD             \
	ROWS(DOT, (4*i))  \
	HIGH              \
	FIFTH(128, (4+i)) \
	AHEAD             \
	ROWS(DOT, (16+4*i))

#define Q5_1(BLOCK, HALF, PART, ROWS) \
	ROWS(LOAD, 0)           \
BLOCK:                          \
	AHEAD                   \
	AHEAD                   \
	ROWS(CLEAR, 0)          \
	Q5_1LINE(ROWS, 0)       \
	Q5_1LINE(ROWS, 1)       \
	Q5_1LINE(ROWS, 2)       \
	Q5_1LINE(ROWS, 3)       \
	SCALES                  \
	ROWS(SCALE, 0)          \
	VCVTPH2PS 64(SI), Z24   \
	VCVTPH2PS 96(SI), Z25   \
	ROWS(MINIMUM, 0)        \
	AHEAD                   \
	AHEAD                   \
	ROWS(NEXT, 0)           \
	ADDQ $(128+128+512), SI \
	DECQ CX                 \
	JNZ BLOCK               \
	ROWS(STORE, 0)          \
	END

// func vnniQ5_0(p *product)
TEXT ·vnniQ5_0(SB), NOSPLIT, $0-8
	BEGIN
	VPBROADCASTD nibble<>+0(SB), Z29
	VPBROADCASTD nibble<>+4(SB), Z30
	VBROADCASTI32X4 q5<>(SB), Z31
	BODIES(Q5_0)

// func vnniQ5_1(p *product)
TEXT ·vnniQ5_1(SB), NOSPLIT, $0-8
	BEGIN
	VPBROADCASTD nibble<>+0(SB), Z29
	VPBROADCASTD nibble<>+4(SB), Z30
	BODIES(Q5_1)
