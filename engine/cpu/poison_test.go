package cpu

import (
	"math"
	"slices"
	"testing"
)

// TestPoison shows in every result that reads a poisoned cell, whichever of the
// sequence's it is, and in none that does not, for all kinds of attention.
func TestPoison(t *testing.T) {
	for _, name := range []string{tinyLlama, "tiny-gemma3-f32", "tiny-gpt-oss-f32"} {
		e := tiny(t, name, 2)
		prompt := someTokens(12, e.program.Spec.Vocab)
		last := func(poisoned ...int) []float32 {
			s := newSequence(40)
			run(t, e, s.step(prompt[:11]))
			for c := range e.Cells() {
				at := slices.Index(s.cells[:11], int32(c))
				if at < 0 || slices.Contains(poisoned, at) {
					e.Poison(int32(c))
				}
			}
			return slices.Clone(run(t, e, s.step(prompt[11:], 11)).Outputs[0].Logits)
		}
		clean := last()
		if slices.ContainsFunc(clean, func(v float32) bool { return math.IsNaN(float64(v)) }) {
			t.Errorf("%s: a free cell was read", name)
		}
		for at := range 11 {
			if !math.IsNaN(float64(last(at)[0])) {
				t.Errorf("%s: cell of position %d was not read, or its poison does not show", name, at)
			}
		}
	}
}
