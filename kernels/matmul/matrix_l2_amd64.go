package matmul

// multiplyL2 is multiplyVNNI for processors with kernels.PrefetchesToL2. It says false where it has
// no kernel, or where arithmetic is the bound: what is fetched is wanted in the first-level cache then.
func multiplyL2(k kind, p *product) bool {
	switch {
	case !p.few || p.rows > groupRows:
		return false
	case k == kindI8:
		vnniI8L2(p)
	case k == kindQ4K:
		vnniQ4KL2(p)
	case k == kindQ5K:
		vnniQ5KL2(p)
	case k == kindQ6K:
		vnniQ6KL2(p)
	case k == kindQ2K:
		vnniQ2KL2(p)
	case k == kindQ3K:
		vnniQ3KL2(p)
	case k == kindIQ4K:
		vnniIQ4KL2(p)
	default:
		return false
	}
	return true
}

//go:noescape
func vnniI8L2(p *product)

//go:noescape
func vnniQ4KL2(p *product)

//go:noescape
func vnniQ5KL2(p *product)

//go:noescape
func vnniQ6KL2(p *product)

//go:noescape
func vnniQ2KL2(p *product)

//go:noescape
func vnniQ3KL2(p *product)

//go:noescape
func vnniIQ4KL2(p *product)
