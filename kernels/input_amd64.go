package kernels

func fillQ8(dst []byte, src []float32) {
	if hasAVX512 {
		roundQ8AVX512(&dst[0], &src[0], len(src)/32)
		return
	}
	roundQ8(dst, src)
}

func fillQ8K(dst []byte, src []float32) {
	if hasAVX512VNNI {
		roundQ8KVNNI(&dst[0], &src[0], len(src)/256)
		return
	}
	roundQ8K(dst, src)
}

//go:noescape
func roundQ8AVX512(dst *byte, src *float32, blocks int)

//go:noescape
func roundQ8KVNNI(dst *byte, src *float32, blocks int)
