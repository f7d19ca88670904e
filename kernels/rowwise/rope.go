package rowwise

import (
	"math"
)

// Rope turns pairs of a head's first 2*len(Freqs) values by the position times the
// pair's frequency.
type Rope struct {
	// Freqs are in radians a position, with the scaling of the context and all
	// factors in them.
	Freqs []float64
	// Magnitude multiplies sine and cosine (YaRN, LongRoPE); 1 leaves lengths alone.
	Magnitude float32
	// Interleaved pairs neighbours, 2i with 2i+1; otherwise i goes with
	// i+len(Freqs).
	Interleaved bool
}

// Table writes a position's len(Freqs) cosines and then as many sines to dst. One
// table serves all heads of a row in all layers with this Rope.
func (r *Rope) Table(dst []float32, pos int32) {
	n := len(r.Freqs)
	dst = dst[:2*n]
	magnitude := float64(r.Magnitude)
	for i, f := range r.Freqs {
		sin, cos := math.Sincos(float64(pos) * f)
		dst[i] = float32(cos * magnitude)
		dst[n+i] = float32(sin * magnitude)
	}
}

// Apply turns heads of x in place, by a Table. Heads are dim values apart; what
// follows a head's first 2*len(Freqs) values stays as it is.
func (r *Rope) Apply(x []float32, heads, dim int, table []float32) {
	n := len(r.Freqs)
	if heads < 1 || dim < 2*n || len(table) != 2*n || len(x) < (heads-1)*dim+2*n {
		panic("rowwise: Rope.Apply out of range")
	}
	cos, sin := table[:n], table[n:]
	for h := range heads {
		head := x[h*dim : h*dim+2*n]
		done := ropeFast(head, cos, sin, r.Interleaved)
		for i := done; i < n; i++ {
			first, second := i, n+i
			if r.Interleaved {
				first, second = 2*i, 2*i+1
			}
			a, b := head[first], head[second]
			head[first] = a*cos[i] - b*sin[i]
			head[second] = a*sin[i] + b*cos[i]
		}
	}
}
