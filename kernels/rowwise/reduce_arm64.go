package rowwise

import (
	"math"

	"github.com/confab-tui/confab/kernels"
)

func rmsNormFast(out, x, w []float32, eps float32) bool {
	if !kernels.HasNEON || len(x) == 0 {
		return false
	}
	mean := sumOfSquares(x) / float32(len(x))
	scale := float32(1 / math.Sqrt(float64(mean)+float64(eps)))
	if w == nil {
		return mapFast(mapScale, out, x, x, scale, 0)
	}
	return mapFast(mapScaleMul, out, x, w, scale, 0)
}

// sumOfSquares is the sum of x².
func sumOfSquares(x []float32) float32 {
	var sum float32
	whole := len(x) &^ 15
	if whole > 0 {
		sum = neonSumSquares(&x[0], whole)
	}
	for _, v := range x[whole:] {
		sum += v * v
	}
	return sum
}

func blockMaximaFast(dst, x []float32) bool {
	if !kernels.HasNEON || len(dst) == 0 {
		return false
	}
	neonBlockMaxima(&dst[0], &x[0], len(dst))
	return true
}

func expMassFast(x []float32, top, scale float32) (float64, bool) {
	if !kernels.HasNEON {
		return 0, false
	}
	var sum float64
	whole := len(x) &^ 3
	if whole > 0 {
		sum = neonExpMass(&x[0], whole, top, scale)
	}
	for _, v := range x[whole:] {
		sum += math.Exp(float64((v - top) * scale))
	}
	return sum, true
}

//go:noescape
func neonSumSquares(x *float32, n int) float32

//go:noescape
func neonBlockMaxima(dst, x *float32, blocks int)

//go:noescape
func neonExpMass(x *float32, n int, top, scale float32) float64
