//go:build cuda

package cuda

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/confab-tui/confab/gpu"
)

// Operation by operation, every program gives on the device what it gives on the CPU.
// An operation is checked by a program that ends with it, whose result is what it
// writes.
func TestOperations(t *testing.T) {
	all := models(t)
	release, err := gpu.Hold(0) // keeps the driver's context from one program to the next
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	for name, path := range all {
		t.Run(name, func(t *testing.T) {
			p := load(t, path)
			allow := 2e-3
			if !strings.HasSuffix(name, "-f32") {
				allow = 4e-2 // a value may round the other way
			}
			firstDifference(t, p, prompt(rand.New(rand.NewPCG(4, 4)), 12, min(250, p.Spec.Vocab)), allow)
		})
	}
}

// Greedy text is the CPU's for 200 tokens, or as many as the context leaves, where the CPU's choice leads by more than
// what rounding can do. Both are given the CPU's tokens.
func TestGreedy(t *testing.T) {
	for name, path := range models(t) {
		t.Run(name, func(t *testing.T) {
			p := load(t, path)
			cuda, cpu := start(t, p, Options{Cells: 256}), startCPU(t, p, 256)
			a, b := newSequence(255), newSequence(255)
			tokens := prompt(rand.New(rand.NewPCG(7, 7)), 20, min(250, p.Spec.Vocab))
			sure, whole := 0, true
			more := min(200, p.Spec.Context-len(tokens))
			for i := range more {
				last := len(a.tokens) + len(tokens) - 1
				got, err := cuda.Run(a.step(tokens, last))
				if err != nil {
					t.Fatal(err)
				}
				want, err := cpu.Run(b.step(tokens, last))
				if err != nil {
					t.Fatal(err)
				}
				x, y := got.Outputs[0].Tokens[0].ID, want.Outputs[0].Tokens[0].ID
				whole = whole && x == y
				if lead := leadOf(want.Outputs[0].Logits, y); lead > 8*tolerance(name)*rootMeanSquare(want.Outputs[0].Logits) {
					sure++
					if x != y {
						t.Fatalf("token %d is %d, want %d, which leads by %g", i, x, y, lead)
					}
				}
				tokens = []int32{y}
			}
			t.Logf("%d of %d lead clearly; all equal: %t", sure, more, whole)
		})
	}
}

// leadOf is by how much a token is ahead of all others.
func leadOf(logits []float32, id int32) float64 {
	lead := float32(1e30)
	for i, l := range logits {
		if int32(i) != id {
			lead = min(lead, logits[id]-l)
		}
	}
	return float64(lead)
}
