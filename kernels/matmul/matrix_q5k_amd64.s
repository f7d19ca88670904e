#include "go_asm.h"
#include "textflag.h"
#include "matrix_amd64.h"
#include "matrix_k_amd64.h"

// FIFTH adds 16 to the codes whose bits are set, s the sub-block in the quarter.
#define FIFTH(s, j)                            \
	KMOVQ  (512+128*s+16*j)(SI)(R14*4), K3 \
	KMOVQ  (520+128*s+16*j)(SI)(R14*4), K4 \
	VPADDB Z30, Z24, K3, Z24               \
	VPADDB Z30, Z25, K4, Z25               \
	AHEAD

#define LOW(ROWS, j)                            \
	VPANDD (1536+128*j)(SI)(AX*1), Z29, Z24 \
	VPANDD (1600+128*j)(SI)(AX*1), Z29, Z25 \
	FIFTH(0, j)                             \
	ROWS(DOTK, (4*j))

#define HIGH(ROWS, j)                          \
	VPSRLW $4, (1536+128*j)(SI)(AX*1), Z24 \
	VPSRLW $4, (1600+128*j)(SI)(AX*1), Z25 \
	VPANDD Z24, Z29, Z24                   \
	VPANDD Z25, Z29, Z25                   \
	FIFTH(1, j)                            \
	ROWS(DOTK, (32+4*j))

// The quarters are those of Q4_K.
#define Q5K(BLOCK, QUARTER, PART, ROWS) \
	ROWS(LOADK, 0)                \
BLOCK:                                \
	SCALESK                       \
	VPBROADCASTD MASK0F, Z29      \
	VPBROADCASTD MASK10, Z30      \
	ROWS(CLEARTOTAL, 0)           \
	XORL R14, R14                 \
	XORL AX, AX                   \
QUARTER:                              \
	SUBSCALES(0)                  \
	ROWS(CLEAR, 0)                \
	LOW(ROWS, 0)                  \
	LOW(ROWS, 1)                  \
	LOW(ROWS, 2)                  \
	LOW(ROWS, 3)                  \
	AHEAD                         \
	AHEAD                         \
	LOW(ROWS, 4)                  \
	LOW(ROWS, 5)                  \
	LOW(ROWS, 6)                  \
	LOW(ROWS, 7)                  \
	ROWS(TOTAL, 0)                \
	SUBSCALES(32)                 \
	ROWS(CLEAR, 0)                \
	AHEAD                         \
	AHEAD                         \
	HIGH(ROWS, 0)                 \
	HIGH(ROWS, 1)                 \
	HIGH(ROWS, 2)                 \
	HIGH(ROWS, 3)                 \
	AHEAD                         \
	AHEAD                         \
	HIGH(ROWS, 4)                 \
	HIGH(ROWS, 5)                 \
	HIGH(ROWS, 6)                 \
	HIGH(ROWS, 7)                 \
	ROWS(TOTAL, 0)                \
	ADDQ $64, R14                 \
	ADDQ $1024, AX                \
	CMPQ AX, $4096                \
	JB   QUARTER                  \
	ENDK(ROWS)                    \
	ADDQ $(128+384+1024+4096), SI \
	DECQ CX                       \
	JNZ  BLOCK                    \
	ROWS(STOREK, 0)               \
	END

// func vnniQ5K(p *product)
TEXT ·vnniQ5K(SB), 0, $1344-8
	BEGIN
	ALIGN
	BODIES(Q5K)

#undef AHEAD
#define AHEAD AHEADL2

// func vnniQ5KL2(p *product)
TEXT ·vnniQ5KL2(SB), 0, $1344-8
	BEGIN
	ALIGN
	BODIES(Q5K)
