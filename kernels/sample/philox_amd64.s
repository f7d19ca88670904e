#include "textflag.h"

// Constants of the generator and of logFloat, as in philox.go.
DATA noiseConst<>+0(SB)/4, $0xD2511F53
DATA noiseConst<>+4(SB)/4, $0xCD9E8D57
DATA noiseConst<>+8(SB)/4, $0x9E3779B9
DATA noiseConst<>+12(SB)/4, $0xBB67AE85
DATA noiseConst<>+16(SB)/4, $1
DATA noiseConst<>+20(SB)/4, $0x33800000 // 2^-24
DATA noiseConst<>+24(SB)/4, $0x3f3504f3 // the root of a half
DATA noiseConst<>+28(SB)/4, $0x3f800000 // 1
DATA noiseConst<>+32(SB)/4, $0x3f318000 // ln(2), high bits
DATA noiseConst<>+36(SB)/4, $0xb95e8083 // ln(2), what is left
DATA noiseConst<>+40(SB)/4, $0xbeffffff
DATA noiseConst<>+44(SB)/4, $0x3eaaaaaa
DATA noiseConst<>+48(SB)/4, $0xbe800106
DATA noiseConst<>+52(SB)/4, $0x3e4cd009
DATA noiseConst<>+56(SB)/4, $0xbe2a41c1
DATA noiseConst<>+60(SB)/4, $0x3e11752d
DATA noiseConst<>+64(SB)/4, $0xbe066d19
DATA noiseConst<>+68(SB)/4, $0x3e0247b9
DATA noiseConst<>+72(SB)/4, $0xbd9d27fb
GLOBL noiseConst<>(SB), RODATA|NOPTR, $76

// The even counters of a block and the odd ones.
DATA noiseEven<>+0(SB)/8, $0
DATA noiseEven<>+8(SB)/8, $2
DATA noiseEven<>+16(SB)/8, $4
DATA noiseEven<>+24(SB)/8, $6
DATA noiseEven<>+32(SB)/8, $8
DATA noiseEven<>+40(SB)/8, $10
DATA noiseEven<>+48(SB)/8, $12
DATA noiseEven<>+56(SB)/8, $14
GLOBL noiseEven<>(SB), RODATA|NOPTR, $64

// One round for 8 counters, each word in the low half of a lane; what the high
// halves hold does not matter. Z16, Z17 are the multipliers, Z18, Z19 the keys.
#define PHILOX_ROUND(c0, c1, c2, c3, a, b) \
	VPMULUDQ Z16, c0, a         \
	VPMULUDQ Z17, c2, b         \
	VPSRLQ $32, b, c0           \
	VPTERNLOGD $0x96, Z18, c1, c0 \
	VPSRLQ $32, a, c2           \
	VPTERNLOGD $0x96, Z19, c3, c2 \
	VMOVDQA64 b, c1             \
	VMOVDQA64 a, c3

// The even and the odd lanes of a word in one vector, in e.
#define JOIN(e, o) \
	VPSLLQ $32, o, o         \
	VMOVDQA32 o, K1, e

// x = -logFloat(x); f, q and t are scratch. Every product and sum rounds.
#define MINUS_LOG(x, f, q, t) \
	VPSUBD Z22, x, t      \
	VPSRAD $23, t, t      \
	VPSLLD $23, t, f      \
	VPSUBD f, x, f        \
	VSUBPS Z23, f, f      \
	VCVTDQ2PS t, t        \
	VMULPS f, Z10, q \
	VADDPS Z11, q, q \
	VMULPS f, q, q   \
	VADDPS Z12, q, q \
	VMULPS f, q, q   \
	VADDPS Z13, q, q \
	VMULPS f, q, q   \
	VADDPS Z14, q, q \
	VMULPS f, q, q   \
	VADDPS Z15, q, q \
	VMULPS f, q, q   \
	VADDPS Z26, q, q \
	VMULPS f, q, q   \
	VADDPS Z27, q, q \
	VMULPS f, q, q   \
	VADDPS Z28, q, q \
	VMULPS f, f, x        \
	VMULPS q, x, q        \
	VMULPS Z25, t, x      \
	VADDPS x, q, q        \
	VADDPS f, q, q        \
	VMULPS Z24, t, t      \
	VADDPS t, q, q        \
	VXORPS Z30, q, x

#define NOISE(x, f, q, t) \
	VPSRLD $8, x, x       \
	VPORD Z20, x, x       \
	VCVTDQ2PS x, x        \
	VMULPS Z21, x, x      \
	MINUS_LOG(x, f, q, t) \
	MINUS_LOG(x, f, q, t)

// func noiseBlock512(dst *float32, seedLow, seedHigh, pos, block uint32)
//
// The noise of the 64 tokens from 64*block on.
TEXT ·noiseBlock512(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	VPBROADCASTD noiseConst<>+0(SB), Z16
	VPBROADCASTD noiseConst<>+4(SB), Z17
	MOVL seedLow+8(FP), AX
	VPBROADCASTD AX, Z18
	MOVL seedHigh+12(FP), AX
	VPBROADCASTD AX, Z19
	VPBROADCASTD noiseConst<>+8(SB), Z20
	VPBROADCASTD noiseConst<>+12(SB), Z21
	MOVL block+20(FP), AX
	SHLL $4, AX
	VPBROADCASTQ AX, Z0
	VPORQ noiseEven<>(SB), Z0, Z0
	MOVL pos+16(FP), AX
	VPBROADCASTQ AX, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
	MOVL $1, AX
	VPBROADCASTQ AX, Z4
	VPORQ Z0, Z4, Z4
	VMOVDQA64 Z1, Z5
	VPXORQ Z6, Z6, Z6
	VPXORQ Z7, Z7, Z7
	MOVL $10, CX
round:
	PHILOX_ROUND(Z0, Z1, Z2, Z3, Z8, Z9)
	PHILOX_ROUND(Z4, Z5, Z6, Z7, Z10, Z11)
	VPADDD Z20, Z18, Z18
	VPADDD Z21, Z19, Z19
	DECL CX
	JNE  round
	MOVL $0xaaaa, AX
	KMOVW AX, K1
	JOIN(Z0, Z4)
	JOIN(Z1, Z5)
	JOIN(Z2, Z6)
	JOIN(Z3, Z7)
	VPBROADCASTD noiseConst<>+16(SB), Z20
	VBROADCASTSS noiseConst<>+20(SB), Z21
	VPBROADCASTD noiseConst<>+24(SB), Z22
	VBROADCASTSS noiseConst<>+28(SB), Z23
	VBROADCASTSS noiseConst<>+32(SB), Z24
	VBROADCASTSS noiseConst<>+36(SB), Z25
	VBROADCASTSS noiseConst<>+72(SB), Z10
	VBROADCASTSS noiseConst<>+68(SB), Z11
	VBROADCASTSS noiseConst<>+64(SB), Z12
	VBROADCASTSS noiseConst<>+60(SB), Z13
	VBROADCASTSS noiseConst<>+56(SB), Z14
	VBROADCASTSS noiseConst<>+52(SB), Z15
	VBROADCASTSS noiseConst<>+48(SB), Z26
	VBROADCASTSS noiseConst<>+44(SB), Z27
	VBROADCASTSS noiseConst<>+40(SB), Z28
	VPSLLD $31, Z20, Z30 // the sign
	NOISE(Z0, Z4, Z5, Z6)
	NOISE(Z1, Z7, Z8, Z9)
	NOISE(Z2, Z16, Z17, Z18)
	NOISE(Z3, Z4, Z5, Z6)
	// Word w of counter i belongs to token 4*i+w.
	VPUNPCKLDQ Z1, Z0, Z4
	VPUNPCKHDQ Z1, Z0, Z5
	VPUNPCKLDQ Z3, Z2, Z6
	VPUNPCKHDQ Z3, Z2, Z7
	VPUNPCKLQDQ Z6, Z4, Z0
	VPUNPCKHQDQ Z6, Z4, Z1
	VPUNPCKLQDQ Z7, Z5, Z2
	VPUNPCKHQDQ Z7, Z5, Z3
	VEXTRACTI32X4 $0, Z0, 0(DI)
	VEXTRACTI32X4 $0, Z1, 16(DI)
	VEXTRACTI32X4 $0, Z2, 32(DI)
	VEXTRACTI32X4 $0, Z3, 48(DI)
	VEXTRACTI32X4 $1, Z0, 64(DI)
	VEXTRACTI32X4 $1, Z1, 80(DI)
	VEXTRACTI32X4 $1, Z2, 96(DI)
	VEXTRACTI32X4 $1, Z3, 112(DI)
	VEXTRACTI32X4 $2, Z0, 128(DI)
	VEXTRACTI32X4 $2, Z1, 144(DI)
	VEXTRACTI32X4 $2, Z2, 160(DI)
	VEXTRACTI32X4 $2, Z3, 176(DI)
	VEXTRACTI32X4 $3, Z0, 192(DI)
	VEXTRACTI32X4 $3, Z1, 208(DI)
	VEXTRACTI32X4 $3, Z2, 224(DI)
	VEXTRACTI32X4 $3, Z3, 240(DI)
	VZEROUPPER
	RET

// func loudest512(noise, logits *float32, temperature float32) float32
//
// The largest logit/temperature + noise of 64 tokens.
TEXT ·loudest512(SB), NOSPLIT, $0-28
	MOVQ noise+0(FP), SI
	MOVQ logits+8(FP), DX
	VBROADCASTSS temperature+16(FP), Z4
	VMOVUPS (DX), Z0
	VMOVUPS 64(DX), Z1
	VMOVUPS 128(DX), Z2
	VMOVUPS 192(DX), Z3
	VDIVPS Z4, Z0, Z0
	VDIVPS Z4, Z1, Z1
	VDIVPS Z4, Z2, Z2
	VDIVPS Z4, Z3, Z3
	VADDPS (SI), Z0, Z0
	VADDPS 64(SI), Z1, Z1
	VADDPS 128(SI), Z2, Z2
	VADDPS 192(SI), Z3, Z3
	VMAXPS Z1, Z0, Z0
	VMAXPS Z3, Z2, Z2
	VMAXPS Z2, Z0, Z0
	VEXTRACTF64X4 $1, Z0, Y1
	VMAXPS Y1, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VMAXPS X1, X0, X0
	VPERMILPS $0x4e, X0, X1
	VMAXPS X1, X0, X0
	VPERMILPS $0xb1, X0, X1
	VMAXPS X1, X0, X0
	VMOVSS X0, ret+24(FP)
	VZEROUPPER
	RET
