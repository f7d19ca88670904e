package matmul

import (
	"github.com/confab-tui/confab/kernels"
)

func fillQ8(dst []byte, src []float32) {
	if kernels.HasAVX512 {
		roundQ8AVX512(&dst[0], &src[0], len(src)/32)
		return
	}
	roundQ8(dst, src)
}

func fillQ8K(dst []byte, src []float32) {
	if kernels.HasAVX512VNNI {
		roundQ8KVNNI(&dst[0], &src[0], len(src)/256)
		return
	}
	roundQ8K(dst, src)
}

// isSmall says whether a row of so many blocks of FormQ8K is small.
func isSmall(row []byte, blocks int) bool {
	return kernels.HasAVX512VNNI && largestSumVNNI(&row[0], blocks) <= smallSum
}

func fillBF16(dst []byte, src []float32) {
	done := 0
	if sixteens := len(src) / 16; kernels.HasAVX512BF16 && sixteens > 0 {
		roundBF16AVX512(&dst[0], &src[0], sixteens)
		done = 16 * sixteens
	}
	roundBF16(dst[2*done:], src[done:])
}

//go:noescape
func roundQ8AVX512(dst *byte, src *float32, blocks int)

//go:noescape
func roundQ8KVNNI(dst *byte, src *float32, blocks int)

//go:noescape
func largestSumVNNI(row *byte, blocks int) int

//go:noescape
func roundBF16AVX512(dst *byte, src *float32, sixteens int)
