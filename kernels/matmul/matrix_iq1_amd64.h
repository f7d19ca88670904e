// What the kernels of IQ1_S and IQ1_M share. Values are 8q less 7 or 9, times a scale. Where a nibble is odd
// it is the scale, 7 times which is the offset; where it is even the scale is 1 more, the offset 9 times.

DATA iq1<>+0(SB)/8, $0x313f232d151b0709 // 9 and 7 times 1, 3, 5, 7
DATA iq1<>+8(SB)/8, $0x69875b754d633f51 // and 9, 11, 13, 15
DATA iq1<>+16(SB)/4, $0x01010101
DATA iq1<>+20(SB)/4, $0x00ff00ff
DATA iq1<>+24(SB)/4, $0x000003c0 // a nibble times 64, 16, 4 and 1
DATA iq1<>+28(SB)/4, $0x000000f0
DATA iq1<>+32(SB)/4, $0x0000003c
DATA iq1<>+36(SB)/4, $0x0000000f
GLOBL iq1<>(SB), RODATA|NOPTR, $40

#define BYTEONES iq1<>+16(SB)
#define TIMES64 iq1<>+24(SB)
#define TIMES16 iq1<>+28(SB)
#define TIMES4 iq1<>+32(SB)
#define TIMES1 iq1<>+36(SB)

// LOWNIBBLES and HIGHNIBBLES have four a row of the panel's two halves in Z24 and Z25.
#define LOWNIBBLES(at)          \
	VPANDD at(SI), Z29, Z24 \
	VPANDD (at+64)(SI), Z29, Z25

#define HIGHNIBBLES(at)             \
	VPSRLW $4, at(SI), Z24      \
	VPSRLW $4, (at+64)(SI), Z25 \
	VPANDD Z24, Z29, Z24        \
	VPANDD Z25, Z29, Z25

// OFFSETS adds to the totals the offsets of nibbles in Z24 and Z25 times SUMS of the input: those of
// even bytes, then of odd ones.
#define OFFSETS(ROWS, SUMS, even, odd)     \
	VPSHUFB     Z24, Z31, Z24          \
	VPSHUFB     Z25, Z31, Z25          \
	VPANDD.BCST iq1<>+20(SB), Z24, Z26 \
	VPANDD.BCST iq1<>+20(SB), Z25, Z27 \
	ROWS(SUMS, even)                   \
	VPSRLW      $8, Z24, Z26           \
	VPSRLW      $8, Z25, Z27           \
	ROWS(SUMS, odd)

// NIBBLEOFFSETS sets up for nibbles and their offsets.
#define NIBBLEOFFSETS               \
	VPBROADCASTD    MASK0F, Z29 \
	VBROADCASTI32X4 iq1<>+0(SB), Z31

// Totals are -64 times what they are worth. EIGHTFOLD makes them that of offsets, which count eighths;
// LESSTOTAL takes sums of codes, times the scales in Z26 and Z27, off them.
#define EIGHTFOLD(o, i, P, A, B, C, D) \
	VPSLLD $3, C, C                \
	VPSLLD $3, D, D

// SCALESAT has a nibble of each of the half's words in Z26 and Z27, brought by OP by n to where it counts
// as often as mask says.
#define SCALESAT(OP, n, at, BASE, mask)  \
	OP $n, at(BASE)(R14*4), Z26      \
	OP $n, (at+64)(BASE)(R14*4), Z27 \
	VPANDD.BCST mask, Z26, Z26       \
	VPANDD.BCST mask, Z27, Z27

#define LESSTOTAL(o, i, P, A, B, C, D) \
	VPMULLD Z26, A, A              \
	VPMULLD Z27, B, B              \
	VPSUBD  A, C, C                \
	VPSUBD  B, D, D
