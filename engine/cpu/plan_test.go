package cpu

import (
	"fmt"
	"strings"
	"testing"
)

// phaseText names a phase and how many operations it has joined.
func phaseText(p phase) string {
	switch p := p.(type) {
	case *rowPhase:
		return fmt.Sprintf("rows %d", len(p.pieces))
	case *product:
		return fmt.Sprintf("product %d", len(p.items))
	}
	return strings.TrimPrefix(strings.TrimPrefix(fmt.Sprintf("%T", p), "*"), "cpu.")
}

// TestPlan holds how operations join into phases: a product's input is prepared once, by the
// phase that computes it, and products of one input run together.
func TestPlan(t *testing.T) {
	for name, want := range map[string]string{
		// Embed, norm, fill; q, k, v; rope twice, store; attention; fill; output; add,
		// norm, fill; gate, up; gate's product, fill; down; then the next layer.
		"tiny-llama-f32": `rows 3, product 3, rows 3, attention, merging, rows 1, product 1, rows 3, product 2, rows 2, product 1, rows 3,
			product 3, rows 3, attention, merging, rows 3, product 1, rows 3, product 2, rows 2, product 1, rows 3, product 1, samplePhase`,
		// Biases join the phase after the products.
		"tiny-qwen2-f32": `rows 3, product 3, rows 6, attention, merging, rows 1, product 1, rows 3, product 2, rows 2, product 1, rows 3,
			product 3, rows 6, attention, merging, rows 3, product 1, rows 3, product 2, rows 2, product 1, rows 3, product 1, samplePhase`,
		"tiny-qwen3moe-f32": `rows 3, product 3, rows 5, attention, merging, rows 1, product 1, rows 3, product 1, rows 1,
			expertSort, expertProducts, expertGate, expertProducts, rows 4,
			product 3, rows 5, attention, merging, rows 3, product 1, rows 3, product 1, rows 1,
			expertSort, expertProducts, expertGate, expertProducts, rows 4, product 1, samplePhase`,
	} {
		e := tiny(t, name, 2)
		var got []string
		for _, p := range e.phases {
			got = append(got, phaseText(p))
		}
		if g, w := strings.Join(got, ", "), strings.Join(strings.Fields(want), " "); g != w {
			t.Errorf("%s:\n%s\nwant\n%s", name, g, w)
		}
	}
}
