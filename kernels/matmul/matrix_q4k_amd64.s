#include "go_asm.h"
#include "textflag.h"
#include "matrix_amd64.h"
#include "matrix_k_amd64.h"

#define LOW(ROWS, j)                           \
	VPANDD (512+128*j)(SI)(AX*1), Z29, Z24 \
	VPANDD (576+128*j)(SI)(AX*1), Z29, Z25 \
	AHEAD                                  \
	ROWS(DOTK, (4*j))

#define HIGH(ROWS, j)                         \
	VPSRLW $4, (512+128*j)(SI)(AX*1), Z24 \
	VPSRLW $4, (576+128*j)(SI)(AX*1), Z25 \
	VPANDD Z24, Z29, Z24                  \
	VPANDD Z25, Z29, Z25                  \
	AHEAD                                 \
	ROWS(DOTK, (32+4*j))

// A quarter of a block is two sub-blocks in the nibbles of 8 lines: R14 counts
// values, AX bytes of lines.
#define Q4K(BLOCK, QUARTER, PART, ROWS) \
	ROWS(LOADK, 0)            \
BLOCK:                            \
	SCALESK                   \
	VPBROADCASTD MASK0F, Z29  \
	ROWS(CLEARTOTAL, 0)       \
	XORL R14, R14             \
	XORL AX, AX               \
QUARTER:                          \
	SUBSCALES(0)              \
	ROWS(CLEAR, 0)            \
	LOW(ROWS, 0)              \
	LOW(ROWS, 1)              \
	LOW(ROWS, 2)              \
	LOW(ROWS, 3)              \
	LOW(ROWS, 4)              \
	LOW(ROWS, 5)              \
	LOW(ROWS, 6)              \
	LOW(ROWS, 7)              \
	ROWS(TOTAL, 0)            \
	SUBSCALES(32)             \
	ROWS(CLEAR, 0)            \
	HIGH(ROWS, 0)             \
	HIGH(ROWS, 1)             \
	HIGH(ROWS, 2)             \
	HIGH(ROWS, 3)             \
	HIGH(ROWS, 4)             \
	HIGH(ROWS, 5)             \
	HIGH(ROWS, 6)             \
	HIGH(ROWS, 7)             \
	ROWS(TOTAL, 0)            \
	ADDQ $64, R14             \
	ADDQ $1024, AX            \
	CMPQ AX, $4096            \
	JB   QUARTER              \
	ENDK(ROWS)                \
	ADDQ $(128+384+4096), SI  \
	DECQ CX                   \
	JNZ  BLOCK                \
	ROWS(STOREK, 0)           \
	END

// func vnniQ4K(p *product)
TEXT ·vnniQ4K(SB), 0, $1344-8
	BEGIN
	ALIGN
	BODIES(Q4K)

#undef AHEAD
#define AHEAD AHEADL2

// func vnniQ4KL2(p *product)
TEXT ·vnniQ4KL2(SB), 0, $1344-8
	BEGIN
	ALIGN
	BODIES(Q4K)
