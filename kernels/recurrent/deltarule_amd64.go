package recurrent

import (
	"github.com/confab-tui/confab/kernels"
)

func deltaRuleFast(out, state, q, k, v []float32, decay, beta float32) bool {
	n := len(v)
	switch {
	case len(k) == 0 || n == 0:
		return false
	case kernels.HasAVX512 && n%16 == 0:
		deltaRule512(&out[0], &state[0], &q[0], &k[0], &v[0], len(k), n, decay, beta)
	case kernels.HasAVX2FMA && n%8 == 0:
		deltaRule256(&out[0], &state[0], &q[0], &k[0], &v[0], len(k), n, decay, beta)
	default:
		return false
	}
	return true
}

//go:noescape
func deltaRule512(out, state, q, k, v *float32, keys, values int, decay, beta float32)

//go:noescape
func deltaRule256(out, state, q, k, v *float32, keys, values int, decay, beta float32)
