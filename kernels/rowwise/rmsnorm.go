package rowwise

import (
	"math"
)

// RMSNorm divides x by its root mean square, sqrt(mean(x²) + eps), and multiplies
// by w, one weight a value; without w it only divides. out may be x. The norm of
// each head of a row is one call a head.
func RMSNorm(out, x, w []float32, eps float32) {
	if len(out) != len(x) || w != nil && len(w) != len(x) {
		panic("rowwise: RMSNorm of unequal lengths")
	}
	if !rmsNormFast(out, x, w, eps) {
		rmsNorm(out, x, w, eps)
	}
}

func rmsNorm(out, x, w []float32, eps float32) {
	var sum float64
	for _, v := range x {
		sum += float64(v * v)
	}
	scale := float32(1 / math.Sqrt(sum/float64(len(x))+float64(eps)))
	for i, v := range x {
		if w != nil {
			out[i] = v * scale * w[i]
		} else {
			out[i] = v * scale
		}
	}
}
