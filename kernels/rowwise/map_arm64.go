package rowwise

import (
	"github.com/confab-tui/confab/kernels"
)

// mapFast runs op on whole vectors of 4 values; what is left is moved into one.
func mapFast(op mapOp, out, a, b []float32, s, t float32) bool {
	if !kernels.HasNEON {
		return false
	}
	whole := len(out) &^ 3
	if whole > 0 {
		mapNEON(op, &out[0], &a[0], &b[0], whole, s, t)
	}
	if whole < len(out) {
		var x, y [4]float32
		copy(x[:], a[whole:])
		copy(y[:], b[whole:])
		mapNEON(op, &x[0], &x[0], &y[0], len(x), s, t)
		copy(out[whole:], x[:])
	}
	return true
}

func mapNEON(op mapOp, out, a, b *float32, n int, s, t float32) {
	switch op {
	case mapAdd:
		neonMapAdd(out, a, b, n, s, t)
	case mapMul:
		neonMapMul(out, a, b, n, s, t)
	case mapScale:
		neonMapScale(out, a, b, n, s, t)
	case mapAddScaled:
		neonMapAddScaled(out, a, b, n, s, t)
	case mapSoftCap:
		neonMapSoftCap(out, a, b, n, s, t)
	case mapSwiGLU:
		neonMapSwiGLU(out, a, b, n, s, t)
	case mapGeGLU:
		neonMapGeGLU(out, a, b, n, s, t)
	case mapSwiGLUClamped:
		neonMapSwiGLUClamped(out, a, b, n, s, t)
	case mapSigmoidGate:
		neonMapSigmoidGate(out, a, b, n, s, t)
	case mapSiLU:
		neonMapSiLU(out, a, b, n, s, t)
	case mapGELU:
		neonMapGELU(out, a, b, n, s, t)
	case mapSigmoid:
		neonMapSigmoid(out, a, b, n, s, t)
	case mapExp:
		neonMapExp(out, a, b, n, s, t)
	case mapScaleMul:
		neonMapScaleMul(out, a, b, n, s, t)
	case mapCentre:
		neonMapCentre(out, a, b, n, s, t)
	}
}

//go:noescape
func neonMapAdd(out, a, b *float32, n int, s, t float32)

//go:noescape
func neonMapMul(out, a, b *float32, n int, s, t float32)

//go:noescape
func neonMapScale(out, a, b *float32, n int, s, t float32)

//go:noescape
func neonMapAddScaled(out, a, b *float32, n int, s, t float32)

//go:noescape
func neonMapSoftCap(out, a, b *float32, n int, s, t float32)

//go:noescape
func neonMapSwiGLU(out, a, b *float32, n int, s, t float32)

//go:noescape
func neonMapGeGLU(out, a, b *float32, n int, s, t float32)

//go:noescape
func neonMapSwiGLUClamped(out, a, b *float32, n int, s, t float32)

//go:noescape
func neonMapSigmoidGate(out, a, b *float32, n int, s, t float32)

//go:noescape
func neonMapSiLU(out, a, b *float32, n int, s, t float32)

//go:noescape
func neonMapGELU(out, a, b *float32, n int, s, t float32)

//go:noescape
func neonMapSigmoid(out, a, b *float32, n int, s, t float32)

//go:noescape
func neonMapExp(out, a, b *float32, n int, s, t float32)

//go:noescape
func neonMapScaleMul(out, a, b *float32, n int, s, t float32)

//go:noescape
func neonMapCentre(out, a, b *float32, n int, s, t float32)
