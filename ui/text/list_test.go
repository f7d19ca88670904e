package text

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestList compares a list with a slice; what lies behind its first piece does not move.
func TestList(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	var l List[int]
	var want []int
	var fixed *int
	for step := range 2000 {
		if rng.IntN(9) == 0 {
			n := max(len(want)-rng.IntN(5), 0)
			if rng.IntN(40) == 0 {
				n = rng.IntN(len(want) + 1)
			}
			l.Cut(n)
			want = want[:n]
		}
		for range rng.IntN(30) {
			l.Add(step)
			want = append(want, step)
		}
		if l.Len() != len(want) {
			t.Fatalf("step %d: %d there, want %d", step, l.Len(), len(want))
		}
		if at := pieceLen + 1; fixed == nil && l.Len() > at {
			fixed = l.At(at)
		} else if l.Len() > at && l.At(at) != fixed {
			t.Fatalf("step %d: number %d moved", step, at)
		}
	}
	if len(want) < 2*pieceLen {
		t.Fatalf("only %d were there in the end", len(want))
	}
	var got []int
	for i, v := range l.All() {
		if i != len(got) {
			t.Fatalf("number %d comes as number %d", len(got), i)
		}
		got = append(got, *v)
	}
	if !slices.Equal(got, want) || *l.Last() != want[len(want)-1] {
		t.Error("it holds something else than was put in")
	}
	for i, v := range l.From(len(want) - 3) {
		if *v != want[i] {
			t.Errorf("number %d is %d, want %d", i, *v, want[i])
		}
	}
}
