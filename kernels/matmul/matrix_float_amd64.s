#include "go_asm.h"
#include "textflag.h"
#include "matrix_amd64.h"

// FMA adds the products of one value of an input row, o bytes on, and the weights
// in Z24 and Z25.
#define FMA(o, i, P, A, B, C, D) \
	VBROADCASTSS o(P), Z28   \
	VFMADD231PS  Z28, Z24, C \
	VFMADD231PS  Z28, Z25, D

#define STEP4(o, i, P, A, B, C, D) \
	ADDQ $16, P

#define STEP1(o, i, P, A, B, C, D) \
	ADDQ $4, P

#define READ32(ROWS, k)             \
	VMOVUPS (128*k)(SI), Z24    \
	VMOVUPS (128*k+64)(SI), Z25 \
	AHEAD                       \
	ROWS(FMA, (4*k))            \
	AHEAD

#define READ16(ROWS, k)              \
	VCVTPH2PS (64*k)(SI), Z24    \
	VCVTPH2PS (64*k+32)(SI), Z25 \
	AHEAD                        \
	ROWS(FMA, (4*k))

// FLOAT goes on 4 values at a time, then one; READ takes bytes a value.
#define FLOAT(FOUR, LEFT, ONE, DONE, READ, bytes, ROWS) \
	ROWS(LOAD, 0)                                   \
	MOVQ CX, AX                                     \
	SHRQ $2, CX                                     \
	JZ   LEFT                                       \
FOUR:                                                   \
	READ(ROWS, 0)                                   \
	READ(ROWS, 1)                                   \
	READ(ROWS, 2)                                   \
	READ(ROWS, 3)                                   \
	ROWS(STEP4, 0)                                  \
	ADDQ $(4*bytes), SI                             \
	DECQ CX                                         \
	JNZ  FOUR                                       \
LEFT:                                                   \
	ANDQ $3, AX                                     \
	JZ   DONE                                       \
ONE:                                                    \
	READ(ROWS, 0)                                   \
	ROWS(STEP1, 0)                                  \
	ADDQ $bytes, SI                                 \
	DECQ AX                                         \
	JNZ  ONE                                        \
DONE:                                                   \
	ROWS(STORE, 0)                                  \
	END

// func avx512F32(p *product)
TEXT ·avx512F32(SB), NOSPLIT, $0-8
	BEGIN
	CHOOSE
one:
	FLOAT(four1, left1, one1, done1, READ32, 128, ROWS1)
two:
	FLOAT(four2, left2, one2, done2, READ32, 128, ROWS2)
three:
	FLOAT(four3, left3, one3, done3, READ32, 128, ROWS3)
four:
	FLOAT(four4, left4, one4, done4, READ32, 128, ROWS4)
five:
	FLOAT(four5, left5, one5, done5, READ32, 128, ROWS5)
six:
	FLOAT(four6, left6, one6, done6, READ32, 128, ROWS6)

// func avx512F16(p *product)
TEXT ·avx512F16(SB), NOSPLIT, $0-8
	BEGIN
	CHOOSE
one:
	FLOAT(four1, left1, one1, done1, READ16, 64, ROWS1)
two:
	FLOAT(four2, left2, one2, done2, READ16, 64, ROWS2)
three:
	FLOAT(four3, left3, one3, done3, READ16, 64, ROWS3)
four:
	FLOAT(four4, left4, one4, done4, READ16, 64, ROWS4)
five:
	FLOAT(four5, left5, one5, done5, READ16, 64, ROWS5)
six:
	FLOAT(four6, left6, one6, done6, READ16, 64, ROWS6)
