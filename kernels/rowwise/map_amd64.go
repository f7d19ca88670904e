package rowwise

import (
	"github.com/confab-tui/confab/kernels"
)

// mapFast runs op with the widest form there is.
func mapFast(op mapOp, out, a, b []float32, s, t float32) bool {
	if !kernels.HasAVX2FMA || len(out) == 0 {
		return false
	}
	o, x, y, n := &out[0], &a[0], &b[0], len(out)
	if kernels.HasAVX512 {
		map512(op, o, x, y, n, s, t)
	} else {
		map256(op, o, x, y, n, s, t)
	}
	return true
}

func map512(op mapOp, out, a, b *float32, n int, s, t float32) {
	switch op {
	case mapAdd:
		mapAdd512(out, a, b, n, s, t)
	case mapMul:
		mapMul512(out, a, b, n, s, t)
	case mapScale:
		mapScale512(out, a, b, n, s, t)
	case mapAddScaled:
		mapAddScaled512(out, a, b, n, s, t)
	case mapSoftCap:
		mapSoftCap512(out, a, b, n, s, t)
	case mapSwiGLU:
		mapSwiGLU512(out, a, b, n, s, t)
	case mapGeGLU:
		mapGeGLU512(out, a, b, n, s, t)
	case mapSwiGLUClamped:
		mapSwiGLUClamped512(out, a, b, n, s, t)
	case mapSigmoidGate:
		mapSigmoidGate512(out, a, b, n, s, t)
	case mapSiLU:
		mapSiLU512(out, a, b, n, s, t)
	case mapGELU:
		mapGELU512(out, a, b, n, s, t)
	case mapSigmoid:
		mapSigmoid512(out, a, b, n, s, t)
	case mapExp:
		mapExp512(out, a, b, n, s, t)
	case mapScaleMul:
		mapScaleMul512(out, a, b, n, s, t)
	case mapCentre:
		mapCentre512(out, a, b, n, s, t)
	}
}

func map256(op mapOp, out, a, b *float32, n int, s, t float32) {
	switch op {
	case mapAdd:
		mapAdd256(out, a, b, n, s, t)
	case mapMul:
		mapMul256(out, a, b, n, s, t)
	case mapScale:
		mapScale256(out, a, b, n, s, t)
	case mapAddScaled:
		mapAddScaled256(out, a, b, n, s, t)
	case mapSoftCap:
		mapSoftCap256(out, a, b, n, s, t)
	case mapSwiGLU:
		mapSwiGLU256(out, a, b, n, s, t)
	case mapGeGLU:
		mapGeGLU256(out, a, b, n, s, t)
	case mapSwiGLUClamped:
		mapSwiGLUClamped256(out, a, b, n, s, t)
	case mapSigmoidGate:
		mapSigmoidGate256(out, a, b, n, s, t)
	case mapSiLU:
		mapSiLU256(out, a, b, n, s, t)
	case mapGELU:
		mapGELU256(out, a, b, n, s, t)
	case mapSigmoid:
		mapSigmoid256(out, a, b, n, s, t)
	case mapExp:
		mapExp256(out, a, b, n, s, t)
	case mapScaleMul:
		mapScaleMul256(out, a, b, n, s, t)
	case mapCentre:
		mapCentre256(out, a, b, n, s, t)
	}
}

//go:noescape
func mapAdd512(out, a, b *float32, n int, s, t float32)

//go:noescape
func mapMul512(out, a, b *float32, n int, s, t float32)

//go:noescape
func mapScale512(out, a, b *float32, n int, s, t float32)

//go:noescape
func mapAddScaled512(out, a, b *float32, n int, s, t float32)

//go:noescape
func mapSoftCap512(out, a, b *float32, n int, s, t float32)

//go:noescape
func mapSwiGLU512(out, a, b *float32, n int, s, t float32)

//go:noescape
func mapGeGLU512(out, a, b *float32, n int, s, t float32)

//go:noescape
func mapSwiGLUClamped512(out, a, b *float32, n int, s, t float32)

//go:noescape
func mapSigmoidGate512(out, a, b *float32, n int, s, t float32)

//go:noescape
func mapSiLU512(out, a, b *float32, n int, s, t float32)

//go:noescape
func mapGELU512(out, a, b *float32, n int, s, t float32)

//go:noescape
func mapSigmoid512(out, a, b *float32, n int, s, t float32)

//go:noescape
func mapAdd256(out, a, b *float32, n int, s, t float32)

//go:noescape
func mapMul256(out, a, b *float32, n int, s, t float32)

//go:noescape
func mapScale256(out, a, b *float32, n int, s, t float32)

//go:noescape
func mapAddScaled256(out, a, b *float32, n int, s, t float32)

//go:noescape
func mapSoftCap256(out, a, b *float32, n int, s, t float32)

//go:noescape
func mapSwiGLU256(out, a, b *float32, n int, s, t float32)

//go:noescape
func mapGeGLU256(out, a, b *float32, n int, s, t float32)

//go:noescape
func mapSwiGLUClamped256(out, a, b *float32, n int, s, t float32)

//go:noescape
func mapSigmoidGate256(out, a, b *float32, n int, s, t float32)

//go:noescape
func mapSiLU256(out, a, b *float32, n int, s, t float32)

//go:noescape
func mapGELU256(out, a, b *float32, n int, s, t float32)

//go:noescape
func mapSigmoid256(out, a, b *float32, n int, s, t float32)

//go:noescape
func mapExp512(out, a, b *float32, n int, s, t float32)

//go:noescape
func mapScaleMul512(out, a, b *float32, n int, s, t float32)

//go:noescape
func mapCentre512(out, a, b *float32, n int, s, t float32)

//go:noescape
func mapExp256(out, a, b *float32, n int, s, t float32)

//go:noescape
func mapScaleMul256(out, a, b *float32, n int, s, t float32)

//go:noescape
func mapCentre256(out, a, b *float32, n int, s, t float32)
