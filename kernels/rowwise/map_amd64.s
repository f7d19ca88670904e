#include "textflag.h"
#include "../exp_amd64.h"

// A window into this table is a mask of the first n of 8 lanes.
DATA tailMask<>+0(SB)/8, $-1
DATA tailMask<>+8(SB)/8, $-1
DATA tailMask<>+16(SB)/8, $-1
DATA tailMask<>+24(SB)/8, $-1
DATA tailMask<>+32(SB)/8, $0
DATA tailMask<>+40(SB)/8, $0
DATA tailMask<>+48(SB)/8, $0
DATA tailMask<>+56(SB)/8, $0
GLOBL tailMask<>(SB), RODATA|NOPTR, $64

// Twice sqrt(2/pi), and that times 0.044715; then 10 and -10.
DATA geluConst<>+0(SB)/4, $0x3fcc422a
DATA geluConst<>+4(SB)/4, $0x3d922279
DATA geluConst<>+8(SB)/4, $0x41200000
DATA geluConst<>+12(SB)/4, $0xc1200000
GLOBL geluConst<>(SB), RODATA|NOPTR, $16

// x = 1 / (1 + exp(-x)), with one in the register given.
#define SIGMOID_512(x) \
	VPXORD Z2, Z2, Z2    \
	VSUBPS x, Z2, x      \
	EXP_512(x, Z2, Z3)   \
	VADDPS Z31, x, x     \
	VDIVPS x, Z31, x

#define SIGMOID_256(x) \
	VXORPS Y2, Y2, Y2    \
	VSUBPS x, Y2, x      \
	EXP_256(x, Y2, Y3)   \
	VADDPS Y15, x, x     \
	VDIVPS x, Y15, x

// The first register becomes gelu(x) as glu.go has it: half(h * sigmoid(h*(a + b*h²)))
// with h = half(max(x, -10)), or x itself from 10 on.
#define GELU_512 \
	VMOVAPS Z0, Z5                     \
	VBROADCASTSS geluConst<>+12(SB), Z2 \
	VMAXPS Z0, Z2, Z0                  \
	VCVTPS2PH $0, Z0, Y0                \
	VCVTPH2PS Y0, Z0                    \
	VBROADCASTSS geluConst<>+0(SB), Z2 \
	VBROADCASTSS geluConst<>+4(SB), Z3 \
	VMULPS Z0, Z0, Z4                    \
	VFMADD213PS Z2, Z3, Z4             \
	VMULPS Z0, Z4, Z4                   \
	SIGMOID_512(Z4)                    \
	VMULPS Z4, Z0, Z0                    \
	VCVTPS2PH $0, Z0, Y0                \
	VCVTPH2PS Y0, Z0                    \
	VBROADCASTSS geluConst<>+8(SB), Z2 \
	VCMPPS $13, Z2, Z5, K2             \
	VMOVAPS Z5, K2, Z0

#define GELU_256 \
	VMOVAPS Y0, Y7                     \
	VBROADCASTSS geluConst<>+12(SB), Y2 \
	VMAXPS Y0, Y2, Y0                  \
	VCVTPS2PH $0, Y0, X0                \
	VCVTPH2PS X0, Y0                    \
	VBROADCASTSS geluConst<>+0(SB), Y2 \
	VBROADCASTSS geluConst<>+4(SB), Y3 \
	VMULPS Y0, Y0, Y4                    \
	VFMADD213PS Y2, Y3, Y4             \
	VMULPS Y0, Y4, Y4                   \
	SIGMOID_256(Y4)                    \
	VMULPS Y4, Y0, Y0                    \
	VCVTPS2PH $0, Y0, X0                \
	VCVTPH2PS X0, Y0                    \
	VBROADCASTSS geluConst<>+8(SB), Y2 \
	VCMPPS $13, Y2, Y7, Y2             \
	VBLENDVPS Y2, Y7, Y0, Y0

// func mapAdd512, mapAdd256(out, a, b *float32, n int, s, t float32)
#define FORM_512 ·mapAdd512
#define FORM_256 ·mapAdd256
#define BODY_512 \
	VADDPS Z1, Z0, Z0
#define BODY_256 \
	VADDPS Y1, Y0, Y0
#include "map_amd64.h"

// func mapMul512, mapMul256(out, a, b *float32, n int, s, t float32)
#define FORM_512 ·mapMul512
#define FORM_256 ·mapMul256
#define BODY_512 \
	VMULPS Z1, Z0, Z0
#define BODY_256 \
	VMULPS Y1, Y0, Y0
#include "map_amd64.h"

// func mapScale512, mapScale256(out, a, b *float32, n int, s, t float32)
#define FORM_512 ·mapScale512
#define FORM_256 ·mapScale256
#define BODY_512 \
	VMULPS Z16, Z0, Z0
#define BODY_256 \
	VBROADCASTSS s+32(FP), Y2 \
	VMULPS Y2, Y0, Y0
#include "map_amd64.h"

// func mapAddScaled512, mapAddScaled256(out, a, b *float32, n int, s, t float32)
#define FORM_512 ·mapAddScaled512
#define FORM_256 ·mapAddScaled256
#define BODY_512 \
	VFMADD213PS Z1, Z16, Z0
#define BODY_256 \
	VBROADCASTSS s+32(FP), Y2 \
	VFMADD213PS Y1, Y2, Y0
#include "map_amd64.h"

// func mapSoftCap512, mapSoftCap256(out, a, b *float32, n int, s, t float32)
#define FORM_512 ·mapSoftCap512
#define FORM_256 ·mapSoftCap256
#define BODY_512 \
	VMULPS Z16, Z0, Z0 \
	VADDPS Z0, Z0, Z0 \
	EXP_512(Z0, Z2, Z3) \
	VADDPS Z31, Z0, Z0 \
	VADDPS Z31, Z31, Z2 \
	VDIVPS Z0, Z2, Z0 \
	VSUBPS Z0, Z31, Z0 \
	VMULPS Z17, Z0, Z0
#define BODY_256 \
	VBROADCASTSS s+32(FP), Y2 \
	VMULPS Y2, Y0, Y0 \
	VADDPS Y0, Y0, Y0 \
	EXP_256(Y0, Y2, Y3) \
	VADDPS Y15, Y0, Y0 \
	VADDPS Y15, Y15, Y2 \
	VDIVPS Y0, Y2, Y0 \
	VSUBPS Y0, Y15, Y0 \
	VBROADCASTSS t+36(FP), Y2 \
	VMULPS Y2, Y0, Y0
#include "map_amd64.h"

// func mapSwiGLU512, mapSwiGLU256(out, a, b *float32, n int, s, t float32)
#define FORM_512 ·mapSwiGLU512
#define FORM_256 ·mapSwiGLU256
#define BODY_512 \
	VMOVAPS Z0, Z4 \
	SIGMOID_512(Z0) \
	VMULPS Z4, Z0, Z0 \
	VMULPS Z1, Z0, Z0
#define BODY_256 \
	VMOVAPS Y0, Y4 \
	SIGMOID_256(Y0) \
	VMULPS Y4, Y0, Y0 \
	VMULPS Y1, Y0, Y0
#include "map_amd64.h"

// func mapGeGLU512, mapGeGLU256(out, a, b *float32, n int, s, t float32)
#define FORM_512 ·mapGeGLU512
#define FORM_256 ·mapGeGLU256
#define BODY_512 \
	GELU_512 \
	VMULPS Z1, Z0, Z0
#define BODY_256 \
	GELU_256 \
	VMULPS Y1, Y0, Y0
#include "map_amd64.h"

// func mapSwiGLUClamped512, mapSwiGLUClamped256(out, a, b *float32, n int, s, t float32)
#define FORM_512 ·mapSwiGLUClamped512
#define FORM_256 ·mapSwiGLUClamped256
#define BODY_512 \
	VMINPS Z0, Z17, Z0 \
	VMULPS Z16, Z0, Z4 \
	SIGMOID_512(Z4) \
	VMULPS Z4, Z0, Z0 \
	VMINPS Z1, Z17, Z1 \
	VPXORD Z2, Z2, Z2 \
	VSUBPS Z17, Z2, Z2 \
	VMAXPS Z1, Z2, Z1 \
	VADDPS Z31, Z1, Z1 \
	VMULPS Z1, Z0, Z0
#define BODY_256 \
	VBROADCASTSS t+36(FP), Y2 \
	VMINPS Y0, Y2, Y0 \
	VMINPS Y1, Y2, Y1 \
	VXORPS Y3, Y3, Y3 \
	VSUBPS Y2, Y3, Y2 \
	VMAXPS Y1, Y2, Y1 \
	VADDPS Y15, Y1, Y1 \
	VBROADCASTSS s+32(FP), Y2 \
	VMULPS Y2, Y0, Y4 \
	SIGMOID_256(Y4) \
	VMULPS Y4, Y0, Y0 \
	VMULPS Y1, Y0, Y0
#include "map_amd64.h"

// func mapSigmoidGate512, mapSigmoidGate256(out, a, b *float32, n int, s, t float32)
#define FORM_512 ·mapSigmoidGate512
#define FORM_256 ·mapSigmoidGate256
#define BODY_512 \
	SIGMOID_512(Z0) \
	VMULPS Z1, Z0, Z0
#define BODY_256 \
	SIGMOID_256(Y0) \
	VMULPS Y1, Y0, Y0
#include "map_amd64.h"

// func mapSiLU512, mapSiLU256(out, a, b *float32, n int, s, t float32)
#define FORM_512 ·mapSiLU512
#define FORM_256 ·mapSiLU256
#define BODY_512 \
	VMOVAPS Z0, Z4 \
	SIGMOID_512(Z0) \
	VMULPS Z4, Z0, Z0
#define BODY_256 \
	VMOVAPS Y0, Y4 \
	SIGMOID_256(Y0) \
	VMULPS Y4, Y0, Y0
#include "map_amd64.h"

// func mapGELU512, mapGELU256(out, a, b *float32, n int, s, t float32)
#define FORM_512 ·mapGELU512
#define FORM_256 ·mapGELU256
#define BODY_512 \
	GELU_512
#define BODY_256 \
	GELU_256
#include "map_amd64.h"

// func mapSigmoid512, mapSigmoid256(out, a, b *float32, n int, s, t float32)
#define FORM_512 ·mapSigmoid512
#define FORM_256 ·mapSigmoid256
#define BODY_512 \
	SIGMOID_512(Z0)
#define BODY_256 \
	SIGMOID_256(Y0)
#include "map_amd64.h"

// func mapExp512, mapExp256(out, a, b *float32, n int, s, t float32)
#define FORM_512 ·mapExp512
#define FORM_256 ·mapExp256
#define BODY_512 \
	VSUBPS Z16, Z0, Z0 \
	EXP_512(Z0, Z2, Z3)
#define BODY_256 \
	VBROADCASTSS s+32(FP), Y2 \
	VSUBPS Y2, Y0, Y0 \
	EXP_256(Y0, Y2, Y3)
#include "map_amd64.h"

// func mapScaleMul512, mapScaleMul256(out, a, b *float32, n int, s, t float32)
#define FORM_512 ·mapScaleMul512
#define FORM_256 ·mapScaleMul256
#define BODY_512 \
	VMULPS Z16, Z0, Z0 \
	VMULPS Z1, Z0, Z0
#define BODY_256 \
	VBROADCASTSS s+32(FP), Y2 \
	VMULPS Y2, Y0, Y0 \
	VMULPS Y1, Y0, Y0
#include "map_amd64.h"

// func mapCentre512, mapCentre256(out, a, b *float32, n int, s, t float32)
#define FORM_512 ·mapCentre512
#define FORM_256 ·mapCentre256
#define BODY_512 \
	VSUBPS Z16, Z0, Z0 \
	VMULPS Z17, Z0, Z0
#define BODY_256 \
	VBROADCASTSS s+32(FP), Y2 \
	VSUBPS Y2, Y0, Y0 \
	VBROADCASTSS t+36(FP), Y2 \
	VMULPS Y2, Y0, Y0
#include "map_amd64.h"
