// The arm64 kernels' bodies for blocks of 256 values. Their frame has the half's totals,
// integers too, 64 bytes an input row from R15 on. R14 is where the next sub-block's scales
// are, a byte a row; R16 and R17 are free.

// START begins a half of a block, whose first sub-block's scales are at a byte of it.
#define START(ROWS, at)                \
	ADD  $16, RSP, R15             \
	ADD  R11<<4, R1, R14           \
	ADD  $(at-32), R14             \
	VEOR V28.B16, V28.B16, V28.B16 \
	ROWS(NOTOTAL, 0)

#define NOTOTAL(o, i, P, A, B, C, D)    \
	FSTPQ (F28, F28), (64*(i))(R15) \
	FSTPQ (F28, F28), (64*(i)+32)(R15)

// SUBBLOCK adds a sub-block's sums, times its scales, to the totals.
#define SUBBLOCK(ROWS)       \
	FMOVQ.P 32(R14), F28 \
	WIDEN                \
	ROWS(TOTAL, 0)

// WIDEN makes 32-bit integers in V24 to V27 of V28's signed bytes.
#define WIDEN                         \
	SXTLB(28, 29); SXTL2B(28, 30) \
	SXTLH(29, 24); SXTL2H(29, 25) \
	SXTLH(30, 26); SXTL2H(30, 27)

#define TOTAL(o, i, P, A, B, C, D)         \
	FLDPQ (64*(i))(R15), (F28, F29)    \
	MLAS(24, A, 28)                    \
	MLAS(25, B, 29)                    \
	FSTPQ (F28, F29), (64*(i))(R15)    \
	FLDPQ (64*(i)+32)(R15), (F28, F29) \
	MLAS(26, C, 28)                    \
	MLAS(27, D, 29)                    \
	FSTPQ (F28, F29), (64*(i)+32)(R15)

// TOTALS is SCALE for the totals.
#define TOTALS(o, i, P, A, B, C, D) \
	LDPQ((64*(i)), 15, A, B)    \
	LDPQ((64*(i)+32), 15, C, D) \
	SCALE(o, i, P, A, B, C, D)

#define SCALESK(ROWS) \
	HALVES(0)     \
	ROWS(TOTALS, const_q8kScale)

// SUBBLOCK6 is SUBBLOCK for scales of 6 bits with others' bits on top.
#define SUBBLOCK6(ROWS)            \
	FMOVQ.P 32(R14), F28       \
	VSHL  $2, V28.B16, V28.B16 \
	VUSHR $2, V28.B16, V28.B16 \
	WIDEN                      \
	ROWS(TOTAL, 0)

#define EIGHT(L, ROWS)                                 \
	L(ROWS, 0); L(ROWS, 1); L(ROWS, 2); L(ROWS, 3) \
	L(ROWS, 4); L(ROWS, 5); L(ROWS, 6); L(ROWS, 7)

#define Q4KLOW(ROWS, j) \
	LINE            \
	MASK            \
	ROWS(DOT, (4*(j)))

#define Q4KHIGH(ROWS, j) \
	LINE             \
	DOWN(4)          \
	ROWS(DOT, (32+4*(j)))

#define Q5KLOW(ROWS, j)  \
	LINE             \
	TOP(4, (16*(j))) \
	ROWS(DOT, (4*(j)))

#define Q5KHIGH(ROWS, j)     \
	LINE                 \
	DOWN(4)              \
	TOP(4, (128+16*(j))) \
	ROWS(DOT, (32+4*(j)))

// SUMSK is the body of Q4_K and Q5_K: four times eight lines with a sub-block in the low
// nibbles and one in the high ones.
#define SUMSK(PART, ROWS, LOW, HIGH) \
	START(ROWS, 128)             \
	MOVD  $4, R16                \
	VMOVI $15, V31.B16           \
PART:                                \
	ROWS(CLEAR, 0)               \
	EIGHT(LOW, ROWS)             \
	SUBBLOCK6(ROWS)              \
	SUB $1024, R12               \
	ROWS(CLEAR, 0)               \
	EIGHT(HIGH, ROWS)            \
	SUBBLOCK6(ROWS)              \
	ADD $256, R13                \
	ROWS(STEPROW, 64)            \
	SUBS $1, R16                 \
	BNE  PART                    \
	ROWS(STEPROW, -256)          \
	SCALESK(ROWS)                \
	MINIMAK(ROWS)

// MINIMAK takes the minima times the input's sums off. V0 to V7 get the minima of 8
// sub-blocks as bytes, the last four from the top bits of three lines each; V16 to V31 get
// them with 16 bits, V12 to V15 what they are multiples of.
#define MINIMAK(ROWS)                       \
	MOVD  $64, R16                      \
	ADD   $384, R1, R12                 \
	VMOVI $63, V31.B16                  \
	VLD2.P (R12)(R16), [V0.B16, V1.B16] \
	VLD2  (R12), [V2.B16, V3.B16]       \
	VAND  V31.B16, V0.B16, V0.B16       \
	VAND  V31.B16, V1.B16, V1.B16       \
	VAND  V31.B16, V2.B16, V2.B16       \
	VAND  V31.B16, V3.B16, V3.B16       \
	ADD   $128, R1, R12                 \
	TOPBITS(V4, V5)                     \
	TOPBITS(V6, V7)                     \
	MINIMUM16(V0, V16, V17)             \
	MINIMUM16(V1, V18, V19)             \
	MINIMUM16(V2, V20, V21)             \
	MINIMUM16(V3, V22, V23)             \
	MINIMUM16(V4, V24, V25)             \
	MINIMUM16(V5, V26, V27)             \
	MINIMUM16(V6, V28, V29)             \
	MINIMUM16(V7, V30, V31)             \
	FLDPQ 64(R1), (F8, F9)              \
	FCVTLH(8, 12); FCVTL2H(8, 13)       \
	FCVTLH(9, 14); FCVTL2H(9, 15)       \
	ROWS(LESS, 0)

#define TOPBITS(V, W)                     \
	VLD2.P (R12)(R16), [V.B16, W.B16] \
	VUSHR  $6, V.B16, V.B16           \
	VUSHR  $6, W.B16, W.B16           \
	MORETOPBITS(2, V, W)              \
	MORETOPBITS(4, V, W)

#define MORETOPBITS(n, V, W)                  \
	VLD2.P (R12)(R16), [V28.B16, V29.B16] \
	VUSHR  $6, V28.B16, V28.B16           \
	VUSHR  $6, V29.B16, V29.B16           \
	VSLI   $n, V28.B16, V.B16             \
	VSLI   $n, V29.B16, W.B16

#define MINIMUM16(V, L, H) \
	VUXTL  V.B8, L.H8  \
	VUXTL2 V.B16, H.H8

// LESS does so for an input row: V8 has the sums of its 8 times 32 values.
#define LESS(o, i, P, A, B, C, D)              \
	FMOVQ const_q8kSums(P), F8             \
	ZEROV(0); ZEROV(1); ZEROV(2); ZEROV(3) \
	LESSSUB(0, 16, 17); LESSSUB(1, 18, 19) \
	LESSSUB(2, 20, 21); LESSSUB(3, 22, 23) \
	LESSSUB(4, 24, 25); LESSSUB(5, 26, 27) \
	LESSSUB(6, 28, 29); LESSSUB(7, 30, 31) \
	FMOVS const_q8kScale(P), F8            \
	LESS2((128*(i)), 12, 13, 0, 1)         \
	LESS2((128*(i)+32), 14, 15, 2, 3)

#define LESSSUB(s, l, h)                        \
	SMLALH(8, s, l, 0); SMLAL2H(8, s, l, 1) \
	SMLALH(8, s, h, 2); SMLAL2H(8, s, h, 3)

#define LESS2(at, w, w1, A, B)     \
	FLDPQ at(R10), (F9, F10)   \
	SCVTFS(A, A); SCVTFS(B, B) \
	FMULLANE(8, w, 11)         \
	FMLSS(11, A, 9)            \
	FMULLANE(8, w1, 11)        \
	FMLSS(11, B, 10)           \
	FSTPQ (F9, F10), at(R10)

#define Q4KHALF(PART, ROWS) \
	SUMSK(PART, ROWS, Q4KLOW, Q4KHIGH)

#define Q4K(BLOCK, HALF, PART, ROWS) \
	BLOCKS(BLOCK, HALF, PART, ROWS, Q4KHALF, 0, 0, 512, 4608, const_q8kBytes)

#define Q5KHALF(PART, ROWS) \
	SUMSK(PART, ROWS, Q5KLOW, Q5KHIGH)

#define Q5K(BLOCK, HALF, PART, ROWS) \
	BLOCKS(BLOCK, HALF, PART, ROWS, Q5KHALF, 512, 8, 1536, 5632, const_q8kBytes)

#define I8KLINE(ROWS, j) \
	LINE             \
	FLIP             \
	ROWS(DOT, (4*(j)))

#define I8KHALF(PART, ROWS)                \
	START(ROWS, 128)                   \
	MOVD  $16, R16                     \
	VMOVI $128, V31.B16                \
PART:                                      \
	ROWS(CLEAR, 0)                     \
	I8KLINE(ROWS, 0); I8KLINE(ROWS, 1) \
	I8KLINE(ROWS, 2); I8KLINE(ROWS, 3) \
	SUBBLOCK(ROWS)                     \
	ROWS(STEPROW, 16)                  \
	SUBS $1, R16                       \
	BNE  PART                          \
	ROWS(STEPROW, -256)                \
	FLDPQ (R13), (F24, F25)            \
	FLDPQ 32(R13), (F26, F27)          \
	ROWS(TOTALS, const_q8kScale)

// The F32 scales take the place of BLOCKS' bits.
#define I8K(BLOCK, HALF, PART, ROWS) \
	BLOCKS(BLOCK, HALF, PART, ROWS, I8KHALF, 0, 64, 640, 8832, const_q8kBytes)

#define IQ4KHALF(PART, ROWS)                                 \
	START(ROWS, 64)                                      \
	MOVD  $8, R16                                        \
	VMOVI $15, V31.B16                                   \
PART:                                                        \
	ROWS(CLEAR, 0)                                       \
	T4LINE(ROWS, TABLEIQ4, 0); T4LINE(ROWS, TABLEIQ4, 1) \
	T4LINE(ROWS, TABLEIQ4, 2); T4LINE(ROWS, TABLEIQ4, 3) \
	SUBBLOCK(ROWS)                                       \
	ROWS(STEPROW, 32)                                    \
	SUBS $1, R16                                         \
	BNE  PART                                            \
	ROWS(STEPROW, -256)                                  \
	SCALESK(ROWS)

#define IQ4K(BLOCK, HALF, PART, ROWS) \
	BLOCKS(BLOCK, HALF, PART, ROWS, IQ4KHALF, 0, 0, 320, 4416, const_q8kBytes)
