// What the arm64 kernels share. They go over a panel once, block by block, and over each
// half of a block (16 of the panel's rows), whose results for an input row fill four
// registers. Registers:
//
//	R0       the product
//	R1       the block; 32 bytes more for the second half, where its F16 scales are
//	R2-R7    where the input rows' prepared values are
//	R8       128, from a line to the next
//	R9, R11  count blocks and halves
//	R10      the float sums of the half, 128 bytes an input row
//	R12      lines of codes
//	R13      bits that go with them
//	V0-V23   integer sums, four an input row
//	V24-V27  a line of codes, or scales
//	V28-V31  free; V28 to V30 do not outlast a DOT
//
// ROWSn(M, o) applies M to n input rows: M(o, number, pointer, four sums).
#define ROWS1(M, o) M(o, 0, R2, 0, 1, 2, 3)
#define ROWS2(M, o) ROWS1(M, o); M(o, 1, R3, 4, 5, 6, 7)
#define ROWS3(M, o) ROWS2(M, o); M(o, 2, R4, 8, 9, 10, 11)
#define ROWS4(M, o) ROWS3(M, o); M(o, 3, R5, 12, 13, 14, 15)
#define ROWS5(M, o) ROWS4(M, o); M(o, 4, R6, 16, 17, 18, 19)
#define ROWS6(M, o) ROWS5(M, o); M(o, 5, R7, 20, 21, 22, 23)

// EACHROWS has BODY for every number of input rows.
#define EACHROWS(BODY)                    \
	MOVD p+0(FP), R0                  \
	MOVD sums+8(FP), R10              \
	MOVD $128, R8                     \
	MOVD product_w(R0), R1            \
	MOVD product_blocks(R0), R9       \
	MOVD product_rows(R0), R11        \
	CMP  $2, R11                      \
	BLT  one                          \
	BEQ  two                          \
	CMP  $4, R11                      \
	BLT  three                        \
	BEQ  four                         \
	CMP  $6, R11                      \
	BLT  five                         \
	BEQ  six                          \
one:                                      \
	BODY(block1, half1, part1, ROWS1) \
two:                                      \
	BODY(block2, half2, part2, ROWS2) \
three:                                    \
	BODY(block3, half3, part3, ROWS3) \
four:                                     \
	BODY(block4, half4, part4, ROWS4) \
five:                                     \
	BODY(block5, half5, part5, ROWS5) \
six:                                      \
	BODY(block6, half6, part6, ROWS6)

#define LOADROW(o, i, P, A, B, C, D) \
	MOVD (product_x+8*(i))(R0), P

#define STEPROW(o, i, P, A, B, C, D) \
	ADD $(o), P

// BLOCKS is the body for blocks of so many bytes, whose lines begin at the byte lines and
// the bits at the byte bits, those of the second half bitsHalf on.
#define BLOCKS(BLOCK, HALF, PART, ROWS, HALFBODY, bits, bitsHalf, lines, bytes, inputBytes) \
	ROWS(LOADROW, 0)                                                                    \
BLOCK:                                                                                      \
	ADD  $(bits), R1, R13                                                               \
	ADD  $(lines), R1, R12                                                              \
	MOVD $2, R11                                                                        \
HALF:                                                                                       \
	HALFBODY(PART, ROWS)                                                                \
	ADD  $64, R10                                                                       \
	ADD  $(bits+bitsHalf), R1, R13                                                      \
	ADD  $(lines+64), R1, R12                                                           \
	ADD  $32, R1                                                                        \
	SUBS $1, R11                                                                        \
	BNE  HALF                                                                           \
	SUB  $128, R10                                                                      \
	ADD  $(bytes-64), R1                                                                \
	ROWS(STEPROW, inputBytes)                                                           \
	SUBS $1, R9                                                                         \
	BNE  BLOCK                                                                          \
	RET

// CLEAR begins integer sums.
#define CLEAR(o, i, P, A, B, C, D) \
	ZEROV(A); ZEROV(B); ZEROV(C); ZEROV(D)

// SCALE adds finished integer sums, times the scales in V24 to V27 and the input's, which is
// o bytes on.
#define SCALE(o, i, P, A, B, C, D)      \
	FMOVS (o)(P), F28               \
	SCALE2((128*(i)), 24, 25, A, B) \
	SCALE2((128*(i)+32), 26, 27, C, D)

#define SCALE2(at, w, w1, A, B)    \
	FLDPQ at(R10), (F30, F31)  \
	SCVTFS(A, A); SCVTFS(B, B) \
	FMULLANE(28, w, 29)        \
	FMLAS(29, A, 30)           \
	FMULLANE(28, w1, 29)       \
	FMLAS(29, B, 31)           \
	FSTPQ (F30, F31), at(R10)

// HALVES reads 16 halves into V24 to V27.
#define HALVES(at)                      \
	FLDPQ at(R1), (F28, F29)        \
	FCVTLH(28, 24); FCVTL2H(28, 25) \
	FCVTLH(29, 26); FCVTL2H(29, 27)

// LINE reads a line of codes; STAY does not go on to the next one.
#define LINE VLD1.P (R12)(R8), [V24.B16, V25.B16, V26.B16, V27.B16]
#define STAY VLD1 (R12), [V24.B16, V25.B16, V26.B16, V27.B16]

// FLIP is for codes plus 128; V31 is 128.
#define FLIP                           \
	VEOR V31.B16, V24.B16, V24.B16 \
	VEOR V31.B16, V25.B16, V25.B16 \
	VEOR V31.B16, V26.B16, V26.B16 \
	VEOR V31.B16, V27.B16, V27.B16

// MASK leaves a line's low bits, those of V31.
#define MASK                           \
	VAND V31.B16, V24.B16, V24.B16 \
	VAND V31.B16, V25.B16, V25.B16 \
	VAND V31.B16, V26.B16, V26.B16 \
	VAND V31.B16, V27.B16, V27.B16

// DOWN shifts a line's codes right.
#define DOWN(n)                    \
	VUSHR $n, V24.B16, V24.B16 \
	VUSHR $n, V25.B16, V25.B16 \
	VUSHR $n, V26.B16, V26.B16 \
	VUSHR $n, V27.B16, V27.B16

// TABLE replaces nibbles by what they stand for, 8 to 15 and 0 to 7.
#define TABLE(high, low)                 \
	VMOVQ $low, $high, V30           \
	VTBL V24.B16, [V30.B16], V24.B16 \
	VTBL V25.B16, [V30.B16], V25.B16 \
	VTBL V26.B16, [V30.B16], V26.B16 \
	VTBL V27.B16, [V30.B16], V27.B16

// TOP puts a bit on top of a line's codes of n bits, whatever else is there: the 64 bits at
// a place after R13, one a code. V29 has the numbers of two bytes, eight times each, and V30
// a byte's bits.
#define TOP(n, at)                                          \
	FMOVD (at)(R13), F28                                \
	VMOVQ $0, $0x0101010101010101, V29                  \
	VMOVQ $0x8040201008040201, $0x8040201008040201, V30 \
	TOPQUARTER(n, V24)                                  \
	TOPQUARTER(n, V25)                                  \
	TOPQUARTER(n, V26)                                  \
	TOPQUARTER(n, V27)

#define TOPQUARTER(n, W)                     \
	VTBL   V29.B16, [V28.B16], V31.B16   \
	VEXT   $2, V28.B16, V28.B16, V28.B16 \
	VCMTST V30.B16, V31.B16, V31.B16     \
	VUSHR  $7, V31.B16, V31.B16          \
	VSLI   $n, V31.B16, W.B16
