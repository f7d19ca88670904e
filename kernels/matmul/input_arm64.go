package matmul

import (
	"github.com/confab-tui/confab/kernels"
)

func fillQ8(dst []byte, src []float32) {
	if kernels.HasNEON {
		roundQ8NEON(&dst[0], &src[0], len(src)/32)
		return
	}
	roundQ8(dst, src)
}

func fillQ8K(dst []byte, src []float32) {
	if kernels.HasNEON {
		roundQ8KNEON(&dst[0], &src[0], len(src)/256)
		return
	}
	roundQ8K(dst, src)
}

func fillBF16(dst []byte, src []float32) { roundBF16(dst, src) }

//go:noescape
func roundQ8NEON(dst *byte, src *float32, blocks int)

//go:noescape
func roundQ8KNEON(dst *byte, src *float32, blocks int)

// isSmall is not asked: there are no kernels for many rows.
func isSmall([]byte, int) bool { return false }
