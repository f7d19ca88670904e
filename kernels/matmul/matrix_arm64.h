// What the arm64 kernels share. They go over a panel once, block by block, and over each
// half of a block (16 of the panel's rows), whose results for an input row fill four
// registers. Registers:
//
//	R0       the product
//	R1       the block: the scales of the half at hand
//	R2-R7    where the input rows' prepared values are
//	R8       128, from a line to the next
//	R9       counts blocks, R11 halves
//	R10      the float sums of the half, 128 bytes an input row
//	R12, R13 lines, and the bits that go with them
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

#define LOADROW(o, i, P, A, B, C, D) \
	MOVD (product_x+8*(i))(R0), P

#define STEPROW(o, i, P, A, B, C, D) \
	ADD $(o), P

// CLEAR and OFFSET begin integer sums: with nothing, or with the input's offset shifted
// right by o bits, which takes a power of two back that codes are stored plus.
#define CLEAR(o, i, P, A, B, C, D) \
	ZEROV(A); ZEROV(B); ZEROV(C); ZEROV(D)

#define OFFSET(o, i, P, A, B, C, D)    \
	FMOVS const_q8Offset(P), F28   \
	DUPS(28, A); SSHRS(o, A, A)    \
	MOVV(A, B); MOVV(A, C); MOVV(A, D)

// SCALE adds finished integer sums, times the scales in V24 to V27 and the input's, which is
// o bytes on.
#define SCALE(o, i, P, A, B, C, D)                       \
	FMOVS o(P), F28                                  \
	SCALE2((128*(i)), 24, 25, A, B)                  \
	SCALE2((128*(i)+32), 26, 27, C, D)

#define SCALE2(at, w, w1, A, B)     \
	FLDPQ at(R10), (F30, F31)   \
	SCVTFS(A, A); SCVTFS(B, B)  \
	FMULLANE(28, w, 29)         \
	FMLAS(29, A, 30)            \
	FMULLANE(28, w1, 29)        \
	FMLAS(29, B, 31)            \
	FSTPQ (F30, F31), at(R10)

// HALVES reads 16 halves into V24 to V27.
#define HALVES(at)                            \
	FLDPQ at(R1), (F28, F29)              \
	FCVTLH(28, 24); FCVTL2H(28, 25)       \
	FCVTLH(29, 26); FCVTL2H(29, 27)

// BLOCK32 is the body for blocks of 32 values whose lines begin at the byte lines, and the
// bits that go with them at the byte bits.
#define BLOCK32(BLOCK, HALF, ROWS, START, o, LINES, SCALES, bits, lines, bytes) \
	ROWS(LOADROW, 0)                \
BLOCK:                                  \
	ADD  $bits, R1, R13             \
	ADD  $lines, R1, R12            \
	MOVD $2, R11                    \
HALF:                                   \
	ROWS(START, o)                  \
	LINES(ROWS)                     \
	SCALES(ROWS)                    \
	ADD  $64, R10                   \
	ADD  $(bits+8), R1, R13         \
	ADD  $(lines+64), R1, R12       \
	ADD  $32, R1                    \
	SUBS $1, R11                    \
	BNE  HALF                       \
	SUB  $128, R10                  \
	ADD  $(bytes-64), R1            \
	ROWS(STEPROW, const_q8Bytes)    \
	SUBS $1, R9                     \
	BNE  BLOCK                      \
	RET

// EACHROWS has BODY for every number of input rows.
#define EACHROWS(BODY)               \
	MOVD p+0(FP), R0             \
	MOVD sums+8(FP), R10         \
	MOVD $128, R8                \
	MOVD product_w(R0), R1       \
	MOVD product_blocks(R0), R9  \
	MOVD product_rows(R0), R11   \
	CMP  $2, R11                 \
	BLT  one                     \
	BEQ  two                     \
	CMP  $4, R11                 \
	BLT  three                   \
	BEQ  four                    \
	CMP  $6, R11                 \
	BLT  five                    \
	BEQ  six                     \
one:                                 \
	BODY(block1, half1, ROWS1)   \
two:                                 \
	BODY(block2, half2, ROWS2)   \
three:                               \
	BODY(block3, half3, ROWS3)   \
four:                                \
	BODY(block4, half4, ROWS4)   \
five:                                \
	BODY(block5, half5, ROWS5)   \
six:                                 \
	BODY(block6, half6, ROWS6)

#define SCALES(ROWS) \
	HALVES(0)    \
	ROWS(SCALE, const_q8Scale)

// LINE reads a line of codes.
#define LINE VLD1.P (R12)(R8), [V24.B16, V25.B16, V26.B16, V27.B16]

// I8LINE is for codes plus 128; V31 is 128.
#define I8LINE(ROWS, j)                  \
	LINE                             \
	VEOR V31.B16, V24.B16, V24.B16   \
	VEOR V31.B16, V25.B16, V25.B16   \
	VEOR V31.B16, V26.B16, V26.B16   \
	VEOR V31.B16, V27.B16, V27.B16   \
	ROWS(DOT, (4*(j)))

#define I8LINES(ROWS)                                                      \
	VMOVI $128, V31.B16                                                \
	I8LINE(ROWS, 0); I8LINE(ROWS, 1); I8LINE(ROWS, 2); I8LINE(ROWS, 3) \
	I8LINE(ROWS, 4); I8LINE(ROWS, 5); I8LINE(ROWS, 6); I8LINE(ROWS, 7)

#define I8(BLOCK, HALF, ROWS) \
	BLOCK32(BLOCK, HALF, ROWS, CLEAR, 0, I8LINES, SCALES, 0, 64, 1088)
