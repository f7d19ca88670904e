#include "go_asm.h"
#include "textflag.h"
#include "matrix_amd64.h"
#include "matrix_k_amd64.h"
#include "matrix_many_amd64.h"

// The scales of a quarter of a block, which R14 is 64 times.
#define SCALES(half) (PAIRSAT+half)(R15)(R14*2)

// PAIRQ4K prepares the scales and minima of pair q of sub-blocks.
#define PAIRQ4K(q)                          \
	VPMOVZXBD (64*q)(R15), Z0           \
	VPMOVZXBD (64*q+16)(R15), Z1        \
	VPMOVZXBD (64*q+32)(R15), Z2        \
	VPMOVZXBD (64*q+48)(R15), Z3        \
	JOIN(q)                             \
	VPMOVZXBW (256+64*q)(R15), Z0       \
	VPMOVZXBW (256+64*q+32)(R15), Z1    \
	VMOVDQA64 Z0, (MINIMAAT+128*q)(R15) \
	VMOVDQA64 Z1, (MINIMAAT+64+128*q)(R15)

#define CLEARSUMS(o, i, P, A, B, C, D, E, F) \
	VPXORD A, A, A                       \
	VPXORD B, B, B                       \
	VPXORD C, C, C                       \
	VPXORD D, D, D

#define LINE(ROWS, j)                        \
	VMOVDQU64 (512+128*j)(SI)(AX*1), Z26 \
	VMOVDQU64 (576+128*j)(SI)(AX*1), Z27 \
	VPANDD    Z26, Z29, Z24              \
	VPANDD    Z27, Z29, Z25              \
	VPSRLW    $4, Z26, Z26               \
	VPSRLW    $4, Z27, Z27               \
	VPANDD    Z26, Z29, Z26              \
	VPANDD    Z27, Z29, Z27              \
	AHEAD                                \
	ROWS(DOTEVEN, (4*j))                 \
	ROWS(DOTODD, (32+4*j))

// MINIMAM adds the products of pair q of minima and of the input's sums.
#define MINIMAM(q, i, P, A, B, C, D, E, F)         \
	VPBROADCASTD (const_q8kSums+4*q)(P), Z28   \
	VPDPWSSD     (MINIMAAT+128*q)(R15), Z28, A \
	VPDPWSSD     (MINIMAAT+64+128*q)(R15), Z28, B

// LESSM takes the minima's sums, times the block's scales and the input's, off E and F.
#define LESSM(o, i, P, A, B, C, D, E, F)         \
	VCVTDQ2PS    A, A                        \
	VCVTDQ2PS    B, B                        \
	VBROADCASTSS const_q8kScale(P), Z28      \
	VMULPS       (FLOATSAT+128)(R15), Z28, C \
	VMULPS       (FLOATSAT+192)(R15), Z28, D \
	VFNMADD231PS C, A, E                     \
	VFNMADD231PS D, B, F

#define Q4KMANY(n, QUARTER, SEPARATE, TOGETHER, ROWS) \
	ROWS(LOADM, 0)                                \
	XORL R14, R14                                 \
	XORL AX, AX                                   \
QUARTER:                                              \
	AHEAD                                         \
	ROWS(CLEARSUMS, 0)                            \
	LINE(ROWS, 0)                                 \
	LINE(ROWS, 1)                                 \
	LINE(ROWS, 2)                                 \
	LINE(ROWS, 3)                                 \
	LINE(ROWS, 4)                                 \
	LINE(ROWS, 5)                                 \
	LINE(ROWS, 6)                                 \
	LINE(ROWS, 7)                                 \
	CMPQ SMALL, $0                                \
	JEQ  SEPARATE                                 \
	ROWS(MERGE, 0)                                \
TOGETHER:                                             \
	ADDQ $64, R14                                 \
	ADDQ $1024, AX                                \
	CMPQ AX, $4096                                \
	JB   QUARTER                                  \
	ROWS(CLEARSUMS, 0)                            \
	ROWS(MINIMAM, 0)                              \
	ROWS(MINIMAM, 1)                              \
	ROWS(MINIMAM, 2)                              \
	ROWS(MINIMAM, 3)                              \
	ROWS(FLOATSM, 0)                              \
	ROWS(LESSM, 0)                                \
	ENDGROUP(n, SEPARATE, TOGETHER, ROWS)

// func vnniQ4KMany(p *product)
TEXT ·vnniQ4KMany(SB), 0, $4480-8
	BEGINMANY(clear)
	VPBROADCASTD MASK0F, Z29

block:
	SCALESK
	PAIRQ4K(0)
	PAIRQ4K(1)
	PAIRQ4K(2)
	PAIRQ4K(3)
	VCVTPH2PS (SI), Z0
	VCVTPH2PS 32(SI), Z1
	VCVTPH2PS 64(SI), Z2
	VCVTPH2PS 96(SI), Z3
	VMOVAPS   Z0, FLOATSAT(R15)
	VMOVAPS   Z1, (FLOATSAT+64)(R15)
	VMOVAPS   Z2, (FLOATSAT+128)(R15)
	VMOVAPS   Z3, (FLOATSAT+192)(R15)
	GROUPS

three:
	Q4KMANY(3, quarter3, separate3, together3, MANY3)

four:
	Q4KMANY(4, quarter4, separate4, together4, MANY4)
	ENDMANY((128+384+4096))
