package recurrent

import (
	"github.com/confab-tui/confab/kernels/rowwise"
)

// DeltaRule takes one head of the gated delta rule one token further. state is
// [len(k)][len(v)], q, k and v are the head's, q and k of unit length and q scaled:
//
//	S = decay*S;  S += k·(beta*(v - Sᵀk))ᵀ;  out = Sᵀq
//
// change is scratch of v's length. Sums go over k in order.
func DeltaRule(out, state, q, k, v, change []float32, decay, beta float32) {
	n := len(v)
	if len(out) != n || len(change) != n || len(q) != len(k) || len(state) != n*len(k) {
		panic("recurrent: DeltaRule of unequal lengths")
	}
	if deltaRuleFast(out, state, q, k, v, decay, beta) {
		return
	}
	clear(change)
	for i, ki := range k {
		row := state[i*n : (i+1)*n]
		rowwise.Scale(row, row, decay)
		rowwise.AddScaled(change, row, ki)
	}
	for j, vj := range v {
		change[j] = beta * (vj - change[j])
	}
	clear(out)
	for i, ki := range k {
		row := state[i*n : (i+1)*n]
		rowwise.AddScaled(row, change, ki)
		rowwise.AddScaled(out, row, q[i])
	}
}
