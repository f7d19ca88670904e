package recurrent

import (
	"github.com/confab-tui/confab/kernels"
)

// convFast does the channels that fill whole vectors and returns how many these are.
func convFast(out, x, state, w []float32) int {
	n := len(x)
	taps := len(w) / n
	var old *float32
	if len(state) > 0 {
		old = &state[0]
	}
	switch {
	case kernels.HasAVX512 && n >= 16:
		conv512(&out[0], &x[0], old, &w[0], n&^15, n, taps)
		return n &^ 15
	case kernels.HasAVX2FMA && n >= 8:
		conv256(&out[0], &x[0], old, &w[0], n&^7, n, taps)
		return n &^ 7
	}
	return 0
}

//go:noescape
func conv512(out, x, state, w *float32, channels, stride, taps int)

//go:noescape
func conv256(out, x, state, w *float32, channels, stride, taps int)
