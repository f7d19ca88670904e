package kernels

// withForm runs f with the processor's features cut down to a form's, and says
// whether the processor has them.
func withForm(name string, f func()) bool {
	avx2, avx512, vnni, bf16 := hasAVX2FMA, hasAVX512, hasAVX512VNNI, hasAVX512BF16
	defer func() { hasAVX2FMA, hasAVX512, hasAVX512VNNI, hasAVX512BF16 = avx2, avx512, vnni, bf16 }()
	switch name {
	case "plain":
		hasAVX2FMA, hasAVX512, hasAVX512VNNI, hasAVX512BF16 = false, false, false, false
	case "avx2":
		if !avx2 {
			return false
		}
		hasAVX512, hasAVX512VNNI, hasAVX512BF16 = false, false, false
	case "avx512":
		if !vnni {
			return false
		}
	}
	f()
	return true
}
