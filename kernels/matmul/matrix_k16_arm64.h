// The arm64 kernels' bodies for blocks of 256 values in two halves of 128, whose lines have
// values 32g+4j at bit 2g, and in sub-blocks of 16.

// OFFSETK begins a sub-block's sums with what takes an offset of 32 back, OFFSETK8 one of
// 4; o is 4 times the sub-block's number. R16 leads from where P is to what belongs there.
#define OFFSETK(o, i, P, A, B, C, D)         \
	ADD   R16, P, R17                    \
	FMOVS (const_q8kOffsets+o)(R17), F28 \
	DUPS(28, A)                          \
	MOVV(A, B); MOVV(A, C); MOVV(A, D)

#define OFFSETK8(o, i, P, A, B, C, D)        \
	ADD   R16, P, R17                    \
	FMOVS (const_q8kOffsets+o)(R17), F28 \
	DUPS(28, A); SSHRS(3, A, A)          \
	MOVV(A, B); MOVV(A, C); MOVV(A, D)

// PARTS goes over the halves; after 128 values the offsets are 32 bytes on.
#define PARTS(PART, ROWS, SUBS, lineBytes, bitBytes) \
	MOVD $0, R16                                 \
PART:                                                \
	SUBS(ROWS)                                   \
	ADD  $(lineBytes), R12                       \
	ADD  $(bitBytes), R13                        \
	ROWS(STEPROW, 128)                           \
	SUB  $96, R16                                \
	CMP  $-192, R16                              \
	BNE  PART                                    \
	ROWS(STEPROW, -256)

#define GROUPSUB(ROWS, BEGIN, END, L, s, j)                  \
	ROWS(BEGIN, (4*(s)))                                 \
	L(ROWS, j); L(ROWS, j+1); L(ROWS, j+2); L(ROWS, j+3) \
	END(ROWS)

#define GROUPS(ROWS, BEGIN, END, L0, L1, L2, L3)                                   \
	GROUPSUB(ROWS, BEGIN, END, L0, 0, 0); GROUPSUB(ROWS, BEGIN, END, L0, 1, 4) \
	GROUPSUB(ROWS, BEGIN, END, L1, 2, 0); GROUPSUB(ROWS, BEGIN, END, L1, 3, 4) \
	GROUPSUB(ROWS, BEGIN, END, L2, 4, 0); GROUPSUB(ROWS, BEGIN, END, L2, 5, 4) \
	GROUPSUB(ROWS, BEGIN, END, L3, 6, 0); GROUPSUB(ROWS, BEGIN, END, L3, 7, 4)

// Q6LINEg reads line j of group g: nibbles from R12 on, those of odd groups from R19 on,
// and two bits on top from R13 on. V31 is 63.
#define Q6LINE(INTO, FROM, PUT, ROWS, o, j)  \
	FLDPQ (128*(j))(INTO), (F24, F25)    \
	FLDPQ (128*(j)+32)(INTO), (F26, F27) \
	FLDPQ (128*(j))(FROM), (F28, F29)    \
	PUT(V28, V24)                        \
	PUT(V29, V25)                        \
	FLDPQ (128*(j)+32)(FROM), (F28, F29) \
	PUT(V28, V26)                        \
	PUT(V29, V27)                        \
	ROWS(DOT, (o+4*(j)))

#define PUT0(F, T)            \
	VSLI $4, F.B16, T.B16 \
	VAND V31.B16, T.B16, T.B16

#define PUT1(F, T)             \
	VUSHR $2, F.B16, F.B16 \
	VSLI  $4, F.B16, T.B16 \
	VAND  V31.B16, T.B16, T.B16

#define PUT2(F, T)            \
	VSRI $4, F.B16, T.B16 \
	VAND V31.B16, T.B16, T.B16

#define PUT3(F, T)             \
	VUSHR $2, T.B16, T.B16 \
	VSRI  $4, F.B16, T.B16

#define Q6LINE0(ROWS, j) Q6LINE(R12, R13, PUT0, ROWS, 0, j)
#define Q6LINE1(ROWS, j) Q6LINE(R19, R13, PUT1, ROWS, 32, j)
#define Q6LINE2(ROWS, j) Q6LINE(R13, R12, PUT2, ROWS, 64, j)
#define Q6LINE3(ROWS, j) Q6LINE(R13, R19, PUT3, ROWS, 96, j)

#define Q6SUBS(ROWS)        \
	ADD $1024, R12, R19 \
	GROUPS(ROWS, OFFSETK, SUBBLOCK, Q6LINE0, Q6LINE1, Q6LINE2, Q6LINE3)

#define Q6KHALF(PART, ROWS)                   \
	START(ROWS, 64)                       \
	VMOVI $63, V31.B16                    \
	PARTS(PART, ROWS, Q6SUBS, 2048, 1024) \
	SCALESK(ROWS)

#define Q6K(BLOCK, HALF, PART, ROWS) \
	BLOCKS(BLOCK, HALF, PART, ROWS, Q6KHALF, 4672, 64, 576, 6720, const_q8kBytes)

#define TWOLOAD(j)                       \
	FLDPQ (128*(j))(R12), (F24, F25) \
	FLDPQ (128*(j)+32)(R12), (F26, F27)

#define Q3LINE0(ROWS, j) \
	TWOLOAD(j)       \
	TOP(2, 16*(j))   \
	ROWS(DOT, (4*(j)))

#define Q3LINE(ROWS, g, j)     \
	TWOLOAD(j)             \
	DOWN((2*g))            \
	TOP(2, (128*g+16*(j))) \
	ROWS(DOT, (32*g+4*(j)))

#define Q3LINE1(ROWS, j) Q3LINE(ROWS, 1, j)
#define Q3LINE2(ROWS, j) Q3LINE(ROWS, 2, j)
#define Q3LINE3(ROWS, j) Q3LINE(ROWS, 3, j)

#define Q3SUBS(ROWS) \
	GROUPS(ROWS, OFFSETK8, SUBBLOCK, Q3LINE0, Q3LINE1, Q3LINE2, Q3LINE3)

#define Q3KHALF(PART, ROWS)                  \
	START(ROWS, 64)                      \
	PARTS(PART, ROWS, Q3SUBS, 1024, 512) \
	SCALESK(ROWS)

#define Q3K(BLOCK, HALF, PART, ROWS) \
	BLOCKS(BLOCK, HALF, PART, ROWS, Q3KHALF, 576, 8, 1600, 3648, const_q8kBytes)

#define Q2LINE0(ROWS, j) \
	TWOLOAD(j)       \
	MASK             \
	ROWS(DOT, (4*(j)))

#define Q2LINE(ROWS, g, j) \
	TWOLOAD(j)         \
	DOWN((2*g))        \
	MASK               \
	ROWS(DOT, (32*g+4*(j)))

#define Q2LINE1(ROWS, j) Q2LINE(ROWS, 1, j)
#define Q2LINE2(ROWS, j) Q2LINE(ROWS, 2, j)
#define Q2LINE3(ROWS, j) Q2LINE(ROWS, 3, j)

// SUBBLOCK4 is SUBBLOCK for scales in the low nibbles.
#define SUBBLOCK4(ROWS)            \
	FMOVQ.P 32(R14), F28       \
	VSHL  $4, V28.B16, V28.B16 \
	VUSHR $4, V28.B16, V28.B16 \
	WIDEN                      \
	ROWS(TOTAL, 0)

#define Q2SUBS(ROWS) \
	GROUPS(ROWS, CLEAR, SUBBLOCK4, Q2LINE0, Q2LINE1, Q2LINE2, Q2LINE3)

// LOWER2 adds the minima of a sub-block, in the high nibbles, times -32 times the input's
// sum; LESS32 takes the factor off.
#define LOWER2(ROWS, s)            \
	FMOVQ.P 32(R14), F28       \
	VUSHR $4, V28.B16, V28.B16 \
	WIDEN                      \
	ROWS(LOWER, (4*(s)))

#define LOWER(o, i, P, A, B, C, D)         \
	FMOVS (const_q8kOffsets+o)(P), F28 \
	MLALANE(28, 24, A)                 \
	MLALANE(28, 25, B)                 \
	MLALANE(28, 26, C)                 \
	MLALANE(28, 27, D)

#define LESS32(o, i, P, A, B, C, D) \
	SSHRS(5, A, A); SSHRS(5, B, B); SSHRS(5, C, C); SSHRS(5, D, D)

#define LOWER8(ROWS, s)                                                          \
	LOWER2(ROWS, s); LOWER2(ROWS, s+1); LOWER2(ROWS, s+2); LOWER2(ROWS, s+3) \
	LOWER2(ROWS, s+4); LOWER2(ROWS, s+5); LOWER2(ROWS, s+6); LOWER2(ROWS, s+7)

#define Q2KHALF(PART, ROWS)                \
	START(ROWS, 128)                   \
	VMOVI $3, V31.B16                  \
	PARTS(PART, ROWS, Q2SUBS, 1024, 0) \
	SCALESK(ROWS)                      \
	SUB $512, R14                      \
	ROWS(CLEAR, 0)                     \
	LOWER8(ROWS, 0)                    \
	LOWER8(ROWS, 8)                    \
	ROWS(LESS32, 0)                    \
	HALVES(64)                         \
	ROWS(SCALE, const_q8kScale)

#define Q2K(BLOCK, HALF, PART, ROWS) \
	BLOCKS(BLOCK, HALF, PART, ROWS, Q2KHALF, 0, 0, 640, 2688, const_q8kBytes)
