package matmul

// multiplyAVX2 has a form for every layout that packingOf chooses for such processors.
func multiplyAVX2(k kind, p *product) {
	switch k {
	case kindF32:
		avx2F32(p)
	case kindF16:
		avx2F16(p)
	case kindBF16:
		avx2BF16(p)
	case kindI8:
		avx2I8(p)
	case kindQ4_0:
		avx2Q4_0(p)
	case kindIQ4:
		avx2IQ4(p)
	case kindFP4:
		avx2FP4(p)
	case kindQ4_1:
		avx2Q4_1(p)
	case kindQ5_0:
		avx2Q5_0(p)
	case kindQ5_1:
		avx2Q5_1(p)
	case kindQ4K:
		avx2Q4K(p)
	case kindQ5K:
		avx2Q5K(p)
	case kindQ6K:
		avx2Q6K(p)
	case kindQ2K:
		avx2Q2K(p)
	case kindQ3K:
		avx2Q3K(p)
	case kindIQ4K:
		avx2IQ4K(p)
	case kindI8K:
		avx2I8K(p)
	default:
		plainProduct(k, p)
	}
}

//go:noescape
func avx2F32(p *product)

//go:noescape
func avx2F16(p *product)

//go:noescape
func avx2BF16(p *product)

//go:noescape
func avx2I8(p *product)

//go:noescape
func avx2Q4_0(p *product)

//go:noescape
func avx2IQ4(p *product)

//go:noescape
func avx2FP4(p *product)

//go:noescape
func avx2Q4_1(p *product)

//go:noescape
func avx2Q5_0(p *product)

//go:noescape
func avx2Q5_1(p *product)

//go:noescape
func avx2Q4K(p *product)

//go:noescape
func avx2Q5K(p *product)

//go:noescape
func avx2Q6K(p *product)

//go:noescape
func avx2I8K(p *product)

//go:noescape
func avx2Q2K(p *product)

//go:noescape
func avx2Q3K(p *product)

//go:noescape
func avx2IQ4K(p *product)
