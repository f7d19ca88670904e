#include "go_asm.h"
#include "textflag.h"
#include "matrix_amd64.h"
#include "matrix_k_amd64.h"
#include "matrix_twobit_amd64.h"
#include "matrix_inplace_amd64.h"
#include "matrix_iq1_amd64.h"

// Types with three values in blocks of 256, whose codes stay in their places: TQ and IQ1_S.

// -64 twice, 1/64 and -1/64.
DATA ternary<>+0(SB)/4, $0xffc0ffc0
DATA ternary<>+4(SB)/4, $0x3c800000
DATA ternary<>+8(SB)/4, $0xbc800000
GLOBL ternary<>(SB), RODATA|NOPTR, $12

// STARTALL sets the totals to -64 times the input's sum over the block.
#define STARTALL(o, i, P, A, B, C, D)               \
	VPXORD        C, C, C                       \
	VPDPWSSD.BCST (const_q8kSums+0)(P), Z31, C  \
	VPDPWSSD.BCST (const_q8kSums+4)(P), Z31, C  \
	VPDPWSSD.BCST (const_q8kSums+8)(P), Z31, C  \
	VPDPWSSD.BCST (const_q8kSums+12)(P), Z31, C \
	VMOVDQA64     C, D

// RAISED adds a field's sums to the totals, o bits up.
#define RAISED(o, i, P, A, B, C, D) \
	VPSLLD $o, A, A             \
	VPSLLD $o, B, B             \
	VPADDD A, C, C              \
	VPADDD B, D, D

#define TQ(BLOCK, HALF, ROWS, ALL, EACH, F0, F1, F2, F3) \
	ROWS(LOADK, 0)                                   \
BLOCK:                                                   \
	AHEAD                                            \
	VPBROADCASTD ternary<>+0(SB), Z31                \
	ROWS(STARTALL, 0)                                \
	FIRSTHALF                                        \
HALF:                                                    \
	ALL(64)                                          \
	EACH(F0, 64, 0)                                  \
	F0(RAISED, 6)                                    \
	EACH(F1, 64, 1)                                  \
	F1(RAISED, 4)                                    \
	EACH(F2, 64, 2)                                  \
	F2(RAISED, 2)                                    \
	EACH(F3, 64, 3)                                  \
	F3(RAISED, 0)                                    \
	NEXTHALF(HALF)                                   \
	HALFTIMES(ROWS, ternary<>+4(SB))                 \
	NEXTBLOCK(BLOCK, 2112, ROWS)

// SUMS32 adds products of two sub-blocks' offsets and of the input's sums of 32, o bytes into them.
#define SUMS32(o, i, P, A, B, C, D)            \
	VPBROADCASTD (const_q8kSums+o)(P), Z28 \
	VPDPWSSD     Z28, Z26, C               \
	VPDPWSSD     Z28, Z27, D

// STORESCALES keeps the scales of nibbles: what they are, made odd.
#define STORESCALES(at)               \
	VPORD.BCST BYTEONES, Z24, Z26 \
	VPORD.BCST BYTEONES, Z25, Z27 \
	VMOVDQA64  Z26, at(R15)       \
	VMOVDQA64  Z27, (at+64)(R15)

#define IQ1S(BLOCK, HALF, ROWS, ALL, EACH, F0, F1, F2, F3) \
	ROWS(LOADK, 0)                                     \
BLOCK:                                                     \
	AHEAD                                              \
	AHEAD                                              \
	AHEAD                                              \
	NIBBLEOFFSETS                                      \
	ROWS(CLEARTOTAL, 0)                                \
	LOWNIBBLES(64)                                     \
	STORESCALES(0)                                     \
	OFFSETS(ROWS, SUMS32, 0, 4)                        \
	HIGHNIBBLES(64)                                    \
	STORESCALES(128)                                   \
	OFFSETS(ROWS, SUMS32, 8, 12)                       \
	ROWS(EIGHTFOLD, 0)                                 \
	FIRSTHALF                                          \
HALF:                                                      \
	ALL(192)                                           \
	EACH(F0, 192, 0)                                   \
	SCALESAT(VPSLLD, 6, 0, R15, TIMES64)               \
	F0(LESSTOTAL, 0)                                   \
	EACH(F1, 192, 1)                                   \
	SCALESAT(VPSRLD, 12, 0, R15, TIMES16)              \
	F1(LESSTOTAL, 0)                                   \
	EACH(F2, 192, 2)                                   \
	SCALESAT(VPSRLD, 6, 0, R15, TIMES4)                \
	F2(LESSTOTAL, 0)                                   \
	EACH(F3, 192, 3)                                   \
	SCALESAT(VPSRLD, 24, 0, R15, TIMES1)               \
	F3(LESSTOTAL, 0)                                   \
	NEXTHALF(HALF)                                     \
	HALFTIMES(ROWS, ternary<>+8(SB))                   \
	NEXTBLOCK(BLOCK, 2240, ROWS)

// func vnniTQ(p *product)
TEXT ·vnniTQ(SB), 0, $1344-8
	BEGIN
	ALIGN
	CHOOSE
one:
	ONEROW(TQ, block1, half1)
two:
	MOREROWS(TQ, block2, half2, ROWS2)
three:
	MOREROWS(TQ, block3, half3, ROWS3)
four:
	MOREROWS(TQ, block4, half4, ROWS4)
five:
	MOREROWS(TQ, block5, half5, ROWS5)
six:
	MOREROWS(TQ, block6, half6, ROWS6)

// func vnniIQ1S(p *product)
TEXT ·vnniIQ1S(SB), 0, $1344-8
	BEGIN
	ALIGN
	CHOOSE
one:
	ONEROW(IQ1S, block1, half1)
two:
	MOREROWS(IQ1S, block2, half2, ROWS2)
three:
	MOREROWS(IQ1S, block3, half3, ROWS3)
four:
	MOREROWS(IQ1S, block4, half4, ROWS4)
five:
	MOREROWS(IQ1S, block5, half5, ROWS5)
six:
	MOREROWS(IQ1S, block6, half6, ROWS6)
