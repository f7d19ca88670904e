package ui

import (
	"fmt"
	"slices"
	"testing"

	"github.com/confab-tui/confab/engine"
)

// What was kept is given back.
func TestCandidates(t *testing.T) {
	var c candidates
	var tokens []token
	var want [][]engine.Alternative
	for i := range 300 {
		var all []engine.Alternative
		for j := range i % 15 {
			id := int32(i*j) % 50
			all = append(all, engine.Alternative{Text: fmt.Sprint("word ", id), TokenProb: engine.TokenProb{ID: id, LogProb: float32(-j), Prob: float32(i)}})
		}
		tokens, want = append(tokens, token{alts: c.add(all)}), append(want, all)
	}
	for i := range tokens {
		if got := c.of(&tokens[i]); !slices.Equal(got, want[i]) {
			t.Fatalf("token %d has %v, want %v", i, got, want[i])
		}
	}
}
