#include "go_asm.h"
#include "textflag.h"
#include "matrix_amd64.h"
#include "matrix_k_amd64.h"
#include "matrix_many_amd64.h"

// The scales of an eighth of a block, which R14 is 32 times.
#define SCALES(half) (PAIRSAT+half)(R15)(R14*4)

#define PAIRQ6K(q)                     \
	VPMOVSXBD (64+64*q)(SI), Z0    \
	VPMOVSXBD (64+64*q+16)(SI), Z1 \
	VPMOVSXBD (64+64*q+32)(SI), Z2 \
	VPMOVSXBD (64+64*q+48)(SI), Z3 \
	JOIN(q)

// CODES puts four lines of codes, one from each of the fourths of half a block, together: nibbles
// at R8, high bits at R9, to R10.
#define CODES(half)                     \
	VMOVDQU64  half(R8), Z0         \
	VMOVDQU64  (1024+half)(R8), Z1  \
	VMOVDQU64  half(R9), Z4         \
	VPSRLW     $4, Z0, Z2           \
	VPSRLW     $4, Z1, Z3           \
	VPSLLW     $4, Z4, Z5           \
	VPSLLW     $2, Z4, Z6           \
	VPSRLW     $2, Z4, Z7           \
	VPANDD     Z5, Z30, Z5          \
	VPANDD     Z6, Z30, Z6          \
	VPANDD     Z4, Z30, Z4          \
	VPANDD     Z7, Z30, Z7          \
	VPTERNLOGD $0xea, Z5, Z29, Z0   \
	VPTERNLOGD $0xea, Z6, Z29, Z1   \
	VPTERNLOGD $0xea, Z4, Z29, Z2   \
	VPTERNLOGD $0xea, Z7, Z29, Z3   \
	VMOVDQA64  Z0, half(R10)        \
	VMOVDQA64  Z1, (1024+half)(R10) \
	VMOVDQA64  Z2, (2048+half)(R10) \
	VMOVDQA64  Z3, (3072+half)(R10)

// STARTM sets the sums to -32 times the input's: codes are stored plus 32.
#define STARTM(o, i, P, A, B, C, D, E, F)             \
	VPBROADCASTD const_q8kOffsets(P)(AX*1), A     \
	VMOVDQA64    A, B                             \
	VPBROADCASTD (const_q8kOffsets+4)(P)(AX*1), C \
	VMOVDQA64    C, D

#define LINE(ROWS, j)                          \
	VMOVDQA64 (CODESAT+128*j)(CX), Z24     \
	VMOVDQA64 (CODESAT+64+128*j)(CX), Z25  \
	AHEAD                                  \
	ROWS(DOTEVEN, (4*j))                   \
	VMOVDQA64 (CODESAT+512+128*j)(CX), Z26 \
	VMOVDQA64 (CODESAT+576+128*j)(CX), Z27 \
	ROWS(DOTODD, (16+4*j))

#define Q6KMANY(n, EIGHTH, SEPARATE, TOGETHER, ROWS) \
	ROWS(LOADM, 0)                               \
	XORL R14, R14                                \
	XORL AX, AX                                  \
	MOVQ R15, CX                                 \
EIGHTH:                                              \
	AHEAD                                        \
	AHEAD                                        \
	AHEAD                                        \
	ROWS(STARTM, 0)                              \
	LINE(ROWS, 0)                                \
	LINE(ROWS, 1)                                \
	LINE(ROWS, 2)                                \
	LINE(ROWS, 3)                                \
	CMPQ SMALL, $0                               \
	JEQ  SEPARATE                                \
	ROWS(MERGE, 0)                               \
TOGETHER:                                            \
	ADDQ $32, R14                                \
	ADDQ $8, AX                                  \
	ADDQ $1024, CX                               \
	CMPQ R14, $256                               \
	JB   EIGHTH                                  \
	ROWS(FLOATSM, 0)                             \
	ENDGROUP(n, SEPARATE, TOGETHER, ROWS)

// func vnniQ6KMany(p *product)
TEXT ·vnniQ6KMany(SB), 0, $12672-8
	BEGINMANY(clear)
	VPBROADCASTD MASK0F, Z29

block:
	PAIRQ6K(0)
	PAIRQ6K(1)
	PAIRQ6K(2)
	PAIRQ6K(3)
	PAIRQ6K(4)
	PAIRQ6K(5)
	PAIRQ6K(6)
	PAIRQ6K(7)
	VCVTPH2PS    (SI), Z0
	VCVTPH2PS    32(SI), Z1
	VMOVAPS      Z0, FLOATSAT(R15)
	VMOVAPS      Z1, (FLOATSAT+64)(R15)
	VPBROADCASTD MASK30, Z30
	LEAQ         576(SI), R8
	LEAQ         4672(SI), R9
	LEAQ         CODESAT(R15), R10
	LEAQ         (CODESAT+8192)(R15), R11

half:
	MOVL $8, CX

line:
	CODES(0)
	CODES(64)
	ADDQ $128, R8
	ADDQ $128, R9
	ADDQ $128, R10
	DECQ CX
	JNZ  line
	ADDQ $1024, R8
	ADDQ $3072, R10
	CMPQ R10, R11
	JB   half
	GROUPS

three:
	Q6KMANY(3, eighth3, separate3, together3, MANY3)

four:
	Q6KMANY(4, eighth4, separate4, together4, MANY4)
	ENDMANY((64+512+4096+2048))
