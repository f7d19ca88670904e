// What kernels of 2-bit codes share that leave them where they are in their bytes: a code of field g
// counts 4^g there, so that each sum of products is brought to 64 times its worth afterwards. The
// lines of a block fetch ahead 32 times.

DATA inplace<>+0(SB)/4, $0x03030303
DATA inplace<>+4(SB)/4, $0x0c0c0c0c
DATA inplace<>+8(SB)/4, $0x30303030
DATA inplace<>+12(SB)/4, $0xc0c0c0c0
GLOBL inplace<>(SB), RODATA|NOPTR, $16

// FIELDLINE is line j of the half, which begins at the byte lines: codes of field g, whose mask is in Z29.
#define FIELDLINE(ROWS, lines, g, j)                \
	VPANDD (lines+128*j)(SI)(AX*2), Z29, Z24    \
	VPANDD (lines+64+128*j)(SI)(AX*2), Z29, Z25 \
	ROWS(DOTH, (32*g+4*j))

#define TWOLINES(ROWS, lines, g, j)      \
	AHEAD                            \
	FIELDLINE(ROWS, lines, g, (j+0)) \
	FIELDLINE(ROWS, lines, g, (j+1))

// FIELD sums the products of field g of the half.
#define FIELD(ROWS, lines, g)                 \
	VPBROADCASTD inplace<>+(4*g)(SB), Z29 \
	ROWS(CLEAR, 0)                        \
	TWOLINES(ROWS, lines, g, 0)           \
	TWOLINES(ROWS, lines, g, 2)           \
	TWOLINES(ROWS, lines, g, 4)           \
	TWOLINES(ROWS, lines, g, 6)

// One input row leaves registers for the sums of all four fields, Z0 to Z7, and their masks, Z16 to
// Z19, so that a line is loaded once instead of four times. FIELDn is ROWS1 with the sums of field n.
#define FIELD0(M, o) M(o, 0, R8, Z0, Z1, Z12, Z13)
#define FIELD1(M, o) M(o, 0, R8, Z2, Z3, Z12, Z13)
#define FIELD2(M, o) M(o, 0, R8, Z4, Z5, Z12, Z13)
#define FIELD3(M, o) M(o, 0, R8, Z6, Z7, Z12, Z13)

#define LOADMASKS                         \
	VPBROADCASTD inplace<>+0(SB), Z16 \
	VPBROADCASTD inplace<>+4(SB), Z17 \
	VPBROADCASTD inplace<>+8(SB), Z18 \
	VPBROADCASTD inplace<>+12(SB), Z19

#define CLEARFIELDS      \
	FIELD0(CLEAR, 0) \
	FIELD1(CLEAR, 0) \
	FIELD2(CLEAR, 0) \
	FIELD3(CLEAR, 0)

// MASKED multiplies the codes that MASK leaves of the line in Z26 and Z27.
#define MASKED(FIELDN, MASK, o) \
	VPANDD Z26, MASK, Z24   \
	VPANDD Z27, MASK, Z25   \
	FIELDN(DOTH, o)

#define ALLFIELDS(lines, j)                       \
	VMOVDQU64 (lines+128*j)(SI)(AX*2), Z26    \
	VMOVDQU64 (lines+64+128*j)(SI)(AX*2), Z27 \
	AHEAD                                     \
	MASKED(FIELD0, Z16, (4*j))                \
	MASKED(FIELD1, Z17, (32+4*j))             \
	AHEAD                                     \
	MASKED(FIELD2, Z18, (64+4*j))             \
	MASKED(FIELD3, Z19, (96+4*j))

#define FOURLINES(lines, j)     \
	ALLFIELDS(lines, (j+0)) \
	ALLFIELDS(lines, (j+1)) \
	ALLFIELDS(lines, (j+2)) \
	ALLFIELDS(lines, (j+3))

#define FIELDS(lines)       \
	LOADMASKS           \
	CLEARFIELDS         \
	FOURLINES(lines, 0) \
	FOURLINES(lines, 4)

// ONEROW and MOREROWS make of a kernel's BODY that for one input row, where FIELDS has the sums of all
// fields before they are used, and those for several, where FIELD has each one's when it is.
#define NOFIELDS(lines)
#define NOFIELD(ROWS, lines, g)

#define ONEROW(BODY, BLOCK, HALF) \
	BODY(BLOCK, HALF, ROWS1, FIELDS, NOFIELD, FIELD0, FIELD1, FIELD2, FIELD3)

#define MOREROWS(BODY, BLOCK, HALF, ROWS) \
	BODY(BLOCK, HALF, ROWS, NOFIELDS, FIELD, ROWS, ROWS, ROWS, ROWS)
