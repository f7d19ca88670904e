#include "go_asm.h"
#include "textflag.h"
#include "matrix_amd64.h"
#include "matrix_q8_amd64.h"

// Codes of 1 and 2 bits: a line of 64 bytes holds several fields of its values.

// STARTLESS sets the sums to -1 times the input's, which stores -128 times.
#define STARTLESS(o, i, P, A, B, C, D)   \
	VPBROADCASTD const_q8Offset(P), A \
	VPSRAD       $7, A, A             \
	VMOVDQA64    A, B

// FIELDLINE is line j of the field that the shift OP by n brings under the mask in Z29; its
// values are o bytes into the input's block.
#define FIELDLINE(ROWS, OP, n, o, j) \
	OP $n, (64+128*j)(SI), Z24   \
	OP $n, (128+128*j)(SI), Z25  \
	VPANDD Z24, Z29, Z24         \
	VPANDD Z25, Z29, Z25         \
	AHEAD                        \
	ROWS(DOT, (o+4*j))

#define FIELD(ROWS, OP, n, o)         \
	FIELDLINE(ROWS, OP, n, o, 0) \
	FIELDLINE(ROWS, OP, n, o, 1) \
	FIELDLINE(ROWS, OP, n, o, 2) \
	FIELDLINE(ROWS, OP, n, o, 3)

// PART is a block of the input: two fields.
#define PART(ROWS, OP1, n1, OP2, n2) \
	ROWS(STARTLESS, 0)           \
	FIELD(ROWS, OP1, n1, 0)      \
	FIELD(ROWS, OP2, n2, 16)     \
	ROWS(SCALE, 0)               \
	ROWS(NEXT, 0)

#define NEXTBLOCK(BLOCK, ROWS)  \
	ADDQ $(64+512), SI      \
	DECQ CX                 \
	JNZ  BLOCK              \
	ROWS(STORE, 0)          \
	END

#define Q2_0(BLOCK, HALF, REST, ROWS)    \
	ROWS(LOAD, 0)                    \
BLOCK:                                   \
	SCALES                           \
	PART(ROWS, VPSRLW, 0, VPSRLW, 2) \
	PART(ROWS, VPSRLW, 4, VPSRLW, 6) \
	NEXTBLOCK(BLOCK, ROWS)

#define Q1_0(BLOCK, HALF, REST, ROWS)    \
	ROWS(LOAD, 0)                    \
BLOCK:                                   \
	SCALES                           \
	PART(ROWS, VPSLLW, 1, VPSRLW, 0) \
	PART(ROWS, VPSRLW, 1, VPSRLW, 2) \
	PART(ROWS, VPSRLW, 3, VPSRLW, 4) \
	PART(ROWS, VPSRLW, 5, VPSRLW, 6) \
	NEXTBLOCK(BLOCK, ROWS)

DATA masks<>+0(SB)/4, $0x03030303
DATA masks<>+4(SB)/4, $0x02020202
GLOBL masks<>(SB), RODATA|NOPTR, $8

// func vnniQ2_0(p *product)
TEXT ·vnniQ2_0(SB), NOSPLIT, $0-8
	BEGIN
	VPBROADCASTD masks<>+0(SB), Z29
	BODIES(Q2_0)

// func vnniQ1_0(p *product)
TEXT ·vnniQ1_0(SB), NOSPLIT, $0-8
	BEGIN
	VPBROADCASTD masks<>+4(SB), Z29
	BODIES(Q1_0)
