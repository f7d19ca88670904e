#include "go_asm.h"
#include "textflag.h"
#include "matrix_amd64.h"
#include "matrix_q8_amd64.h"

#define LINE(ROWS, j)                  \
	VMOVDQU64 (64+128*j)(SI), Z24  \
	VMOVDQU64 (128+128*j)(SI), Z25 \
	AHEAD                          \
	ROWS(DOT, (4*j))               \
	AHEAD

#define I8(BLOCK, HALF, PART, ROWS) \
	ROWS(LOAD, 0)       \
BLOCK:                      \
	AHEAD               \
	AHEAD               \
	ROWS(START, 0)      \
	LINE(ROWS, 0)       \
	LINE(ROWS, 1)       \
	LINE(ROWS, 2)       \
	LINE(ROWS, 3)       \
	LINE(ROWS, 4)       \
	LINE(ROWS, 5)       \
	LINE(ROWS, 6)       \
	LINE(ROWS, 7)       \
	SCALES              \
	ROWS(SCALE, 0)      \
	ROWS(NEXT, 0)       \
	ADDQ $(64+1024), SI \
	DECQ CX             \
	JNZ  BLOCK          \
	ROWS(STORE, 0)      \
	END

// func vnniI8(p *product)
TEXT ·vnniI8(SB), NOSPLIT, $0-8
	BEGIN
	BODIES(I8)

#undef AHEAD
#define AHEAD AHEADL2

// func vnniI8L2(p *product)
TEXT ·vnniI8L2(SB), NOSPLIT, $0-8
	BEGIN
	BODIES(I8)
