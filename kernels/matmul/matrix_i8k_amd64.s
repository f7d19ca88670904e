#include "go_asm.h"
#include "textflag.h"
#include "matrix_amd64.h"
#include "matrix_k_amd64.h"

// In this file R14 is 32 and AX 4096 times the half of the block, of 128 values.

// STARTH sets the sums to -128 times the input's, 4 times what it stores.
#define STARTH(o, i, P, A, B, C, D)                      \
	VPBROADCASTD (const_q8kOffsets+4*o)(P)(R14*1), A \
	VPSLLD       $2, A, A                            \
	VMOVDQA64    A, B

#define LINE(ROWS, j)                        \
	VMOVDQU64 (640+128*j)(SI)(AX*1), Z24 \
	VMOVDQU64 (704+128*j)(SI)(AX*1), Z25 \
	AHEAD                                \
	ROWS(DOTH, (4*j))                    \
	AHEAD

// SUB is sub-block s of 16 values.
#define SUB(ROWS, s)                         \
	VPMOVSXBD (128+32*s)(SI)(R14*8), Z26 \
	VPMOVSXBD (144+32*s)(SI)(R14*8), Z27 \
	AHEAD                                \
	ROWS(STARTH, s)                      \
	LINE(ROWS, (4*s+0))                  \
	LINE(ROWS, (4*s+1))                  \
	LINE(ROWS, (4*s+2))                  \
	LINE(ROWS, (4*s+3))                  \
	ROWS(TOTAL, 0)

#define I8K(BLOCK, HALF, PART, ROWS) \
	ROWS(LOADK, 0)           \
BLOCK:                           \
	ROWS(CLEARTOTAL, 0)      \
	XORL R14, R14            \
	XORL AX, AX              \
HALF:                            \
	SUB(ROWS, 0)             \
	SUB(ROWS, 1)             \
	SUB(ROWS, 2)             \
	SUB(ROWS, 3)             \
	SUB(ROWS, 4)             \
	SUB(ROWS, 5)             \
	SUB(ROWS, 6)             \
	SUB(ROWS, 7)             \
	ADDQ $32, R14            \
	ADDQ $4096, AX           \
	CMPQ AX, $8192           \
	JB   HALF                \
	VMOVUPS (SI), Z26        \
	VMOVUPS 64(SI), Z27      \
	ROWS(FLOATS, 0)          \
	ROWS(NEXTK, 0)           \
	ADDQ $(128+512+8192), SI \
	DECQ CX                  \
	JNZ  BLOCK               \
	ROWS(STOREK, 0)          \
	END

// func vnniI8K(p *product)
TEXT ·vnniI8K(SB), 0, $1344-8
	BEGIN
	ALIGN
	BODIES(I8K)
