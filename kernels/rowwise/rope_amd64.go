package rowwise

import (
	"github.com/confab-tui/confab/kernels"
)

// ropeFast turns the pairs that fill whole vectors and returns how many these are.
func ropeFast(x, cos, sin []float32, interleaved bool) int {
	half := len(cos)
	n := half &^ 7
	switch {
	case !kernels.HasAVX2FMA || n == 0:
		return 0
	case interleaved && kernels.HasAVX512:
		ropeInterleaved512(&x[0], &cos[0], &sin[0], n)
	case interleaved:
		ropeInterleaved256(&x[0], &cos[0], &sin[0], n)
	case kernels.HasAVX512 && n%16 == 0:
		ropeHalves512(&x[0], &cos[0], &sin[0], half, n)
	default:
		ropeHalves256(&x[0], &cos[0], &sin[0], half, n)
	}
	return n
}

//go:noescape
func ropeHalves512(x, cos, sin *float32, half, n int)

//go:noescape
func ropeHalves256(x, cos, sin *float32, half, n int)

//go:noescape
func ropeInterleaved512(x, cos, sin *float32, n int)

//go:noescape
func ropeInterleaved256(x, cos, sin *float32, n int)
