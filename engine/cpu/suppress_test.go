package cpu

import (
	"slices"
	"testing"

	"github.com/confab-tui/confab/engine/model"
)

// TestSuppressedToken: a bias on the logits keeps the likeliest token from being written,
// behind a cap too, and leaves the others as they were.
func TestSuppressedToken(t *testing.T) {
	p := load(t, "../../testdata/models/tiny-gemma4-f32.gguf")
	run := func() ([]float32, int32) {
		e := start(t, p, Options{Threads: 2, Cells: 64, F32Cells: true})
		defer e.Close()
		s := newSequence(8).step(someTokens(8, p.Spec.Vocab), 7)
		s.Outputs[0].Sampling.Temperature = 0
		res, err := e.Run(s)
		if err != nil {
			t.Fatal(err)
		}
		return res.Outputs[0].Logits, res.Outputs[0].Tokens[0].ID
	}
	before, likeliest := run()
	bias := &model.Vector{Name: "bias", Values: make([]float32, p.Spec.Vocab)}
	bias.Values[likeliest] = -1e9
	for _, op := range p.Ops {
		if m, ok := op.(*model.MatMul); ok && m.Out == p.Logits {
			m.Bias = bias
		}
	}
	after, next := run()
	if next == likeliest || after[likeliest] > slices.Min(before) {
		t.Errorf("token %d with a logit of %g was followed by %d, of %g", likeliest, before[likeliest], next, after[likeliest])
	}
	before[likeliest], after[likeliest] = 0, 0
	if !slices.Equal(before, after) {
		t.Error("other logits have changed")
	}
}
