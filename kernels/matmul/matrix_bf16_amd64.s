#include "go_asm.h"
#include "textflag.h"
#include "matrix_amd64.h"

// The assembler does not know VDPBF16PS. DP is it with the input's pair of values in
// Z28, weights in Z24 (HALF0) or Z25 (HALF1), and the sums where the first and the last
// byte say.
#define HALF0 $0x3e
#define HALF1 $0x36
#define DP(first, half, last) \
	BYTE $0x62; BYTE first; BYTE half; BYTE $0x40; BYTE $0x52; BYTE last

// The sums are those that LOAD clears and STORE writes, Z12 to Z23.
#define PAIRS1(o)               \
	VPBROADCASTD o(R8), Z28 \
	DP($0x12, HALF0, $0xe4) \
	DP($0x12, HALF1, $0xec)

#define PAIRS2(o)               \
	PAIRS1(o)               \
	VPBROADCASTD o(R9), Z28 \
	DP($0x12, HALF0, $0xf4) \
	DP($0x12, HALF1, $0xfc)

#define PAIRS3(o)                \
	PAIRS2(o)                \
	VPBROADCASTD o(R10), Z28 \
	DP($0x82, HALF0, $0xc4)  \
	DP($0x82, HALF1, $0xcc)

#define PAIRS4(o)                \
	PAIRS3(o)                \
	VPBROADCASTD o(R11), Z28 \
	DP($0x82, HALF0, $0xd4)  \
	DP($0x82, HALF1, $0xdc)

#define PAIRS5(o)                \
	PAIRS4(o)                \
	VPBROADCASTD o(R12), Z28 \
	DP($0x82, HALF0, $0xe4)  \
	DP($0x82, HALF1, $0xec)

#define PAIRS6(o)                \
	PAIRS5(o)                \
	VPBROADCASTD o(R13), Z28 \
	DP($0x82, HALF0, $0xf4)  \
	DP($0x82, HALF1, $0xfc)

#define STEP4(o, i, P, A, B, C, D) \
	ADDQ $16, P

#define STEP1(o, i, P, A, B, C, D) \
	ADDQ $4, P

#define READ(PAIRS, k)                \
	VMOVDQU64 (128*k)(SI), Z24    \
	VMOVDQU64 (128*k+64)(SI), Z25 \
	AHEAD                         \
	PAIRS((4*k))                  \
	AHEAD

// BF16 goes on 4 pairs of values at a time, then one.
#define BF16(FOUR, LEFT, ONE, DONE, PAIRS, ROWS) \
	ROWS(LOAD, 0)                            \
	MOVQ CX, AX                              \
	SHRQ $2, CX                              \
	JZ   LEFT                                \
FOUR:                                            \
	READ(PAIRS, 0)                           \
	READ(PAIRS, 1)                           \
	READ(PAIRS, 2)                           \
	READ(PAIRS, 3)                           \
	ROWS(STEP4, 0)                           \
	ADDQ $512, SI                            \
	DECQ CX                                  \
	JNZ  FOUR                                \
LEFT:                                            \
	ANDQ $3, AX                              \
	JZ   DONE                                \
ONE:                                             \
	READ(PAIRS, 0)                           \
	ROWS(STEP1, 0)                           \
	ADDQ $128, SI                            \
	DECQ AX                                  \
	JNZ  ONE                                 \
DONE:                                            \
	ROWS(STORE, 0)                           \
	END

// func avx512BF16(p *product)
TEXT ·avx512BF16(SB), NOSPLIT, $0-8
	BEGIN
	CHOOSE
one:
	BF16(four1, left1, one1, done1, PAIRS1, ROWS1)
two:
	BF16(four2, left2, one2, done2, PAIRS2, ROWS2)
three:
	BF16(four3, left3, one3, done3, PAIRS3, ROWS3)
four:
	BF16(four4, left4, one4, done4, PAIRS4, ROWS4)
five:
	BF16(four5, left5, one5, done5, PAIRS5, ROWS5)
six:
	BF16(four6, left6, one6, done6, PAIRS6, ROWS6)
