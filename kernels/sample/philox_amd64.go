package sample

import (
	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/rowwise"
)

// noiseBlockFast gives the noise of a block's tokens, from 64*block on.
func noiseBlockFast(dst *[rowwise.MaximaBlock]float32, seed uint64, pos int32, block int) bool {
	if !kernels.HasAVX512 {
		return false
	}
	noiseBlock512(&dst[0], uint32(seed), uint32(seed>>32), uint32(pos), uint32(block))
	return true
}

// loudestOf is the largest noisy logit of a whole block.
func loudestOf(noise *[rowwise.MaximaBlock]float32, logits []float32, temperature float32) float32 {
	return loudest512(&noise[0], &logits[0], temperature)
}

//go:noescape
func noiseBlock512(dst *float32, seedLow, seedHigh, pos, block uint32)

//go:noescape
func loudest512(noise, logits *float32, temperature float32) float32
