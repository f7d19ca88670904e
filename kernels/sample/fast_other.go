//go:build !amd64

package sample

import (
	"github.com/confab-tui/confab/kernels/rowwise"
)

func noiseBlockFast(dst *[rowwise.MaximaBlock]float32, seed uint64, pos int32, block int) bool {
	return false
}

func loudestOf(noise *[rowwise.MaximaBlock]float32, logits []float32, temperature float32) float32 {
	return 0
}
