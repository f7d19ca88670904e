// What the kernels of 32-value blocks share.

// START sets the sums to -128 times the input's: codes are stored plus 128.
#define START(o, i, P, A, B, C, D)        \
	VPBROADCASTD const_q8Offset(P), A \
	VMOVDQA64    A, B

// SCALES reads a block's scales.
#define SCALES              \
	VCVTPH2PS (SI), Z26 \
	VCVTPH2PS 32(SI), Z27

// SCALE adds a finished block: sums times the scales in Z26, Z27 and the input's.
#define SCALE(o, i, P, A, B, C, D)             \
	VCVTDQ2PS   A, A                       \
	VCVTDQ2PS   B, B                       \
	VMULPS.BCST const_q8Scale(P), Z26, Z28 \
	VFMADD231PS Z28, A, C                  \
	VMULPS.BCST const_q8Scale(P), Z27, Z28 \
	VFMADD231PS Z28, B, D

// MINIMUM adds the minima in Z24 and Z25 times the input's sum.
#define MINIMUM(o, i, P, A, B, C, D)            \
	VFMADD231PS.BCST const_q8Sum(P), Z24, C \
	VFMADD231PS.BCST const_q8Sum(P), Z25, D

#define NEXT(o, i, P, A, B, C, D) \
	ADDQ $const_q8Bytes, P

// LINES reads line i of nibbles, which begin at the byte at, into Z26 and Z27.
#define LINES(at, i)                  \
	VMOVDQU64 (at+128*i)(SI), Z26 \
	VMOVDQU64 (at+64+128*i)(SI), Z27

// LOW and HIGH separate the nibbles; Z29 is their mask.
#define LOW                  \
	VPANDD Z26, Z29, Z24 \
	VPANDD Z27, Z29, Z25

#define HIGH                 \
	VPSRLW $4, Z26, Z24  \
	VPSRLW $4, Z27, Z25  \
	VPANDD Z24, Z29, Z24 \
	VPANDD Z25, Z29, Z25

// TABLE replaces nibbles by what they stand for, in Z31.
#define TABLE                 \
	VPSHUFB Z24, Z31, Z24 \
	VPSHUFB Z25, Z31, Z25

// FIFTH adds 16, in Z30, to the codes of line j whose bits, from the byte at on, are set.
#define FIFTH(at, j)               \
	KMOVQ  (at+16*j)(SI), K3   \
	KMOVQ  (at+8+16*j)(SI), K4 \
	VPADDB Z30, Z24, K3, Z24   \
	VPADDB Z30, Z25, K4, Z25

DATA nibble<>+0(SB)/4, $0x0f0f0f0f
DATA nibble<>+4(SB)/4, $0x10101010
GLOBL nibble<>(SB), RODATA|NOPTR, $8
