package engine

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/confab-tui/confab/engine/model"
)

// The seed and the log of an answer whose knobs were turned on the way make it
// again, also where drafts would reach over a change.
func TestReplay(t *testing.T) {
	for seed := range 20 {
		x := newToy(t, 2000)
		rnd := rand.New(rand.NewPCG(uint64(seed), 3))
		drafts := func(p *parts) { p.drafter, p.eager = &guesser{x, rnd}, true }
		e := openToy(t, x, 1000, drafts)
		var s *Stream
		ready, turned := make(chan struct{}), 0
		x.fail = func(*model.Step) error {
			if <-ready; rnd.IntN(3) == 0 && turned < 6 {
				turned++
				s.Set(Sampling{Temperature: float32(rnd.IntN(3)), TopP: 1, Seed: -1, RepeatPenalty: 1})
			}
			return nil
		}
		r := Request{Tokens: run(0, 8), Sampling: Sampling{TopP: 1, Seed: 11}, MaxTokens: 40, IgnoreEnd: true}
		s = e.Generate(context.Background(), r)
		close(ready)
		was := finish(t, s)
		if len(was.Changes) == 0 {
			t.Fatal("no knob was turned: the test shows nothing")
		}
		x.fail = nil
		r.Changes = was.Changes
		again := finish(t, e.Generate(context.Background(), r))
		if !slices.Equal(ids(again.Tokens), ids(was.Tokens)) {
			t.Errorf("mix %d says %v, and again %v", seed, ids(was.Tokens), ids(again.Tokens))
		}
		if !slices.Equal(again.Changes, r.Changes) {
			t.Errorf("mix %d: changes %v became %v", seed, r.Changes, again.Changes)
		}
	}
}

// A change that was planned takes effect with exactly its token, and is reported.
func TestPlannedChanges(t *testing.T) {
	x := newToy(t, 2000)
	e := openToy(t, x, 1000)
	hot := Sampling{Temperature: 2, TopP: 1, RepeatPenalty: 1}
	plan := []Change{{0, Sampling{Temperature: 1, TopP: 1, RepeatPenalty: 1}}, {6, hot}, {9, greedy()}}
	got := finish(t, e.Generate(context.Background(), Request{Tokens: run(0, 8), Sampling: greedy(), Changes: plan, MaxTokens: 12, IgnoreEnd: true}))
	want := x.answerOf(run(0, 8), 12, true, func(i int) Sampling {
		switch {
		case i < 6:
			return plan[0].Sampling
		case i < 9:
			return hot
		}
		return greedy()
	})
	if !slices.Equal(ids(got.Tokens), want) {
		t.Errorf("says %v, wants %v", ids(got.Tokens), want)
	}
	if !slices.Equal(got.Changes, plan) {
		t.Errorf("reported %v, planned %v", got.Changes, plan)
	}
}
