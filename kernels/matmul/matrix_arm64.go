package matmul

import (
	"github.com/confab-tui/confab/kernels"
)

// multiply computes p with the fastest form that this processor has.
func multiply(k kind, p *product) {
	var sums [groupRows][panelRows]float32
	if kernels.HasDotProduct && multiplyDot(k, p, &sums) || kernels.HasNEON && multiplyNEON(k, p, &sums) {
		p.store(&sums)
		return
	}
	plainProduct(k, p)
}

// wantsWide is true of processors with vectors: none has kernels for the narrow layouts.
func wantsWide() bool { return kernels.HasNEON }

// multiplyDot adds products to sums; it says false where the layout has no use for the
// instructions.
func multiplyDot(k kind, p *product, sums *[groupRows][panelRows]float32) bool {
	switch k {
	case kindI8:
		dotI8(p, sums)
	default:
		return false
	}
	return true
}

// multiplyNEON is the same for every processor.
func multiplyNEON(k kind, p *product, sums *[groupRows][panelRows]float32) bool {
	switch k {
	case kindI8:
		neonI8(p, sums)
	default:
		return false
	}
	return true
}

//go:noescape
func dotI8(p *product, sums *[groupRows][panelRows]float32)

//go:noescape
func neonI8(p *product, sums *[groupRows][panelRows]float32)
