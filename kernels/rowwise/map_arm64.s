#include "textflag.h"
#include "../neon_arm64.h"
#include "../exp_arm64.h"

// V31 is one, for exp.
#define SIGMOID(x)       \
	ZEROV(2)         \
	VFSUBS(x, 2, x)  \
	EXP(x, 2, 3, 4)  \
	VFADDS(31, x, x) \
	VFDIVS(x, 31, x)

// TANH is 1 - 2/(exp(2x)+1).
#define TANH(x)           \
	VFADDS(x, x, x)   \
	EXP(x, 2, 3, 4)   \
	VFADDS(31, x, x)  \
	VFADDS(31, 31, 2) \
	VFDIVS(x, 2, x)   \
	VFSUBS(x, 31, x)

#define CONSTANT(bits, V) \
	MOVD $bits, R5    \
	VDUP R5, V.S4

// GELU makes gelu(x) of V0 as glu.go has it: half(h * sigmoid(h*(a + b*h²))) with
// h = half(max(x, -10)), or x itself from 10 on; a is twice sqrt(2/pi), b that times
// 0.044715.
#define GELU                       \
	MOVV(0, 5)                 \
	CONSTANT(0xc1200000, V2)   \
	VFMAXS(2, 0, 0)            \
	FCVTNH(0, 0); FCVTLH(0, 0) \
	CONSTANT(0x3fcc422a, V2)   \
	CONSTANT(0x3d922279, V3)   \
	VFMULS(0, 0, 6)            \
	FMLAS(6, 3, 2)             \
	VFMULS(0, 2, 6)            \
	SIGMOID(6)                 \
	VFMULS(6, 0, 0)            \
	FCVTNH(0, 0); FCVTLH(0, 0) \
	CONSTANT(0x41200000, V2)   \
	FCMGES(2, 5, 2)            \
	VBIT V2.B16, V5.B16, V0.B16

// func neonMapAdd(out, a, b *float32, n int, s, t float32)
#define FORM ·neonMapAdd
#define BODY VFADDS(1, 0, 0)
#include "map_arm64.h"

// func neonMapMul(out, a, b *float32, n int, s, t float32)
#define FORM ·neonMapMul
#define BODY VFMULS(1, 0, 0)
#include "map_arm64.h"

// func neonMapScale(out, a, b *float32, n int, s, t float32)
#define FORM ·neonMapScale
#define BODY VFMULS(16, 0, 0)
#include "map_arm64.h"

// func neonMapAddScaled(out, a, b *float32, n int, s, t float32)
#define FORM ·neonMapAddScaled
#define BODY FMLAS(16, 0, 1); MOVV(1, 0)
#include "map_arm64.h"

// func neonMapSoftCap(out, a, b *float32, n int, s, t float32)
#define FORM ·neonMapSoftCap
#define BODY VFMULS(16, 0, 0); TANH(0); VFMULS(17, 0, 0)
#include "map_arm64.h"

// func neonMapSwiGLU(out, a, b *float32, n int, s, t float32)
#define FORM ·neonMapSwiGLU
#define BODY MOVV(0, 5); SIGMOID(0); VFMULS(5, 0, 0); VFMULS(1, 0, 0)
#include "map_arm64.h"

// func neonMapGeGLU(out, a, b *float32, n int, s, t float32)
#define FORM ·neonMapGeGLU
#define BODY GELU; VFMULS(1, 0, 0)
#include "map_arm64.h"

// func neonMapSwiGLUClamped(out, a, b *float32, n int, s, t float32)
#define FORM ·neonMapSwiGLUClamped
#define BODY VFMINS(17, 0, 0); VFMINS(17, 1, 1); VFNEGS(17, 2); VFMAXS(2, 1, 1); VFADDS(31, 1, 1); VFMULS(16, 0, 5); SIGMOID(5); VFMULS(5, 0, 0); VFMULS(1, 0, 0)
#include "map_arm64.h"

// func neonMapSigmoidGate(out, a, b *float32, n int, s, t float32)
#define FORM ·neonMapSigmoidGate
#define BODY SIGMOID(0); VFMULS(1, 0, 0)
#include "map_arm64.h"

// func neonMapSiLU(out, a, b *float32, n int, s, t float32)
#define FORM ·neonMapSiLU
#define BODY MOVV(0, 5); SIGMOID(0); VFMULS(5, 0, 0)
#include "map_arm64.h"

// func neonMapGELU(out, a, b *float32, n int, s, t float32)
#define FORM ·neonMapGELU
#define BODY GELU
#include "map_arm64.h"

// func neonMapSigmoid(out, a, b *float32, n int, s, t float32)
#define FORM ·neonMapSigmoid
#define BODY SIGMOID(0)
#include "map_arm64.h"

// func neonMapExp(out, a, b *float32, n int, s, t float32)
#define FORM ·neonMapExp
#define BODY VFSUBS(16, 0, 0); EXP(0, 2, 3, 4)
#include "map_arm64.h"

// func neonMapScaleMul(out, a, b *float32, n int, s, t float32)
#define FORM ·neonMapScaleMul
#define BODY VFMULS(16, 0, 0); VFMULS(1, 0, 0)
#include "map_arm64.h"

// func neonMapCentre(out, a, b *float32, n int, s, t float32)
#define FORM ·neonMapCentre
#define BODY VFSUBS(16, 0, 0); VFMULS(17, 0, 0)
#include "map_arm64.h"
