package matmul

import (
	"github.com/confab-tui/confab/kernels"
)

// panelSums are the results of a product.
type panelSums = [groupRows][panelRows]float32

// multiply computes p with the fastest form that this processor has.
func multiply(k kind, p *product) {
	var sums panelSums
	if kernels.HasNEON && (multiplyFloat(k, p, &sums) || multiplyInteger(k, p, &sums)) {
		p.store(&sums)
		return
	}
	plainProduct(k, p)
}

// manySteps is 0: there are no kernels for many rows.
func manySteps(kind) int { return 0 }

// wantsWide is true of processors with vectors: none has kernels for the narrow layouts.
func wantsWide() bool { return kernels.HasNEON }

// multiplyFloat adds products to sums; it says false of layouts that are not its own.
func multiplyFloat(k kind, p *product, sums *panelSums) bool {
	switch k {
	case kindF32:
		neonF32(p, sums)
	case kindF16:
		neonF16(p, sums)
	case kindBF16:
		neonBF16(p, sums)
	default:
		return false
	}
	return true
}

// multiplyInteger is the same for products of integers.
func multiplyInteger(k kind, p *product, sums *panelSums) bool {
	if !kernels.HasDotProduct {
		return multiplyNEON(k, p, sums)
	}
	switch k {
	case kindI8:
		dotI8(p, sums)
	case kindQ4_0:
		dotQ4_0(p, sums)
	case kindIQ4:
		dotIQ4(p, sums)
	case kindFP4:
		dotFP4(p, sums)
	case kindQ4_1:
		dotQ4_1(p, sums)
	case kindQ5_0:
		dotQ5_0(p, sums)
	case kindQ5_1:
		dotQ5_1(p, sums)
	case kindQ4K:
		dotQ4K(p, sums)
	case kindQ5K:
		dotQ5K(p, sums)
	case kindQ6K:
		dotQ6K(p, sums)
	case kindI8K:
		dotI8K(p, sums)
	case kindIQ4K:
		dotIQ4K(p, sums)
	case kindQ3K:
		dotQ3K(p, sums)
	case kindQ2K:
		dotQ2K(p, sums)
	default:
		return false
	}
	return true
}

// multiplyNEON is multiplyInteger without the instructions for dot products.
func multiplyNEON(k kind, p *product, sums *panelSums) bool {
	switch k {
	case kindI8:
		neonI8(p, sums)
	case kindQ4_0:
		neonQ4_0(p, sums)
	case kindIQ4:
		neonIQ4(p, sums)
	case kindFP4:
		neonFP4(p, sums)
	case kindQ4_1:
		neonQ4_1(p, sums)
	case kindQ5_0:
		neonQ5_0(p, sums)
	case kindQ5_1:
		neonQ5_1(p, sums)
	case kindQ4K:
		neonQ4K(p, sums)
	case kindQ5K:
		neonQ5K(p, sums)
	case kindQ6K:
		neonQ6K(p, sums)
	case kindI8K:
		neonI8K(p, sums)
	case kindIQ4K:
		neonIQ4K(p, sums)
	case kindQ3K:
		neonQ3K(p, sums)
	case kindQ2K:
		neonQ2K(p, sums)
	default:
		return false
	}
	return true
}

//go:noescape
func neonF32(p *product, sums *panelSums)

//go:noescape
func neonF16(p *product, sums *panelSums)

//go:noescape
func neonBF16(p *product, sums *panelSums)

//go:noescape
func dotI8(p *product, sums *panelSums)

//go:noescape
func dotQ4_0(p *product, sums *panelSums)

//go:noescape
func dotIQ4(p *product, sums *panelSums)

//go:noescape
func dotFP4(p *product, sums *panelSums)

//go:noescape
func dotQ4_1(p *product, sums *panelSums)

//go:noescape
func dotQ5_0(p *product, sums *panelSums)

//go:noescape
func dotQ5_1(p *product, sums *panelSums)

//go:noescape
func dotQ4K(p *product, sums *panelSums)

//go:noescape
func dotQ5K(p *product, sums *panelSums)

//go:noescape
func dotQ6K(p *product, sums *panelSums)

//go:noescape
func dotI8K(p *product, sums *panelSums)

//go:noescape
func dotIQ4K(p *product, sums *panelSums)

//go:noescape
func dotQ3K(p *product, sums *panelSums)

//go:noescape
func dotQ2K(p *product, sums *panelSums)

//go:noescape
func neonI8(p *product, sums *panelSums)

//go:noescape
func neonQ4_0(p *product, sums *panelSums)

//go:noescape
func neonIQ4(p *product, sums *panelSums)

//go:noescape
func neonFP4(p *product, sums *panelSums)

//go:noescape
func neonQ4_1(p *product, sums *panelSums)

//go:noescape
func neonQ5_0(p *product, sums *panelSums)

//go:noescape
func neonQ5_1(p *product, sums *panelSums)

//go:noescape
func neonQ4K(p *product, sums *panelSums)

//go:noescape
func neonQ5K(p *product, sums *panelSums)

//go:noescape
func neonQ6K(p *product, sums *panelSums)

//go:noescape
func neonI8K(p *product, sums *panelSums)

//go:noescape
func neonIQ4K(p *product, sums *panelSums)

//go:noescape
func neonQ3K(p *product, sums *panelSums)

//go:noescape
func neonQ2K(p *product, sums *panelSums)
