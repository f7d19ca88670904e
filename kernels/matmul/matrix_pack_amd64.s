#include "textflag.h"

// The places of 16 rows that are one byte apart.
DATA rows<>+0(SB)/4, $0
DATA rows<>+4(SB)/4, $1
DATA rows<>+8(SB)/4, $2
DATA rows<>+12(SB)/4, $3
DATA rows<>+16(SB)/4, $4
DATA rows<>+20(SB)/4, $5
DATA rows<>+24(SB)/4, $6
DATA rows<>+28(SB)/4, $7
DATA rows<>+32(SB)/4, $8
DATA rows<>+36(SB)/4, $9
DATA rows<>+40(SB)/4, $10
DATA rows<>+44(SB)/4, $11
DATA rows<>+48(SB)/4, $12
DATA rows<>+52(SB)/4, $13
DATA rows<>+56(SB)/4, $14
DATA rows<>+60(SB)/4, $15
GLOBL rows<>(SB), RODATA|NOPTR, $64

DATA parts<>+0(SB)/4, $0x3f3f3f3f
DATA parts<>+4(SB)/4, $0x0f0f0f0f
DATA parts<>+8(SB)/4, $0x30303030
DATA parts<>+12(SB)/4, $0xc0c0c0c0
GLOBL parts<>(SB), RODATA|NOPTR, $16

// ROWS makes Z31 the places of 16 rows, R8 and R9 where rows 0 and 16 begin, of rows
// AX bytes apart from SI on.
#define ROWS                         \
	VPBROADCASTD AX, Z30         \
	VPMULLD      rows<>(SB), Z30, Z31 \
	MOVQ         SI, R8          \
	SHLQ         $4, AX          \
	LEAQ         (SI)(AX*1), R9

// GATHER reads 4 bytes of each of 16 rows.
#define GATHER(place, Z)  \
	KXNORW     K1, K1, K1 \
	VPGATHERDD place, K1, Z

// func gatherLines(dst, src *byte, stride, words int, flip uint32)
TEXT ·gatherLines(SB), NOSPLIT, $0-36
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ stride+16(FP), AX
	MOVQ words+24(FP), CX
	ROWS
	MOVL flip+32(FP), AX
	VPBROADCASTD AX, Z29

word:
	GATHER((R8)(Z31*1), Z0)
	GATHER((R9)(Z31*1), Z1)
	VPXORD    Z29, Z0, Z0
	VPXORD    Z29, Z1, Z1
	VMOVDQU64 Z0, (DI)
	VMOVDQU64 Z1, 64(DI)
	ADDQ      $4, R8
	ADDQ      $4, R9
	ADDQ      $128, DI
	DECQ      CX
	JNZ       word
	VZEROUPPER
	RET

// BYTES stores the 4 bytes of each lane in 4 places 32 bytes apart.
#define BYTES(Z, at)          \
	VPMOVDB Z, at(DI)     \
	VPSRLD  $8, Z, Z28    \
	VPMOVDB Z28, (at+32)(DI) \
	VPSRLD  $16, Z, Z28   \
	VPMOVDB Z28, (at+64)(DI) \
	VPSRLD  $24, Z, Z28   \
	VPMOVDB Z28, (at+96)(DI)

// func gatherBytes(dst, src *byte, stride, words int)
TEXT ·gatherBytes(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ stride+16(FP), AX
	MOVQ words+24(FP), CX
	ROWS

four:
	GATHER((R8)(Z31*1), Z0)
	GATHER((R9)(Z31*1), Z1)
	BYTES(Z0, 0)
	BYTES(Z1, 16)
	ADDQ $4, R8
	ADDQ $4, R9
	ADDQ $128, DI
	DECQ CX
	JNZ  four
	VZEROUPPER
	RET

// SCALES makes of three words of 6-bit numbers Z0 and Z1, scales 0 to 3 and 4 to 7, and
// Z2 and Z3, minima.
#define SCALES(R, scales0, scales1, minima0, minima1) \
	GATHER((R)(Z31*1), Z4)         \
	GATHER(4(R)(Z31*1), Z5)        \
	GATHER(8(R)(Z31*1), Z6)        \
	VPANDD  Z4, Z20, scales0       \
	VPANDD  Z5, Z20, minima0       \
	VPSRLD  $2, Z4, Z4             \
	VPSRLD  $2, Z5, Z5             \
	VPANDD  Z4, Z22, Z4            \
	VPANDD  Z5, Z22, Z5            \
	VPANDD  Z6, Z21, scales1       \
	VPSRLD  $4, Z6, Z6             \
	VPANDD  Z6, Z21, minima1       \
	VPORD   Z4, scales1, scales1   \
	VPORD   Z5, minima1, minima1

// TOP adds two bits of the minima in Y, 6 bits up, to 32 bytes.
#define TOP(Y, at)            \
	VPSLLW  $6, Y, Y7     \
	VPAND   Y7, Y8, Y7    \
	VPOR    at(DI), Y7, Y7 \
	VMOVDQU Y7, at(DI)    \
	VPSRLW  $2, Y, Y

// TOPS hides two pairs of minima in the top bits of 6 lines.
#define TOPS(h)              \
	TOP(Y9, (32*h))      \
	TOP(Y9, (64+32*h))   \
	TOP(Y9, (128+32*h))  \
	TOP(Y10, (192+32*h)) \
	TOP(Y10, (256+32*h)) \
	TOP(Y10, (320+32*h))

// func gatherScalesK(dst, src *byte, stride int)
TEXT ·gatherScalesK(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ stride+16(FP), AX
	ROWS
	VPBROADCASTD parts<>+0(SB), Z20
	VPBROADCASTD parts<>+4(SB), Z21
	VPBROADCASTD parts<>+8(SB), Z22
	VPBROADCASTD parts<>+12(SB), Y8
	SCALES(R8, Z0, Z1, Z2, Z3)
	SCALES(R9, Z16, Z17, Z18, Z19)
	BYTES(Z0, 0)
	BYTES(Z1, 128)
	BYTES(Z16, 16)
	BYTES(Z17, 144)
	VPMOVDW Z2, 256(DI)
	VPMOVDW Z18, 288(DI)
	VPSRLD  $16, Z2, Z2
	VPSRLD  $16, Z18, Z18
	VPMOVDW Z2, 320(DI)
	VPMOVDW Z18, 352(DI)
	VPMOVDW Z3, Y9
	VPSRLD  $16, Z3, Z3
	VPMOVDW Z3, Y10
	TOPS(0)
	VPMOVDW Z19, Y9
	VPSRLD  $16, Z19, Z19
	VPMOVDW Z19, Y10
	TOPS(1)
	VZEROUPPER
	RET
