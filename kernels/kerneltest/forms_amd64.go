package kerneltest

import (
	"github.com/confab-tui/confab/kernels"
)

// Forms are the names that WithForm knows.
var Forms = []string{"plain", "avx2", "avx512", "avx512 l2"}

// Plain says whether the plain form is at work, which takes too long for big shapes.
func Plain() bool { return !kernels.HasAVX2FMA }

// WithForm runs f with the processor's features cut down to a form's, and says
// whether the processor has them.
func WithForm(name string, f func()) bool {
	avx2, avx512, vnni, bf16 := kernels.HasAVX2FMA, kernels.HasAVX512, kernels.HasAVX512VNNI, kernels.HasAVX512BF16
	l2 := kernels.PrefetchesToL2
	defer func() {
		kernels.PrefetchesToL2 = l2
		kernels.HasAVX2FMA, kernels.HasAVX512, kernels.HasAVX512VNNI, kernels.HasAVX512BF16 = avx2, avx512, vnni, bf16
	}()
	switch name {
	case "plain":
		kernels.HasAVX2FMA, kernels.HasAVX512, kernels.HasAVX512VNNI, kernels.HasAVX512BF16 = false, false, false, false
	case "avx2":
		if !avx2 {
			return false
		}
		kernels.HasAVX512, kernels.HasAVX512VNNI, kernels.HasAVX512BF16 = false, false, false
	case "avx512", "avx512 l2":
		if !vnni {
			return false
		}
		kernels.PrefetchesToL2 = name == "avx512 l2"
	}
	f()
	return true
}
