package matmul

import (
	"github.com/confab-tui/confab/kernels"
)

// multiply computes p with the fastest form that this processor has.
func multiply(k kind, p *product) {
	switch {
	case kernels.HasAVX512VNNI && multiplyVNNI(k, p):
	case kernels.HasAVX2FMA:
		multiplyAVX2(k, p)
	default:
		plainProduct(k, p)
	}
}

// manySteps is how often a kernel for many rows fetches ahead in a block, for each 3 or 4 rows; 0
// where there is none.
func manySteps(k kind) int {
	switch {
	case !kernels.HasAVX512VNNI:
		return 0
	case k == kindQ4K:
		return 36
	case k == kindQ6K:
		return 56
	}
	return 0
}

// wantsWide is true of processors whose vectors have no VPDPBUSD.
func wantsWide() bool { return kernels.HasAVX2FMA && !kernels.HasAVX512VNNI }

// multiplyVNNI says false where the processor lacks what the layout needs.
func multiplyVNNI(k kind, p *product) bool {
	if kernels.PrefetchesToL2 && multiplyL2(k, p) {
		return true
	}
	switch k {
	case kindF32:
		avx512F32(p)
	case kindF16:
		avx512F16(p)
	case kindBF16:
		if !kernels.HasAVX512BF16 {
			return false
		}
		avx512BF16(p)
	case kindI8:
		vnniI8(p)
	case kindQ4_0:
		vnniQ4_0(p)
	case kindIQ4:
		vnniIQ4(p)
	case kindFP4:
		vnniFP4(p)
	case kindQ4_1:
		vnniQ4_1(p)
	case kindQ5_0:
		vnniQ5_0(p)
	case kindQ5_1:
		vnniQ5_1(p)
	case kindQ4K:
		if p.rows > groupRows {
			vnniQ4KMany(p)
		} else {
			vnniQ4K(p)
		}
	case kindQ5K:
		vnniQ5K(p)
	case kindQ6K:
		if p.rows > groupRows {
			vnniQ6KMany(p)
		} else {
			vnniQ6K(p)
		}
	case kindQ2K:
		vnniQ2K(p)
	case kindQ3K:
		vnniQ3K(p)
	case kindIQ4K:
		vnniIQ4K(p)
	case kindI8K:
		vnniI8K(p)
	case kindTQ:
		vnniTQ(p)
	case kindIQ1S:
		vnniIQ1S(p)
	case kindIQ1M:
		vnniIQ1M(p)
	case kindIQ2:
		vnniIQ2(p)
	case kindIQ3:
		vnniIQ3(p)
	case kindQ1_0:
		vnniQ1_0(p)
	case kindQ2_0:
		vnniQ2_0(p)
	case kindNVFP4:
		vnniNVFP4(p)
	default:
		return false
	}
	return true
}

//go:noescape
func vnniI8(p *product)

//go:noescape
func vnniQ4K(p *product)

//go:noescape
func vnniQ4KMany(p *product)

//go:noescape
func vnniQ6KMany(p *product)

//go:noescape
func vnniQ5K(p *product)

//go:noescape
func vnniQ6K(p *product)

//go:noescape
func vnniQ4_0(p *product)

//go:noescape
func vnniIQ4(p *product)

//go:noescape
func vnniFP4(p *product)

//go:noescape
func vnniQ4_1(p *product)

//go:noescape
func vnniQ5_0(p *product)

//go:noescape
func vnniQ5_1(p *product)

//go:noescape
func vnniI8K(p *product)

//go:noescape
func avx512F32(p *product)

//go:noescape
func avx512F16(p *product)

//go:noescape
func avx512BF16(p *product)

//go:noescape
func vnniQ2K(p *product)

//go:noescape
func vnniQ3K(p *product)

//go:noescape
func vnniIQ4K(p *product)

//go:noescape
func vnniIQ1S(p *product)

//go:noescape
func vnniIQ1M(p *product)

//go:noescape
func vnniIQ2(p *product)

//go:noescape
func vnniIQ3(p *product)

//go:noescape
func vnniQ1_0(p *product)

//go:noescape
func vnniQ2_0(p *product)

//go:noescape
func vnniNVFP4(p *product)

//go:noescape
func vnniTQ(p *product)
