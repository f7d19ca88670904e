package rowwise

import (
	"math"

	"github.com/confab-tui/confab/kernels"
)

func rmsNormFast(out, x, w []float32, eps float32) bool {
	if !kernels.HasAVX2FMA || len(x) == 0 {
		return false
	}
	mean := sumOfSquares(x, 0) / float32(len(x))
	scale := float32(1 / math.Sqrt(float64(mean)+float64(eps)))
	if w == nil {
		return mapFast(mapScale, out, x, x, scale, 0)
	}
	return mapFast(mapScaleMul, out, x, w, scale, 0)
}

func layerNormFast(out, x, w, b []float32, eps float32) bool {
	if !kernels.HasAVX2FMA || len(x) == 0 {
		return false
	}
	mean := sumOf(x) / float32(len(x))
	variance := sumOfSquares(x, mean) / float32(len(x))
	mapFast(mapCentre, out, x, x, mean, float32(1/math.Sqrt(float64(variance)+float64(eps))))
	if w != nil {
		mapFast(mapMul, out, out, w, 0, 0)
	}
	if b != nil {
		mapFast(mapAdd, out, out, b, 0, 0)
	}
	return true
}

// sumOf is the sum of x.
func sumOf(x []float32) float32 {
	var sum float32
	whole := len(x) &^ (kernels.VectorWidth - 1)
	if whole > 0 && kernels.HasAVX512 {
		sum = sum512(&x[0], whole)
	} else if whole > 0 {
		sum = sum256(&x[0], whole)
	}
	for _, v := range x[whole:] {
		sum += v
	}
	return sum
}

// sumOfSquares is the sum of (x-mean)².
func sumOfSquares(x []float32, mean float32) float32 {
	var sum float32
	whole := len(x) &^ (kernels.VectorWidth - 1)
	if whole > 0 && kernels.HasAVX512 {
		sum = sumSquares512(&x[0], whole, mean)
	} else if whole > 0 {
		sum = sumSquares256(&x[0], whole, mean)
	}
	for _, v := range x[whole:] {
		d := v - mean
		sum += float32(d * d)
	}
	return sum
}

func blockMaximaFast(dst, x []float32) bool {
	if !kernels.HasAVX2FMA || len(dst) == 0 {
		return false
	}
	if kernels.HasAVX512 {
		blockMaxima512(&dst[0], &x[0], len(dst))
	} else {
		blockMaxima256(&dst[0], &x[0], len(dst))
	}
	return true
}

func expMassFast(x []float32, top, scale float32) (float64, bool) {
	if !kernels.HasAVX2FMA {
		return 0, false
	}
	var sum float64
	whole := len(x) &^ 63
	if whole > 0 && kernels.HasAVX512 {
		sum = expMass512(&x[0], whole, top, scale)
	} else if whole > 0 {
		sum = expMass256(&x[0], whole, top, scale)
	}
	for _, v := range x[whole:] {
		sum += math.Exp(float64((v - top) * scale))
	}
	return sum, true
}

//go:noescape
func sum512(x *float32, n int) float32

//go:noescape
func sum256(x *float32, n int) float32

//go:noescape
func sumSquares512(x *float32, n int, mean float32) float32

//go:noescape
func sumSquares256(x *float32, n int, mean float32) float32

//go:noescape
func blockMaxima512(dst, x *float32, blocks int)

//go:noescape
func blockMaxima256(dst, x *float32, blocks int)

//go:noescape
func expMass512(x *float32, n int, top, scale float32) float64

//go:noescape
func expMass256(x *float32, n int, top, scale float32) float64
