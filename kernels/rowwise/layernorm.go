package rowwise

import (
	"math"
)

// LayerNorm subtracts the mean of x, divides by the root of its variance plus eps,
// multiplies by w and adds b; either may be nil. out may be x.
func LayerNorm(out, x, w, b []float32, eps float32) {
	if len(out) != len(x) || w != nil && len(w) != len(x) || b != nil && len(b) != len(x) {
		panic("rowwise: LayerNorm of unequal lengths")
	}
	if !layerNormFast(out, x, w, b, eps) {
		layerNorm(out, x, w, b, eps)
	}
}

func layerNorm(out, x, w, b []float32, eps float32) {
	var sum float64
	for _, v := range x {
		sum += float64(v)
	}
	mean := float32(sum / float64(len(x)))
	var squares float64
	for _, v := range x {
		d := v - mean
		squares += float64(d * d)
	}
	scale := float32(1 / math.Sqrt(squares/float64(len(x))+float64(eps)))
	for i, v := range x {
		y := (v - mean) * scale
		if w != nil {
			y *= w[i]
		}
		if b != nil {
			y += b[i]
		}
		out[i] = y
	}
}
