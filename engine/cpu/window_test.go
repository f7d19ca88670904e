package cpu

import (
	"testing"

	"github.com/confab-tui/confab/engine/model"
)

// TestNothingBehindWindow makes every layer of a model slide, and poisons the cells that the
// next row must not see: its logits stay what they were. One cell more and they do not.
func TestNothingBehindWindow(t *testing.T) {
	path, ok := goldenModels(t)["tiny-gemma2-f32"]
	if !ok {
		t.Skip("the model is not present")
	}
	p := load(t, path)
	const window, prompt = 16, 48
	for _, op := range p.Ops {
		if a, ok := op.(*model.Attend); ok {
			a.Window = window
		}
	}
	for i := range p.Caches {
		p.Caches[i].Window = window
	}
	tokens := someTokens(prompt+1, p.Spec.Vocab)
	e := start(t, p, Options{Threads: 2, Cells: 128})
	next := func(poisoned int) []float32 {
		s := newSequence(prompt + 1)
		if _, err := e.Run(s.step(tokens[:prompt])); err != nil {
			t.Fatal(err)
		}
		for _, cell := range s.cells[:poisoned] {
			e.Poison(cell)
		}
		res, err := e.Run(s.step(tokens[prompt:], prompt))
		if err != nil {
			t.Fatal(err)
		}
		return append([]float32(nil), res.Outputs[0].Logits...)
	}
	clean := next(0)
	// The row at position 48 sees the positions 33 to 48.
	mustEqual(t, "with poison behind the window", next(prompt+1-window), clean)
	if got := next(prompt + 2 - window); got[0] == got[0] {
		t.Error("the oldest cell of the window was not read")
	}
}
