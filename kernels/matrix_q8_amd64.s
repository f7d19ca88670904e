#include "go_asm.h"
#include "textflag.h"
#include "matrix_amd64.h"

// START sets the sums to -128 times the input's: codes are stored plus 128.
#define START(o, i, P, A, B, C, D) \
	VPBROADCASTD const_q8Offset(P), A \
	VMOVDQA64    A, B

// SCALE adds a finished block: sums times the scales in Z26, Z27 and the input's.
#define SCALE(o, i, P, A, B, C, D) \
	VBROADCASTSS const_q8Scale(P), Z28 \
	VCVTDQ2PS    A, A                  \
	VCVTDQ2PS    B, B                  \
	VMULPS       Z28, Z26, Z29         \
	VMULPS       Z28, Z27, Z30         \
	VFMADD231PS  Z29, A, C             \
	VFMADD231PS  Z30, B, D             \
	ADDQ         $const_q8Bytes, P

#define LINE(ROWS, j) \
	VMOVDQU64 (64+128*j)(SI), Z24  \
	VMOVDQU64 (128+128*j)(SI), Z25 \
	AHEAD                          \
	ROWS(DOT, (4*j))               \
	AHEAD

#define I8(BLOCK, ROWS) \
	ROWS(LOAD, 0)         \
BLOCK:                        \
	AHEAD                 \
	AHEAD                 \
	VCVTPH2PS (SI), Z26   \
	VCVTPH2PS 32(SI), Z27 \
	ROWS(START, 0)        \
	LINE(ROWS, 0)         \
	LINE(ROWS, 1)         \
	LINE(ROWS, 2)         \
	LINE(ROWS, 3)         \
	LINE(ROWS, 4)         \
	LINE(ROWS, 5)         \
	LINE(ROWS, 6)         \
	LINE(ROWS, 7)         \
	ROWS(SCALE, 0)        \
	ADDQ $(64+1024), SI   \
	DECQ CX               \
	JNZ  BLOCK            \
	ROWS(STORE, 0)        \
	END

// func vnniI8(p *product)
TEXT ·vnniI8(SB), NOSPLIT, $0-8
	BEGIN
	CHOOSE
one:
	I8(block1, ROWS1)
two:
	I8(block2, ROWS2)
three:
	I8(block3, ROWS3)
four:
	I8(block4, ROWS4)
five:
	I8(block5, ROWS5)
six:
	I8(block6, ROWS6)
