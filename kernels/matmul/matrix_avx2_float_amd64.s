#include "go_asm.h"
#include "textflag.h"
#include "matrix_avx2_amd64.h"

// OCTFMA adds the products of one value of an input row and the weights in Y12.
#define OCTFMA(o, i, P, A, C)    \
	VBROADCASTSS (P), Y14    \
	VFMADD231PS  Y14, Y12, C \
	ADDQ         $4, P

// OCTPAIR is the same for two BF16 values, weights in Y12 and Y13: the second first.
#define OCTPAIR(o, i, P, A, C)     \
	VPBROADCASTD (P), Y14      \
	VPBROADCASTD UPPER, A      \
	VPAND        Y14, A, A     \
	VFMADD231PS  A, Y13, C     \
	VPSLLD       $16, Y14, Y14 \
	VFMADD231PS  Y14, Y12, C   \
	ADDQ         $4, P

#define OCTF32(ROWS)             \
	VMOVUPS (SI)(R15*8), Y12 \
	ROWS(OCTFMA, 0)

#define OCTF16(ROWS)               \
	VCVTPH2PS (SI)(R15*4), Y12 \
	ROWS(OCTFMA, 0)

#define OCTBF16(ROWS)                 \
	VMOVDQU      (SI)(R15*8), Y12 \
	VPBROADCASTD UPPER, Y13       \
	VPAND        Y12, Y13, Y13    \
	VPSLLD       $16, Y12, Y12    \
	ROWS(OCTPAIR, 0)

#define OCTFLOAT(OCTET, BLOCK, STEP, bytes, ROWS) \
OCTET:                                            \
	OCTPASS                                   \
	ROWS(OCTLOAD, 0)                          \
BLOCK:                                            \
	STEP(ROWS)                                \
	ADDQ $bytes, SI                           \
	DECQ CX                                   \
	JNZ  BLOCK                                \
	OCTMASK                                   \
	ROWS(OCTSTORE, 0)                         \
	OCTNEXT(OCTET)

// func avx2F32(p *product)
TEXT ·avx2F32(SB), NOSPLIT, $0-8
	OCTBEGIN
	OCTCHOOSE
one:
	OCTFLOAT(octet1, block1, OCTF32, 128, OCTROWS1)
two:
	OCTFLOAT(octet2, block2, OCTF32, 128, OCTROWS2)
three:
	OCTFLOAT(octet3, block3, OCTF32, 128, OCTROWS3)
four:
	OCTFLOAT(octet4, block4, OCTF32, 128, OCTROWS4)
five:
	OCTFLOAT(octet5, block5, OCTF32, 128, OCTROWS5)
six:
	OCTFLOAT(octet6, block6, OCTF32, 128, OCTROWS6)

// func avx2F16(p *product)
TEXT ·avx2F16(SB), NOSPLIT, $0-8
	OCTBEGIN
	OCTCHOOSE
one:
	OCTFLOAT(octet1, block1, OCTF16, 64, OCTROWS1)
two:
	OCTFLOAT(octet2, block2, OCTF16, 64, OCTROWS2)
three:
	OCTFLOAT(octet3, block3, OCTF16, 64, OCTROWS3)
four:
	OCTFLOAT(octet4, block4, OCTF16, 64, OCTROWS4)
five:
	OCTFLOAT(octet5, block5, OCTF16, 64, OCTROWS5)
six:
	OCTFLOAT(octet6, block6, OCTF16, 64, OCTROWS6)

// func avx2BF16(p *product)
TEXT ·avx2BF16(SB), NOSPLIT, $0-8
	OCTBEGIN
	OCTCHOOSE
one:
	OCTFLOAT(octet1, block1, OCTBF16, 128, OCTROWS1)
two:
	OCTFLOAT(octet2, block2, OCTBF16, 128, OCTROWS2)
three:
	OCTFLOAT(octet3, block3, OCTBF16, 128, OCTROWS3)
four:
	OCTFLOAT(octet4, block4, OCTBF16, 128, OCTROWS4)
five:
	OCTFLOAT(octet5, block5, OCTBF16, 128, OCTROWS5)
six:
	OCTFLOAT(octet6, block6, OCTBF16, 128, OCTROWS6)
