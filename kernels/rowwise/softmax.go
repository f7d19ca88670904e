package rowwise

import (
	"math"
)

// Exp is e to the power of x, rounded once.
func Exp(x float32) float32 {
	return float32(math.Exp(float64(x)))
}

// Softmax is out = exp(x) / sum(exp(x)). out may be x. Minus infinity gives 0.
func Softmax(out, x []float32) {
	checkTwo(out, x)
	if len(x) == 0 {
		return
	}
	top := Maximum(x)
	sum := SumExp(out, x, top)
	Scale(out, out, float32(1/sum))
}

// Maximum returns the largest value of x, which is not empty and has no NaN. Comparing is several
// times as fast as max, which has to think of NaN and of zeros' signs, and waits for itself.
func Maximum(x []float32) float32 {
	top := x[0]
	for _, v := range x {
		if v > top {
			top = v
		}
	}
	return top
}

// SumExp writes exp(x-top) to out and returns the sum.
func SumExp(out, x []float32, top float32) float64 {
	if !mapFast(mapExp, out, x, x, top, 0) {
		for i, v := range x {
			out[i] = Exp(v - top)
		}
	}
	var sum float64
	for _, e := range out {
		sum += float64(e)
	}
	return sum
}
