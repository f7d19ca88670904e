package kernels

// multiply computes p with the fastest form that this processor has.
func multiply(k kind, p *product) {
	if !hasAVX512VNNI || !multiplyVNNI(k, p) {
		plainProduct(k, p)
	}
}

func multiplyVNNI(k kind, p *product) bool {
	switch k {
	case kindI8:
		vnniI8(p)
	case kindQ4K:
		vnniQ4K(p)
	case kindQ5K:
		vnniQ5K(p)
	case kindQ6K:
		vnniQ6K(p)
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
func vnniQ5K(p *product)

//go:noescape
func vnniQ6K(p *product)
