package ui

import (
	"reflect"
	"slices"
	"testing"

	"github.com/confab-tui/confab/engine"
)

// TestCandidates: what was added comes back, and each word is kept once.
func TestCandidates(t *testing.T) {
	var c candidates
	var tokens []token
	var want [][]engine.Alternative
	for i := range 100 {
		alts := madeUp(i)
		want = append(want, alts)
		tokens = append(tokens, token{alts: c.add(alts)})
	}
	for i := range tokens {
		if got := c.of(&tokens[i]); !slices.Equal(got, want[i]) || tokens[i].alts.len() != len(want[i]) {
			t.Fatalf("token %d has %v, want %v", i, got, want[i])
		}
	}
	if len(c.words) != 7 {
		t.Errorf("%d words are kept, there are 7", len(c.words))
	}
}

func madeUp(i int) []engine.Alternative {
	all := make([]engine.Alternative, i%4)
	for j := range all {
		id := int32(i+j) % 7
		all[j] = engine.Alternative{Text: string(rune('a' + id)), TokenProb: engine.TokenProb{ID: id, LogProb: -float32(j), Prob: 0.5}}
	}
	return all
}

// TestRecordsHoldNoPointers: the records of a long answer are nothing that the garbage
// collector would look into.
func TestRecordsHoldNoPointers(t *testing.T) {
	for _, v := range []any{token{}, candidate{}} {
		for f := range reflect.TypeOf(v).Fields() {
			if k := f.Type.Kind(); k > reflect.Float64 && k != reflect.Struct {
				t.Errorf("%T.%s is a %s", v, f.Name, k)
			}
		}
	}
}
