#include "go_asm.h"
#include "textflag.h"
#include "matrix_avx2_amd64.h"
#include "matrix_avx2_k_amd64.h"

// OCTLOWER adds products of two sub-blocks' minima in Y12 and of the input's sums.
#define OCTLOWER(o, i, P, A, C)                \
	VPBROADCASTD (const_q8kSums+o)(P), Y14 \
	VPMADDWD     Y14, Y12, Y14             \
	VPADDD       Y14, A, A

// MINLOW and MINHIGH read minima of two sub-blocks: a line of them, or the top bits
// of three lines.
#define MINLOW(at)                      \
	VPMOVZXBW    at(SI)(R15*4), Y12 \
	VPBROADCASTD WORDS3F, Y13       \
	VPAND        Y13, Y12, Y12

#define MINHIGH(at)                        \
	VPMOVZXBW at(SI)(R15*4), Y12       \
	VPMOVZXBW (at+64)(SI)(R15*4), Y13  \
	VPMOVZXBW (at+128)(SI)(R15*4), Y14 \
	VPSRLW    $6, Y12, Y12             \
	VPSRLW    $6, Y13, Y13             \
	VPSRLW    $6, Y14, Y14             \
	VPSLLW    $2, Y13, Y13             \
	VPSLLW    $4, Y14, Y14             \
	VPOR      Y13, Y12, Y12            \
	VPOR      Y14, Y12, Y12

// OCTSUB reads the scales of the sub-block o bytes of scales on; DX points at the
// quarter's.
#define OCTSUB(o)                      \
	VPMOVZXBD    o(DX)(R15*2), Y12 \
	VPBROADCASTD DWORD3F, Y13      \
	VPAND        Y13, Y12, Y12

#define OCTENDK(ROWS)                \
	ROWS(OCTCLEAR, 0)            \
	MINLOW(384)                  \
	ROWS(OCTLOWER, 0)            \
	MINLOW(448)                  \
	ROWS(OCTLOWER, 4)            \
	MINHIGH(128)                 \
	ROWS(OCTLOWER, 8)            \
	MINHIGH(320)                 \
	ROWS(OCTLOWER, 12)           \
	VCVTPH2PS (SI)(R15*4), Y12   \
	VCVTPH2PS 64(SI)(R15*4), Y13 \
	ROWS(OCTFLOATS, 0)           \
	ROWS(OCTLESS, 0)             \
	ROWS(OCTSTEPK, 0)

#define Q4KLOW(ROWS, j)            \
	NIBLOW((128*j)(AX)(R15*8)) \
	ROWS(DOTUK, (4*j))

#define Q4KHIGH(ROWS, j)            \
	NIBHIGH((128*j)(AX)(R15*8)) \
	ROWS(DOTUK, (32+4*j))

#define Q5KLOW(ROWS, j)            \
	NIBLOW((128*j)(AX)(R15*8)) \
	OCTBITS((16*j)(BX)(R15*1)) \
	VPADDB Y14, Y12, Y12       \
	ROWS(DOTUK, (4*j))

#define Q5KHIGH(ROWS, j)               \
	NIBHIGH((128*j)(AX)(R15*8))    \
	OCTBITS((128+16*j)(BX)(R15*1)) \
	VPADDB Y14, Y12, Y12           \
	ROWS(DOTUK, (32+4*j))

#define EIGHT(LINE, ROWS)                                          \
	LINE(ROWS, 0); LINE(ROWS, 1); LINE(ROWS, 2); LINE(ROWS, 3) \
	LINE(ROWS, 4); LINE(ROWS, 5); LINE(ROWS, 6); LINE(ROWS, 7)

// OCTK is the body of Q4_K and Q5_K, whose nibbles begin at the byte lines.
#define OCTK(OCTET, BLOCK, QUARTER, LOWS, HIGHS, lines, bytes, ROWS) \
OCTET:                                                               \
	OCTPASS                                                      \
	ROWS(OCTLOADK, 0)                                            \
BLOCK:                                                               \
	ROWS(OCTZERO, 0)                                             \
	XORL R14, R14                                                \
	LEAQ lines(SI), AX                                           \
	LEAQ 512(SI), BX                                             \
	LEAQ 128(SI), DX                                             \
QUARTER:                                                             \
	ROWS(OCTCLEAR, 0)                                            \
	EIGHT(LOWS, ROWS)                                            \
	OCTSUB(0)                                                    \
	ROWS(OCTTOTAL, 0)                                            \
	ROWS(OCTCLEAR, 0)                                            \
	EIGHT(HIGHS, ROWS)                                           \
	OCTSUB(32)                                                   \
	ROWS(OCTTOTAL, 0)                                            \
	ADDQ $1024, AX                                               \
	ADDQ $256, BX                                                \
	ADDQ $64, DX                                                 \
	ADDQ $64, R14                                                \
	CMPQ R14, $256                                               \
	JB   QUARTER                                                 \
	OCTENDK(ROWS)                                                \
	ADDQ $bytes, SI                                              \
	DECQ CX                                                      \
	JNZ  BLOCK                                                   \
	OCTMASK                                                      \
	ROWS(OCTSTOREK, 0)                                           \
	OCTNEXT(OCTET)

// func avx2Q4K(p *product)
TEXT ·avx2Q4K(SB), 0, $192-8
	OCTBEGIN
	OCTCHOOSE
one:
	OCTK(octet1, block1, quarter1, Q4KLOW, Q4KHIGH, 512, 4608, OCTROWS1)
two:
	OCTK(octet2, block2, quarter2, Q4KLOW, Q4KHIGH, 512, 4608, OCTROWS2)
three:
	OCTK(octet3, block3, quarter3, Q4KLOW, Q4KHIGH, 512, 4608, OCTROWS3)
four:
	OCTK(octet4, block4, quarter4, Q4KLOW, Q4KHIGH, 512, 4608, OCTROWS4)
five:
	OCTK(octet5, block5, quarter5, Q4KLOW, Q4KHIGH, 512, 4608, OCTROWS5)
six:
	OCTK(octet6, block6, quarter6, Q4KLOW, Q4KHIGH, 512, 4608, OCTROWS6)

// func avx2Q5K(p *product)
TEXT ·avx2Q5K(SB), 0, $192-8
	OCTBEGIN
	OCTCHOOSE
one:
	OCTK(octet1, block1, quarter1, Q5KLOW, Q5KHIGH, 1536, 5632, OCTROWS1)
two:
	OCTK(octet2, block2, quarter2, Q5KLOW, Q5KHIGH, 1536, 5632, OCTROWS2)
three:
	OCTK(octet3, block3, quarter3, Q5KLOW, Q5KHIGH, 1536, 5632, OCTROWS3)
four:
	OCTK(octet4, block4, quarter4, Q5KLOW, Q5KHIGH, 1536, 5632, OCTROWS4)
five:
	OCTK(octet5, block5, quarter5, Q5KLOW, Q5KHIGH, 1536, 5632, OCTROWS5)
six:
	OCTK(octet6, block6, quarter6, Q5KLOW, Q5KHIGH, 1536, 5632, OCTROWS6)
