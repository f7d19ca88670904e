#include "go_asm.h"
#include "textflag.h"
#include "matrix_amd64.h"
#include "matrix_k_amd64.h"
#include "matrix_twobit_amd64.h"
#include "matrix_inplace_amd64.h"

// IQ2: values are one of three magnitudes with a sign. A byte of codes and a nibble of signs are four
// fields; each has a table that finds its code and sign where they are, whatever is beside them. Masks
// for the signs would have to be loaded, one in two clocks.

// What fields 0 to 3 stand for, plus 64: codes in bits 0-1, 2-3, 0-1, 2-3, signs in 2, 0, 3, 1.
DATA iq2<>+0(SB)/8, $0x40152738406b5948
DATA iq2<>+8(SB)/8, $0x40152738406b5948
DATA iq2<>+16(SB)/8, $0x2759275938483848
DATA iq2<>+24(SB)/8, $0x40404040156b156b
DATA iq2<>+32(SB)/8, $0x406b5948406b5948
DATA iq2<>+40(SB)/8, $0x4015273840152738
DATA iq2<>+48(SB)/8, $0x2727595938384848
DATA iq2<>+56(SB)/8, $0x4040404015156b6b
DATA iq2<>+64(SB)/4, $0x00000001
DATA iq2<>+68(SB)/4, $0x0000001e
DATA iq2<>+72(SB)/4, $0x3e000000 // 1/8
GLOBL iq2<>(SB), RODATA|NOPTR, $76

#define ONE iq2<>+64(SB)
#define TWICE iq2<>+68(SB)
#define EIGHTH iq2<>+72(SB)

// FIVEAHEAD is what a block fetches beside its lines.
#define FIVEAHEAD \
	AHEAD     \
	AHEAD     \
	AHEAD     \
	AHEAD     \
	AHEAD

// START64 sets the sums to -64 times the input's.
#define START64(o, i, P, A, B, C, D)                     \
	VPBROADCASTD (const_q8kOffsets+4*o)(P)(R14*1), A \
	VPADDD       A, A, A                             \
	VMOVDQA64    A, B

// EVENSIGNS and ODDSIGNS read the nibbles of lines 2j and 2j+1.
#define EVENSIGNS(j, A, B)                   \
	VPANDD (320+128*j)(SI)(AX*1), Z29, A \
	VPANDD (384+128*j)(SI)(AX*1), Z29, B

#define ODDSIGNS(j, A, B)                   \
	VPSRLW $4, (320+128*j)(SI)(AX*1), A \
	VPSRLW $4, (384+128*j)(SI)(AX*1), B \
	VPANDD A, Z29, A                    \
	VPANDD B, Z29, B

// IQ2LOW and IQ2HIGH put the codes of a low or high field, whose mask is in Z31, beside the signs in
// Z24 and Z25.
#define IQ2LOW(j)                                          \
	VPTERNLOGD $0xb8, (1344+128*j)(SI)(AX*2), Z31, Z24 \
	VPTERNLOGD $0xb8, (1408+128*j)(SI)(AX*2), Z31, Z25

#define IQ2HIGH(j)                                 \
	VPSRLW     $4, (1344+128*j)(SI)(AX*2), Z26 \
	VPSRLW     $4, (1408+128*j)(SI)(AX*2), Z27 \
	VPTERNLOGD $0xb8, Z26, Z31, Z24            \
	VPTERNLOGD $0xb8, Z27, Z31, Z25

#define IQ2LINE(ROWS, CODES, SIGNS, g, j) \
	SIGNS((j/2), Z24, Z25)            \
	CODES(j)                          \
	VPSHUFB Z24, Z30, Z24             \
	VPSHUFB Z25, Z30, Z25             \
	ROWS(DOTH, (32*g+4*j))

// IQ2SCALES has twice the nibbles that OP by n brings there, plus 1, which ONES are.
#define IQ2SCALES(OP, n, ONES)                  \
	OP              $n, 64(SI)(R14*4), Z26  \
	OP              $n, 128(SI)(R14*4), Z27 \
	VPTERNLOGD.BCST $0xec, TWICE, ONES, Z26 \
	VPTERNLOGD.BCST $0xec, TWICE, ONES, Z27

#define IQ2SUB(ROWS, CODES, g, u, OP, n)            \
	ROWS(START64, (2*g+u))                      \
	AHEAD                                       \
	IQ2LINE(ROWS, CODES, EVENSIGNS, g, (4*u+0)) \
	AHEAD                                       \
	IQ2LINE(ROWS, CODES, ODDSIGNS, g, (4*u+1))  \
	AHEAD                                       \
	IQ2LINE(ROWS, CODES, EVENSIGNS, g, (4*u+2)) \
	IQ2LINE(ROWS, CODES, ODDSIGNS, g, (4*u+3))  \
	VPBROADCASTD ONE, Z24                       \
	IQ2SCALES(OP, n, Z24)                       \
	ROWS(TOTAL, 0)

// IQ2FIELD is the two sub-blocks of field g.
#define IQ2FIELD(ROWS, CODES, g, OP, n, m)           \
	VBROADCASTI32X4 iq2<>+(16*g)(SB), Z30        \
	VPBROADCASTD    inplace<>+(4*(g%2))(SB), Z31 \
	IQ2SUB(ROWS, CODES, g, 0, OP, n)             \
	IQ2SUB(ROWS, CODES, g, 1, VPSRLD, m)

#define IQ2(BLOCK, HALF, ROWS)                     \
	ROWS(LOADK, 0)                             \
BLOCK:                                             \
	FIVEAHEAD                                  \
	VPBROADCASTD MASK0F, Z29                   \
	ROWS(CLEARTOTAL, 0)                        \
	FIRSTHALF                                  \
HALF:                                              \
	IQ2FIELD(ROWS, IQ2LOW, 0, VPSLLD, 1, 3)    \
	IQ2FIELD(ROWS, IQ2LOW, 1, VPSRLD, 7, 11)   \
	IQ2FIELD(ROWS, IQ2HIGH, 2, VPSRLD, 15, 19) \
	IQ2FIELD(ROWS, IQ2HIGH, 3, VPSRLD, 23, 27) \
	NEXTHALF(HALF)                             \
	HALFTIMES(ROWS, EIGHTH)                    \
	NEXTBLOCK(BLOCK, 3392, ROWS)

// LOOKUP multiplies one field of the codes A and B and the signs in Z22 and Z23.
#define LOOKUP(FIELDN, A, B, MASK, TABLE, o) \
	VMOVDQA64  Z22, Z24                  \
	VMOVDQA64  Z23, Z25                  \
	VPTERNLOGD $0xb8, A, MASK, Z24       \
	VPTERNLOGD $0xb8, B, MASK, Z25       \
	VPSHUFB    Z24, TABLE, Z24           \
	VPSHUFB    Z25, TABLE, Z25           \
	FIELDN(DOTH, o)

#define LOOKUPS(SIGNS, j)                            \
	SIGNS((j/2), Z22, Z23)                       \
	VMOVDQU64 (1344+128*j)(SI)(AX*2), Z26        \
	VMOVDQU64 (1408+128*j)(SI)(AX*2), Z27        \
	AHEAD                                        \
	LOOKUP(FIELD0, Z26, Z27, Z20, Z16, (4*j))    \
	AHEAD                                        \
	LOOKUP(FIELD1, Z26, Z27, Z21, Z17, (32+4*j)) \
	VPSRLW $4, Z26, Z26                          \
	VPSRLW $4, Z27, Z27                          \
	AHEAD                                        \
	LOOKUP(FIELD2, Z26, Z27, Z20, Z18, (64+4*j)) \
	LOOKUP(FIELD3, Z26, Z27, Z21, Z19, (96+4*j))

// IQ2SUBS is the first or second sub-block of every field; OP is for field 0.
#define IQ2SUBS(u, OP, n0, n1, n2, n3) \
	FIELD0(START64, (0+u))         \
	FIELD1(START64, (2+u))         \
	FIELD2(START64, (4+u))         \
	FIELD3(START64, (6+u))         \
	LOOKUPS(EVENSIGNS, (4*u+0))    \
	LOOKUPS(ODDSIGNS, (4*u+1))     \
	LOOKUPS(EVENSIGNS, (4*u+2))    \
	LOOKUPS(ODDSIGNS, (4*u+3))     \
	IQ2SCALES(OP, n0, Z31)         \
	FIELD0(TOTAL, 0)               \
	IQ2SCALES(VPSRLD, n1, Z31)     \
	FIELD1(TOTAL, 0)               \
	IQ2SCALES(VPSRLD, n2, Z31)     \
	FIELD2(TOTAL, 0)               \
	IQ2SCALES(VPSRLD, n3, Z31)     \
	FIELD3(TOTAL, 0)

// IQ2ONE has tables in Z16 to Z19 and masks in Z20 and Z21.
#define IQ2ONE(BLOCK, HALF)                  \
	ROWS1(LOADK, 0)                      \
	VPBROADCASTD    MASK0F, Z29          \
	VBROADCASTI32X4 iq2<>+0(SB), Z16     \
	VBROADCASTI32X4 iq2<>+16(SB), Z17    \
	VBROADCASTI32X4 iq2<>+32(SB), Z18    \
	VBROADCASTI32X4 iq2<>+48(SB), Z19    \
	VPBROADCASTD    inplace<>+0(SB), Z20 \
	VPBROADCASTD    inplace<>+4(SB), Z21 \
BLOCK:                                       \
	FIVEAHEAD                            \
	VPBROADCASTD ONE, Z31                \
	ROWS1(CLEARTOTAL, 0)                 \
	FIRSTHALF                            \
HALF:                                        \
	IQ2SUBS(0, VPSLLD, 1, 7, 15, 23)     \
	IQ2SUBS(1, VPSRLD, 3, 11, 19, 27)    \
	NEXTHALF(HALF)                       \
	HALFTIMES(ROWS1, EIGHTH)             \
	NEXTBLOCK(BLOCK, 3392, ROWS1)

// func vnniIQ2(p *product)
TEXT ·vnniIQ2(SB), 0, $1344-8
	BEGIN
	ALIGN
	CHOOSE
one:
	IQ2ONE(block1, half1)
two:
	IQ2(block2, half2, ROWS2)
three:
	IQ2(block3, half3, ROWS3)
four:
	IQ2(block4, half4, ROWS4)
five:
	IQ2(block5, half5, ROWS5)
six:
	IQ2(block6, half6, ROWS6)
