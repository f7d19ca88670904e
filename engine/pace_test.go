package engine

import (
	"context"
	"slices"
	"testing"
	"time"
)

// TestPace: an answer with a pace comes no faster, says the same, and leaves the
// others alone; a cancel does not wait for its next token.
func TestPace(t *testing.T) {
	x := newToy(t, 2000)
	e := openToy(t, x, 1000)
	const tokens, pace = 12, 100
	began := time.Now()
	slow := e.Generate(context.Background(), Request{Tokens: run(0, 50), Sampling: greedy(), MaxTokens: tokens, IgnoreEnd: true, Pace: pace})
	free := finish(t, e.Generate(context.Background(), Request{Tokens: run(700, 50), Sampling: greedy(), MaxTokens: 200, IgnoreEnd: true}))
	if want := x.answerOf(run(700, 50), 200, true, fixed(greedy())); !slices.Equal(ids(free.Tokens), want) {
		t.Error("the answer beside the slow one says something else")
	}
	got := finish(t, slow)
	if took, least := time.Since(began), (tokens-2)*time.Second/pace; took < least {
		t.Errorf("%d tokens at %d a second took %v", tokens, pace, took)
	}
	if want := x.answerOf(run(0, 50), tokens, true, fixed(greedy())); !slices.Equal(ids(got.Tokens), want) {
		t.Errorf("slowly it says %v, wants %v", ids(got.Tokens), want)
	}
	never := e.Generate(context.Background(), Request{Tokens: run(0, 50), Sampling: greedy(), Pace: 1e-6})
	for {
		event, err := never.Next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if event.Counts.Generated > 0 {
			never.Cancel()
			break
		}
	}
	if end := finish(t, never); end.End.Reason != ReasonCancel {
		t.Errorf("it ended by %s", end.End.Reason)
	}
}

// A pace that is hardly one does not hurry what it should hold back.
func TestSlowestPace(t *testing.T) {
	now := time.Now()
	a := answer{req: Request{Pace: 1e-300}}
	if a.keepPace(now); !a.next.After(now) {
		t.Errorf("the next token comes %s before the last", now.Sub(a.next))
	}
}
