#include "go_asm.h"
#include "textflag.h"
#include "matrix_avx2_amd64.h"
#include "matrix_avx2_k_amd64.h"

// OCTSTART sets the sums to -32 times the input's; o is 4 times the sub-block.
#define OCTSTART(o, i, P, A, C) \
	VPBROADCASTD (const_q8kOffsets+o)(P)(DX*4), A

// TWOBITS adds the two high bits, moved to their place by SHIFT, to the nibbles.
#define TWOBITS(SHIFT, n, j)                 \
	VMOVDQU      (128*j)(BX)(R15*8), Y14 \
	SHIFT        $n, Y14, Y14            \
	VPBROADCASTQ BYTES30, Y13            \
	VPAND        Y13, Y14, Y14           \
	VPOR         Y14, Y12, Y12

#define Q6LINE0(ROWS, j)           \
	NIBLOW((128*j)(AX)(R15*8)) \
	TWOBITS(VPSLLW, 4, j)      \
	ROWS(DOTUK, (4*j))

#define Q6LINE1(ROWS, j)                \
	NIBLOW((1024+128*j)(AX)(R15*8)) \
	TWOBITS(VPSLLW, 2, j)           \
	ROWS(DOTUK, (32+4*j))

#define Q6LINE2(ROWS, j)            \
	NIBHIGH((128*j)(AX)(R15*8)) \
	TWOBITS(VPSRLW, 0, j)       \
	ROWS(DOTUK, (64+4*j))

#define Q6LINE3(ROWS, j)                 \
	NIBHIGH((1024+128*j)(AX)(R15*8)) \
	TWOBITS(VPSRLW, 2, j)            \
	ROWS(DOTUK, (96+4*j))

// Q6SUB is sub-block s of the half: 4 lines from j on. DX is 8 times the half.
#define Q6SUB(ROWS, LINE, s, j)             \
	ROWS(OCTSTART, (4*s))               \
	LINE(ROWS, (j+0))                   \
	LINE(ROWS, (j+1))                   \
	LINE(ROWS, (j+2))                   \
	LINE(ROWS, (j+3))                   \
	LEAQ (SI)(R15*2), R14               \
	SHLQ $5, DX                         \
	VPMOVSXBD (64+32*s)(R14)(DX*1), Y12 \
	SHRQ $5, DX                         \
	MOVQ DX, R14                        \
	SHLQ $4, R14                        \
	ROWS(OCTTOTAL, 0)

#define OCTQ6K(OCTET, BLOCK, HALF, ROWS) \
OCTET:                                   \
	OCTPASS                          \
	ROWS(OCTLOADK, 0)                \
BLOCK:                                   \
	ROWS(OCTZERO, 0)                 \
	XORL R14, R14                    \
	XORL DX, DX                      \
	LEAQ 576(SI), AX                 \
	LEAQ 4672(SI), BX                \
HALF:                                    \
	Q6SUB(ROWS, Q6LINE0, 0, 0)       \
	Q6SUB(ROWS, Q6LINE0, 1, 4)       \
	Q6SUB(ROWS, Q6LINE1, 2, 0)       \
	Q6SUB(ROWS, Q6LINE1, 3, 4)       \
	Q6SUB(ROWS, Q6LINE2, 4, 0)       \
	Q6SUB(ROWS, Q6LINE2, 5, 4)       \
	Q6SUB(ROWS, Q6LINE3, 6, 0)       \
	Q6SUB(ROWS, Q6LINE3, 7, 4)       \
	ADDQ $2048, AX                   \
	ADDQ $1024, BX                   \
	ADDQ $8, DX                      \
	MOVL $128, R14                   \
	CMPQ DX, $16                     \
	JB   HALF                        \
	VCVTPH2PS (SI)(R15*4), Y12       \
	ROWS(OCTFLOATS, 0)               \
	ROWS(OCTSTEPK, 0)                \
	ADDQ $6720, SI                   \
	DECQ CX                          \
	JNZ  BLOCK                       \
	OCTMASK                          \
	ROWS(OCTSTOREK, 0)               \
	OCTNEXT(OCTET)

#define I8KLINE(ROWS, j)                          \
	VPBROADCASTQ BYTES80, Y13                 \
	VPXOR        (128*j)(AX)(R15*8), Y13, Y12 \
	VPABSB       Y12, Y13                     \
	ROWS(DOTSK, (4*j))

// OCTI8K goes on a sub-block of 16 values at a time; BX points at its scales.
#define OCTI8K(OCTET, BLOCK, PART, ROWS) \
OCTET:                                   \
	OCTPASS                          \
	ROWS(OCTLOADK, 0)                \
BLOCK:                                   \
	ROWS(OCTZERO, 0)                 \
	XORL R14, R14                    \
	LEAQ 640(SI), AX                 \
	LEAQ 128(SI), BX                 \
PART:                                    \
	ROWS(OCTCLEAR, 0)                \
	I8KLINE(ROWS, 0)                 \
	I8KLINE(ROWS, 1)                 \
	I8KLINE(ROWS, 2)                 \
	I8KLINE(ROWS, 3)                 \
	VPMOVSXBD (BX)(R15*2), Y12       \
	ROWS(OCTTOTAL, 0)                \
	ADDQ $512, AX                    \
	ADDQ $32, BX                     \
	ADDQ $16, R14                    \
	CMPQ R14, $256                   \
	JB   PART                        \
	VMOVUPS (SI)(R15*8), Y12         \
	ROWS(OCTFLOATS, 0)               \
	ROWS(OCTSTEPK, 0)                \
	ADDQ $8832, SI                   \
	DECQ CX                          \
	JNZ  BLOCK                       \
	OCTMASK                          \
	ROWS(OCTSTOREK, 0)               \
	OCTNEXT(OCTET)

// func avx2Q6K(p *product)
TEXT ·avx2Q6K(SB), 0, $192-8
	OCTBEGIN
	OCTCHOOSE
one:
	OCTQ6K(octet1, block1, half1, OCTROWS1)
two:
	OCTQ6K(octet2, block2, half2, OCTROWS2)
three:
	OCTQ6K(octet3, block3, half3, OCTROWS3)
four:
	OCTQ6K(octet4, block4, half4, OCTROWS4)
five:
	OCTQ6K(octet5, block5, half5, OCTROWS5)
six:
	OCTQ6K(octet6, block6, half6, OCTROWS6)

// func avx2I8K(p *product)
TEXT ·avx2I8K(SB), 0, $192-8
	OCTBEGIN
	OCTCHOOSE
one:
	OCTI8K(octet1, block1, part1, OCTROWS1)
two:
	OCTI8K(octet2, block2, part2, OCTROWS2)
three:
	OCTI8K(octet3, block3, part3, OCTROWS3)
four:
	OCTI8K(octet4, block4, part4, OCTROWS4)
five:
	OCTI8K(octet5, block5, part5, OCTROWS5)
six:
	OCTI8K(octet6, block6, part6, OCTROWS6)
