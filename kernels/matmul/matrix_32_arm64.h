// The arm64 kernels' bodies for blocks of 32 values.

// OFFSET begins integer sums with what takes an offset back that all codes are stored
// plus: 128, shifted right by o.
#define OFFSET(o, i, P, A, B, C, D)  \
	FMOVS const_q8Offset(P), F28 \
	DUPS(28, A); SSHRS(o, A, A)  \
	MOVV(A, B); MOVV(A, C); MOVV(A, D)

// MINIMUM adds the minima in V24 to V27 times the input's sum.
#define MINIMUM(o, i, P, A, B, C, D)        \
	FMOVS const_q8Sum(P), F28           \
	FLDPQ (128*(i))(R10), (F30, F31)    \
	FMLALANE(28, 24, 30)                \
	FMLALANE(28, 25, 31)                \
	FSTPQ (F30, F31), (128*(i))(R10)    \
	FLDPQ (128*(i)+32)(R10), (F30, F31) \
	FMLALANE(28, 26, 30)                \
	FMLALANE(28, 27, 31)                \
	FSTPQ (F30, F31), (128*(i)+32)(R10)

#define SCALES(ROWS) \
	HALVES(0)    \
	ROWS(SCALE, const_q8Scale)

#define MINIMA(ROWS) \
	SCALES(ROWS) \
	HALVES(64)   \
	ROWS(MINIMUM, 0)

// POWERS is SCALES for scales in BF16.
#define POWERS(ROWS)                  \
	FLDPQ (R1), (F28, F29)        \
	SHLLH(28, 24); SHLL2H(28, 25) \
	SHLLH(29, 26); SHLL2H(29, 27) \
	ROWS(SCALE, const_q8Scale)

#define I8LINE(ROWS, j) \
	LINE            \
	FLIP            \
	ROWS(DOT, (4*(j)))

#define I8HALF(PART, ROWS)                                                 \
	ROWS(CLEAR, 0)                                                     \
	VMOVI $128, V31.B16                                                \
	I8LINE(ROWS, 0); I8LINE(ROWS, 1); I8LINE(ROWS, 2); I8LINE(ROWS, 3) \
	I8LINE(ROWS, 4); I8LINE(ROWS, 5); I8LINE(ROWS, 6); I8LINE(ROWS, 7) \
	SCALES(ROWS)

#define I8(BLOCK, HALF, PART, ROWS) \
	BLOCKS(BLOCK, HALF, PART, ROWS, I8HALF, 0, 0, 64, 1088, const_q8Bytes)

#define Q4LINE(ROWS, j)    \
	STAY               \
	MASK               \
	ROWS(DOT, (4*(j))) \
	LINE               \
	DOWN(4)            \
	ROWS(DOT, (16+4*(j)))

#define Q4LINES(ROWS)      \
	VMOVI $15, V31.B16 \
	Q4LINE(ROWS, 0); Q4LINE(ROWS, 1); Q4LINE(ROWS, 2); Q4LINE(ROWS, 3)

#define Q4_0HALF(PART, ROWS) \
	ROWS(OFFSET, 4)      \
	Q4LINES(ROWS)        \
	SCALES(ROWS)

#define Q4_0(BLOCK, HALF, PART, ROWS) \
	BLOCKS(BLOCK, HALF, PART, ROWS, Q4_0HALF, 0, 0, 64, 576, const_q8Bytes)

#define Q4_1HALF(PART, ROWS) \
	ROWS(CLEAR, 0)       \
	Q4LINES(ROWS)        \
	MINIMA(ROWS)

#define Q4_1(BLOCK, HALF, PART, ROWS) \
	BLOCKS(BLOCK, HALF, PART, ROWS, Q4_1HALF, 0, 0, 128, 640, const_q8Bytes)

#define TABLEIQ4 TABLE(0x7159453526190d01, 0xf6eaddcfbfad9881)
#define TABLEFP4 TABLE(0xf4f8fafcfdfeff00, 0x0c08060403020100)

#define T4LINE(ROWS, T, j) \
	STAY               \
	MASK               \
	T                  \
	ROWS(DOT, (4*(j))) \
	LINE               \
	DOWN(4)            \
	T                  \
	ROWS(DOT, (16+4*(j)))

#define T4LINES(ROWS, T)   \
	VMOVI $15, V31.B16 \
	T4LINE(ROWS, T, 0); T4LINE(ROWS, T, 1); T4LINE(ROWS, T, 2); T4LINE(ROWS, T, 3)

#define IQ4HALF(PART, ROWS)     \
	ROWS(CLEAR, 0)          \
	T4LINES(ROWS, TABLEIQ4) \
	SCALES(ROWS)

#define IQ4(BLOCK, HALF, PART, ROWS) \
	BLOCKS(BLOCK, HALF, PART, ROWS, IQ4HALF, 0, 0, 64, 576, const_q8Bytes)

#define FP4HALF(PART, ROWS)     \
	ROWS(CLEAR, 0)          \
	T4LINES(ROWS, TABLEFP4) \
	POWERS(ROWS)

#define FP4(BLOCK, HALF, PART, ROWS) \
	BLOCKS(BLOCK, HALF, PART, ROWS, FP4HALF, 0, 0, 64, 576, const_q8Bytes)

#define Q5LINE(ROWS, j)    \
	STAY               \
	TOP(4, 16*(j))     \
	ROWS(DOT, (4*(j))) \
	LINE               \
	DOWN(4)            \
	TOP(4, 64+16*(j))  \
	ROWS(DOT, (16+4*(j)))

#define Q5LINES(ROWS) \
	Q5LINE(ROWS, 0); Q5LINE(ROWS, 1); Q5LINE(ROWS, 2); Q5LINE(ROWS, 3)

#define Q5_0HALF(PART, ROWS) \
	ROWS(OFFSET, 3)      \
	Q5LINES(ROWS)        \
	SCALES(ROWS)

#define Q5_0(BLOCK, HALF, PART, ROWS) \
	BLOCKS(BLOCK, HALF, PART, ROWS, Q5_0HALF, 64, 8, 192, 704, const_q8Bytes)

#define Q5_1HALF(PART, ROWS) \
	ROWS(CLEAR, 0)       \
	Q5LINES(ROWS)        \
	MINIMA(ROWS)

#define Q5_1(BLOCK, HALF, PART, ROWS) \
	BLOCKS(BLOCK, HALF, PART, ROWS, Q5_1HALF, 128, 8, 256, 768, const_q8Bytes)
