#include "go_asm.h"
#include "textflag.h"

DATA numbers<>+0(SB)/4, $0x7fffffff // the bits of a magnitude
DATA numbers<>+4(SB)/4, $127.0
DATA numbers<>+8(SB)/4, $1.0
DATA numbers<>+12(SB)/4, $-127.0
DATA numbers<>+16(SB)/4, $0x01010101
GLOBL numbers<>(SB), RODATA|NOPTR, $20

// The order in which sums of 16 come together: 4 by 4, turned over.
DATA turned<>+0(SB)/4, $0
DATA turned<>+4(SB)/4, $4
DATA turned<>+8(SB)/4, $8
DATA turned<>+12(SB)/4, $12
DATA turned<>+16(SB)/4, $1
DATA turned<>+20(SB)/4, $5
DATA turned<>+24(SB)/4, $9
DATA turned<>+28(SB)/4, $13
DATA turned<>+32(SB)/4, $2
DATA turned<>+36(SB)/4, $6
DATA turned<>+40(SB)/4, $10
DATA turned<>+44(SB)/4, $14
DATA turned<>+48(SB)/4, $3
DATA turned<>+52(SB)/4, $7
DATA turned<>+56(SB)/4, $11
DATA turned<>+60(SB)/4, $15
GLOBL turned<>(SB), RODATA|NOPTR, $64

// FOLD leaves OP of all 16 lanes of a register in its first.
#define FOLD(OP, Z, Y, X, TZ, TY, TX) \
	VEXTRACTF64X4 $1, Z, TY       \
	OP            TY, Y, Y        \
	VEXTRACTF32X4 $1, Y, TX       \
	OP            TX, X, X        \
	VPSHUFD       $0x4e, X, TX    \
	OP            TX, X, X        \
	VPSHUFD       $0xb1, X, TX    \
	OP            TX, X, X

// func roundQ8AVX512(dst *byte, src *float32, blocks int)
TEXT ·roundQ8AVX512(SB), NOSPLIT, $0-24
	MOVQ         dst+0(FP), DI
	MOVQ         src+8(FP), SI
	MOVQ         blocks+16(FP), CX
	VPBROADCASTD numbers<>+0(SB), Z20
	VMOVSS       numbers<>+4(SB), X21
	VPBROADCASTD numbers<>+16(SB), Y22
	VPXORD       X23, X23, X23

block:
	VMOVUPS     (SI), Z0
	VMOVUPS     64(SI), Z1
	VPANDD      Z20, Z0, Z2
	VPANDD      Z20, Z1, Z3
	VMAXPS      Z3, Z2, Z2
	FOLD(VMAXPS, Z2, Y2, X2, Z3, Y3, X3)
	VDIVSS      X21, X2, X4        // the scale
	VCVTPS2PH   $0, X4, X4
	VCVTPH2PS   X4, X4
	VMOVSS      X4, const_q8Scale(DI)
	VDIVSS      X2, X21, X5        // its inverse, 0 for a block of zeros
	VCMPSS      $4, X23, X2, K1
	VMOVSS.Z    X5, X5, K1, X5
	VBROADCASTSS X5, Z5
	VMULPS      Z5, Z0, Z0
	VMULPS      Z5, Z1, Z1
	VCVTPS2DQ   Z0, Z0
	VCVTPS2DQ   Z1, Z1
	VPMOVDB     Z0, (DI)
	VPMOVDB     Z1, 16(DI)
	VPADDD      Z1, Z0, Z0
	FOLD(VPADDD, Z0, Y0, X0, Z3, Y3, X3)
	VCVTDQ2PS   X0, X1
	VMULSS      X4, X1, X1
	VMOVSS      X1, const_q8Sum(DI)
	VPSLLD      $7, X0, X0
	VPSUBD      X0, X23, X0
	VMOVD       X0, const_q8Offset(DI)
	ADDQ        $128, SI
	ADDQ        $const_q8Bytes, DI
	DECQ        CX
	JNZ         block
	VZEROUPPER
	RET

#define EACH16(M)                                                                                    \
	M(0, Z0); M(64, Z1); M(128, Z2); M(192, Z3); M(256, Z4); M(320, Z5); M(384, Z6); M(448, Z7); \
	M(512, Z8); M(576, Z9); M(640, Z10); M(704, Z11); M(768, Z12); M(832, Z13); M(896, Z14); M(960, Z15)

#define READ(at, Z)         \
	VMOVUPS at(SI), Z   \
	VMAXPS  Z, Z16, Z16 \
	VMINPS  Z, Z17, Z17

// FIND jumps to found, with the place of the first value of magnitude Z18.
#define FIND(at, Z)               \
	MOVQ     $at, AX          \
	VPANDD   Z20, Z, Z19      \
	VCMPPS   $0, Z18, Z19, K1 \
	KMOVW    K1, BX           \
	TESTL    BX, BX           \
	JNZ      found

#define ROUND(at, Z)        \
	VMULPS    Z21, Z, Z \
	VCVTPS2DQ Z, Z      \
	VPMOVDB   Z, (at/4)(DI)

// SUMS16 leaves the sums of each 16 of 64 bytes in the lanes of Z.
#define SUMS16(at, Z)           \
	VPXORD   Z, Z, Z        \
	VPDPBUSD at(DI), Z22, Z \
	VPSHUFD  $0x4e, Z, Z19  \
	VPADDD   Z19, Z, Z      \
	VPSHUFD  $0xb1, Z, Z19  \
	VPADDD   Z19, Z, Z

// func roundQ8KVNNI(dst *byte, src *float32, blocks int)
TEXT ·roundQ8KVNNI(SB), NOSPLIT, $0-24
	MOVQ         dst+0(FP), DI
	MOVQ         src+8(FP), SI
	MOVQ         blocks+16(FP), CX
	VPBROADCASTD numbers<>+0(SB), Z20
	VPBROADCASTD numbers<>+16(SB), Z22
	VMOVDQU64    turned<>(SB), Z23
	VPXORD       Z24, Z24, Z24
	MOVL         $0x2222, AX
	KMOVW        AX, K2
	MOVL         $0x4444, AX
	KMOVW        AX, K3
	MOVL         $0x8888, AX
	KMOVW        AX, K4

block:
	VPXORD      Z16, Z16, Z16
	VPXORD      Z17, Z17, Z17
	EACH16(READ)
	FOLD(VMAXPS, Z16, Y16, X16, Z19, Y19, X19)
	FOLD(VMINPS, Z17, Y17, X17, Z19, Y19, X19)
	VPANDD      X20, X17, X18          // the magnitude below zero
	VUCOMISS    X18, X16
	JA          have                   // X16 is the value
	JB          below
	VPXORD      X21, X21, X21
	VUCOMISS    X16, X21
	JEQ         zero
	VBROADCASTSS X16, Z18              // both signs: the first one counts
	EACH16(FIND)

found:
	TZCNTL      BX, BX
	ADDQ        SI, AX
	VMOVSS      (AX)(BX*4), X16
	JMP         have

zero:
	VPXORD      X25, X25, X25
	VPXORD      Z21, Z21, Z21
	JMP         round

below:
	VMOVAPS     X17, X16

have:
	VMOVSS      numbers<>+12(SB), X21
	VDIVSS      X16, X21, X21
	VMOVSS      numbers<>+8(SB), X25
	VDIVSS      X21, X25, X25
	VBROADCASTSS X21, Z21

round:
	VMOVSS      X25, const_q8kScale(DI)
	EACH16(ROUND)
	SUMS16(0, Z0)
	SUMS16(64, Z1)
	SUMS16(128, Z2)
	SUMS16(192, Z3)
	VMOVDQA32   Z1, K2, Z0
	VMOVDQA32   Z2, K3, Z0
	VMOVDQA32   Z3, K4, Z0
	VPERMD      Z0, Z23, Z0
	VPSLLD      $5, Z0, Z1
	VPSUBD      Z1, Z24, Z1
	VMOVDQU64   Z1, const_q8kOffsets(DI)
	VPSRLQ      $32, Z0, Z1
	VPADDD      Z1, Z0, Z0
	VPMOVQW     Z0, const_q8kSums(DI)
	ADDQ        $1024, SI
	ADDQ        $const_q8kBytes, DI
	DECQ        CX
	JNZ         block
	VZEROUPPER
	RET

// func roundBF16AVX512(dst *byte, src *float32, sixteens int)
TEXT ·roundBF16AVX512(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ sixteens+16(FP), CX

sixteen:
	VMOVUPS (SI), Z0

	// VCVTNEPS2BF16 Z0, Y0, which the assembler does not know.
	BYTE $0x62; BYTE $0xf2; BYTE $0x7e; BYTE $0x48; BYTE $0x72; BYTE $0xc0
	VMOVDQU Y0, (DI)
	ADDQ    $64, SI
	ADDQ    $32, DI
	DECQ    CX
	JNZ     sixteen
	VZEROUPPER
	RET

// LARGEST takes the sums of the magnitudes of each 16 of 64 bytes into Z10.
#define LARGEST(at, Z)          \
	VPABSB   at(DI), Z18    \
	VPXORD   Z, Z, Z        \
	VPDPBUSD Z22, Z18, Z    \
	VPSHUFD  $0x4e, Z, Z19  \
	VPADDD   Z19, Z, Z      \
	VPSHUFD  $0xb1, Z, Z19  \
	VPADDD   Z19, Z, Z      \
	VPMAXSD  Z, Z10, Z10

// func largestSumVNNI(row *byte, blocks int) int
TEXT ·largestSumVNNI(SB), NOSPLIT, $0-24
	MOVQ         row+0(FP), DI
	MOVQ         blocks+8(FP), CX
	VPBROADCASTD numbers<>+16(SB), Z22
	VPXORD       Z10, Z10, Z10

block:
	LARGEST(0, Z0)
	LARGEST(64, Z1)
	LARGEST(128, Z2)
	LARGEST(192, Z3)
	ADDQ $const_q8kBytes, DI
	DECQ CX
	JNZ  block
	FOLD(VPMAXSD, Z10, Y10, X10, Z19, Y19, X19)
	VMOVD X10, AX
	MOVQ  AX, ret+16(FP)
	VZEROUPPER
	RET
