package recurrent

import (
	"github.com/confab-tui/confab/kernels/rowwise"
)

// Conv is Convolve followed by SiLU.
func Conv(out, x, state, w []float32) {
	Convolve(out, x, state, w)
	rowwise.SiLU(out, out)
}

// Convolve takes a causal convolution of channels, each with its own filter, one token
// further. The filter has len(w)/len(x) taps, w is [taps][channels], the last tap being
// for x itself; state is [taps-1][channels], the oldest token first. Sums go over the
// taps in order. out may be x.
func Convolve(out, x, state, w []float32) {
	n := len(x)
	if n == 0 || len(out) != n || len(w)%n != 0 || len(state) != len(w)-n {
		panic("recurrent: Convolve of unequal lengths")
	}
	last := w[len(state):]
	for c := convFast(out, x, state, w); c < n; c++ {
		v := x[c]
		var sum float32
		at := c
		for ; at < len(state)-n; at += n {
			sum += state[at] * w[at]
			state[at] = state[at+n]
		}
		if at < len(state) {
			sum += state[at] * w[at]
			state[at] = v
		}
		out[c] = sum + v*last[c]
	}
}
