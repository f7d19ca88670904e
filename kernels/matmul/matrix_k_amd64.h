// Masks of a byte, four times each.
DATA masks<>+0(SB)/4, $0x0f0f0f0f
DATA masks<>+4(SB)/4, $0x3f3f3f3f
DATA masks<>+8(SB)/4, $0x03030303
DATA masks<>+12(SB)/4, $0x0c0c0c0c
DATA masks<>+16(SB)/4, $0x30303030
DATA masks<>+20(SB)/4, $0x10101010
DATA masks<>+24(SB)/4, $0x04040404
DATA masks<>+28(SB)/4, $0x0000000f
GLOBL masks<>(SB), RODATA|NOPTR, $32

#define MASK0F masks<>+0(SB)
#define MASK3F masks<>+4(SB)
#define MASK03 masks<>+8(SB)
#define MASK0C masks<>+12(SB)
#define MASK30 masks<>+16(SB)
#define MASK10 masks<>+20(SB)
#define MASK04 masks<>+24(SB)
#define NIBBLE masks<>+28(SB)

// DOTK is DOT for values o bytes from R14 on.
#define DOTK(o, i, P, A, B, C, D)     \
	VPBROADCASTD o(P)(R14*1), Z28 \
	VPDPBUSD     Z28, Z24, A      \
	VPDPBUSD     Z28, Z25, B

// DOTH is DOT for values o bytes into the half of the block that R14 is 32 times.
#define DOTH(o, i, P, A, B, C, D)     \
	VPBROADCASTD o(P)(R14*4), Z28 \
	VPDPBUSD     Z28, Z24, A      \
	VPDPBUSD     Z28, Z25, B

// MINIMA adds the products of two sub-blocks' minima (16-bit, in Z24 and Z25) and
// of the input's sums, o bytes into them.
#define MINIMA(o, i, P, A, B, C, D)            \
	VPBROADCASTD (const_q8kSums+o)(P), Z28 \
	VPDPWSSD     Z28, Z24, A               \
	VPDPWSSD     Z28, Z25, B

// LESS takes the minima's sums, times the block's scales in Z24 and Z25 and the
// input's, off the float sums.
#define LESS(o, i, P, A, B, C, D)                \
	VBROADCASTSS const_q8kScale(P), Z28      \
	VCVTDQ2PS    A, A                        \
	VCVTDQ2PS    B, B                        \
	VMULPS       Z28, Z24, Z30               \
	VMULPS       Z28, Z25, Z31               \
	VFNMADD213PS (SUMS+16*i)(R15), Z30, A    \
	VFNMADD213PS (SUMS+64+16*i)(R15), Z31, B \
	VMOVAPS      A, (SUMS+16*i)(R15)         \
	VMOVAPS      B, (SUMS+64+16*i)(R15)

// SIX stores 64 numbers of 6 bits from line i.
#define SIX(i)                         \
	VMOVDQU64   (128+64*i)(SI), Z0 \
	VPANDD.BCST MASK3F, Z0, Z1     \
	VMOVDQA64   Z1, (64*i)(R15)

// TOPS puts line i together from the top bits of three lines.
#define TOPS(i, at)                      \
	VPSRLW      $6, (at)(SI), Z0     \
	VPSRLW      $4, (at+64)(SI), Z1  \
	VPSRLW      $2, (at+128)(SI), Z2 \
	VPANDD.BCST MASK03, Z0, Z0       \
	VPANDD.BCST MASK0C, Z1, Z1       \
	VPANDD.BCST MASK30, Z2, Z2       \
	VPORD       Z1, Z0, Z0           \
	VPORD       Z2, Z0, Z0           \
	VMOVDQA64   Z0, (64*i)(R15)

// SCALESK unpacks the scales and minima of Q4_K and Q5_K into R15.
#define SCALESK      \
	AHEAD        \
	AHEAD        \
	SIX(0)       \
	SIX(1)       \
	AHEAD        \
	AHEAD        \
	SIX(2)       \
	SIX(3)       \
	AHEAD        \
	AHEAD        \
	SIX(4)       \
	SIX(5)       \
	AHEAD        \
	AHEAD        \
	TOPS(6, 128) \
	TOPS(7, (128+192))

// SUBSCALES loads the scales of the sub-block at o from R14 on.
#define SUBSCALES(o)                 \
	VPMOVZXBD o(R15)(R14*1), Z26 \
	VPMOVZXBD (o+16)(R15)(R14*1), Z27

#define PAIR(ROWS, o)                     \
	VPMOVZXBW (256+16*o)(R15), Z24    \
	VPMOVZXBW (256+16*o+32)(R15), Z25 \
	ROWS(MINIMA, o)

// ENDK finishes a block of Q4_K or Q5_K.
#define ENDK(ROWS)            \
	ROWS(CLEAR, 0)        \
	PAIR(ROWS, 0)         \
	PAIR(ROWS, 4)         \
	PAIR(ROWS, 8)         \
	PAIR(ROWS, 12)        \
	VCVTPH2PS (SI), Z26   \
	VCVTPH2PS 32(SI), Z27 \
	VCVTPH2PS 64(SI), Z24 \
	VCVTPH2PS 96(SI), Z25 \
	ROWS(FLOATS, 0)       \
	ROWS(LESS, 0)         \
	ROWS(NEXTK, 0)
