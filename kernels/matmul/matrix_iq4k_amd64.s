#include "go_asm.h"
#include "textflag.h"
#include "matrix_amd64.h"
#include "matrix_k_amd64.h"

// What nibbles stand for, plus 128.
DATA iq4<>+0(SB)/8, $0x766a5d4f3f2d1801
DATA iq4<>+8(SB)/8, $0xf1d9c5b5a6998d81
GLOBL iq4<>(SB), RODATA|NOPTR, $16

// In this file R14 is 32 times the half of the block, of 128 values, and AX 2048 times.

// START128 sets the sums to -128 times the input's, which stores -32 times two halves'.
#define START128(o, i, P, A, B, C, D)                        \
	VPBROADCASTD (const_q8kOffsets+8*o)(P)(R14*1), A     \
	VPBROADCASTD (const_q8kOffsets+4+8*o)(P)(R14*1), Z28 \
	VPADDD       Z28, A, A                               \
	VPSLLD       $2, A, A                                \
	VMOVDQA64    A, B

#define TABLE                 \
	VPSHUFB Z24, Z31, Z24 \
	VPSHUFB Z25, Z31, Z25

// LINE is line j of sub-block s, whose nibbles begin at the byte at.
#define LINE(ROWS, at, s, j)                      \
	VPANDD (at+512*s+128*j)(SI)(AX*1), Z29, Z24    \
	VPANDD (at+64+512*s+128*j)(SI)(AX*1), Z29, Z25 \
	TABLE                                          \
	AHEAD                                          \
	ROWS(DOTH, (32*s+4*j))                         \
	VPSRLW $4, (at+512*s+128*j)(SI)(AX*1), Z24     \
	VPSRLW $4, (at+64+512*s+128*j)(SI)(AX*1), Z25  \
	VPANDD Z24, Z29, Z24                           \
	VPANDD Z25, Z29, Z25                           \
	TABLE                                          \
	AHEAD                                          \
	ROWS(DOTH, (32*s+16+4*j))

// SUB is sub-block s of the half, of 32 values; scales begin at the byte by.
#define SUB(ROWS, by, at, s)                   \
	VPMOVSXBD (by+32*s)(SI)(R14*4), Z26    \
	VPMOVSXBD (by+16+32*s)(SI)(R14*4), Z27 \
	AHEAD                                  \
	ROWS(START128, s)                      \
	LINE(ROWS, at, s, 0)                   \
	LINE(ROWS, at, s, 1)                   \
	LINE(ROWS, at, s, 2)                   \
	LINE(ROWS, at, s, 3)                   \
	ROWS(TOTAL, 0)

#define HALVES(HALF, by, at, ROWS) \
	ROWS(CLEARTOTAL, 0)        \
	XORL R14, R14              \
	XORL AX, AX                \
HALF:                              \
	SUB(ROWS, by, at, 0)       \
	SUB(ROWS, by, at, 1)       \
	SUB(ROWS, by, at, 2)       \
	SUB(ROWS, by, at, 3)       \
	ADDQ $32, R14              \
	ADDQ $2048, AX             \
	CMPQ AX, $4096             \
	JB   HALF

#define NEXTBLOCK(BLOCK, bytes, ROWS) \
	ROWS(FLOATS, 0)               \
	ROWS(NEXTK, 0)                \
	ADDQ $(bytes), SI             \
	DECQ CX                       \
	JNZ  BLOCK                    \
	ROWS(STOREK, 0)               \
	END

#define IQ4K(BLOCK, HALF, PART, ROWS)  \
	ROWS(LOADK, 0)                 \
	VPBROADCASTD MASK0F, Z29       \
BLOCK:                                 \
	VBROADCASTI32X4 iq4<>(SB), Z31 \
	HALVES(HALF, 64, 320, ROWS)    \
	VCVTPH2PS (SI), Z26            \
	VCVTPH2PS 32(SI), Z27          \
	NEXTBLOCK(BLOCK, (64+256+4096), ROWS)

// IQ3 has a table in every block.
#define IQ3(BLOCK, HALF, PART, ROWS) \
	ROWS(LOADK, 0)               \
	VPBROADCASTD MASK0F, Z29     \
BLOCK:                               \
	VMOVDQU64 384(SI), Z31       \
	HALVES(HALF, 128, 448, ROWS) \
	VMOVUPS (SI), Z26            \
	VMOVUPS 64(SI), Z27          \
	NEXTBLOCK(BLOCK, (128+256+64+4096), ROWS)

// func vnniIQ4K(p *product)
TEXT ·vnniIQ4K(SB), 0, $1344-8
	BEGIN
	ALIGN
	BODIES(IQ4K)

// func vnniIQ3(p *product)
TEXT ·vnniIQ3(SB), 0, $1344-8
	BEGIN
	ALIGN
	BODIES(IQ3)

#undef AHEAD
#define AHEAD AHEADL2

// func vnniIQ4KL2(p *product)
TEXT ·vnniIQ4KL2(SB), 0, $1344-8
	BEGIN
	ALIGN
	BODIES(IQ4K)
