package rowwise

import (
	"math"
)

// MaximaBlock is how many logits share a maximum: selections look only into blocks
// that can hold what they want.
const MaximaBlock = 64

// BlockMaxima writes the largest value of each block of x to dst.
func BlockMaxima(dst, x []float32) {
	whole := len(x) / MaximaBlock
	if !blockMaximaFast(dst[:whole], x) {
		for b := range whole {
			dst[b] = Maximum(x[b*MaximaBlock : (b+1)*MaximaBlock])
		}
	}
	if rest := x[whole*MaximaBlock:]; len(rest) > 0 {
		dst[whole] = Maximum(rest)
	}
}

// ExpMass is the sum of exp((x-top)/temperature).
func ExpMass(x []float32, top, temperature float32) float64 {
	if sum, ok := expMassFast(x, top, 1/temperature); ok {
		return sum
	}
	var sum float64
	for _, v := range x {
		sum += math.Exp(float64((v - top) / temperature))
	}
	return sum
}
