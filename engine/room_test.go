package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/confab-tui/confab/engine/model"
)

// With too few cells for all the youngest waits, says for how many cells, and
// then goes on with the text that it would have said anyway.
func TestFullPoolPausesTheYoungest(t *testing.T) {
	x := newToy(t, 301)
	var e *Engine
	ready := make(chan struct{})
	waited := make([]bool, 3)
	x.fail = func(*model.Step) error {
		<-ready
		e.mu.Lock()
		defer e.mu.Unlock()
		for _, a := range e.answers {
			if a.state == StateWaiting && a.counts.WaitingFor > 0 {
				waited[a.req.Sampling.Seed] = true
			}
		}
		return nil
	}
	e = openToy(t, x, 300)
	var streams []*Stream
	request := func(i int) Request {
		return Request{
			Conversation: fmt.Sprint(i), Tokens: run(i*100, 50), MaxTokens: 150, IgnoreEnd: true,
			Sampling: Sampling{Temperature: 1, TopP: 1, Seed: int64(i), RepeatPenalty: 1},
		}
	}
	for i := range 3 {
		streams = append(streams, e.Generate(context.Background(), request(i)))
	}
	untilAsked(e, 3)
	close(ready)
	for i, s := range streams {
		want := x.answerOf(run(i*100, 50), 150, true, fixed(request(i).Sampling))
		if got := finish(t, s); !slices.Equal(ids(got.Tokens), want) {
			t.Errorf("answer %d differs for having waited", i)
		}
	}
	if waited[0] || !waited[2] {
		t.Errorf("waited: %v; the oldest never should, the youngest must", waited)
	}
}

// Caches go before anybody has to wait.
func TestCachesGoFirst(t *testing.T) {
	x := newToy(t, 201)
	e := openToy(t, x, 200)
	for i := range 6 {
		got := finish(t, e.Generate(context.Background(), Request{Conversation: fmt.Sprint(i), Tokens: run(i*100, 60), MaxTokens: 20, IgnoreEnd: true}))
		if got.End.Reason != ReasonLength {
			t.Fatalf("answer %d: %v", i, got.End)
		}
	}
	s := e.Stats().Pool
	if s.Held != 0 || s.Cached < 150 {
		t.Errorf("after six answers of 80 tokens in 200 cells: %d held, %d cached", s.Held, s.Cached)
	}
	// The newest are still there, the oldest are not.
	for i, want := range map[int]int{5: 59, 0: 0} {
		got := finish(t, e.Generate(context.Background(), Request{Tokens: run(i*100, 60), MaxTokens: 1}))
		if got.Counts.Cached != want {
			t.Errorf("prompt %d again: %d cached, want %d", i, got.Counts.Cached, want)
		}
	}
}

// A small chat does not wait behind a large one that does not fit.
func TestSmallOneGoesPast(t *testing.T) {
	x := newToy(t, 401)
	e := openToy(t, x, 400)
	old := e.Generate(context.Background(), Request{Tokens: run(0, 200), IgnoreEnd: true, Pace: 1e-6}) // stays until it is stopped
	for e.Stats().Pool.Held < 200 {
		time.Sleep(time.Millisecond)
	}
	large := e.Generate(context.Background(), Request{Tokens: run(1000, 300), MaxTokens: 5, IgnoreEnd: true})
	untilAsked(e, 2)
	small := finish(t, e.Generate(context.Background(), Request{Tokens: run(2000, 10), MaxTokens: 5, IgnoreEnd: true}))
	if small.End.Reason != ReasonLength {
		t.Errorf("the small one: %v", small.End)
	}
	if event, _ := large.Poll(); event.State != StateWaiting || event.Counts.WaitingFor == 0 {
		t.Errorf("the large one should be waiting: state %d, for %d", event.State, event.Counts.WaitingFor)
	}
	old.Cancel()
	finish(t, old)
	got := finish(t, large)
	if want := x.answerOf(run(1000, 300), 5, true, fixed(Sampling{})); !slices.Equal(ids(got.Tokens), want) {
		t.Error("the large one says something else for having waited")
	}
}

// What can never fit is refused with the numbers and the cure.
func TestRefusal(t *testing.T) {
	x := newToy(t, 101)
	e := openToy(t, x, 1000)
	got := finish(t, e.Generate(context.Background(), Request{Tokens: run(0, 150)}))
	if got.End.Reason != ReasonContext || got.End.Err == nil {
		t.Fatalf("ended with %q, %v", got.End.Reason, got.End.Err)
	}
	for _, word := range []string{"150 tokens", "takes 100", "engine.cells"} {
		if !strings.Contains(got.End.Err.Error(), word) {
			t.Errorf("%q does not say %q", got.End.Err, word)
		}
	}
	if x.steps != 0 {
		t.Error("a refused request took a step")
	}
	for _, r := range []Request{{}, {Tokens: []int32{1, 99999}}, {Tokens: []int32{-1}}} {
		if got := finish(t, e.Generate(context.Background(), r)); got.End.Reason != ReasonError || got.End.Err == nil {
			t.Errorf("%+v: ended with %q, %v", r, got.End.Reason, got.End.Err)
		}
	}
}

// The context's end is its own reason, at exactly the limit.
func TestContextEnd(t *testing.T) {
	x := newToy(t, 500)
	e := openToy(t, x, 100)
	got := finish(t, e.Generate(context.Background(), Request{Tokens: run(0, 80), IgnoreEnd: true, DropOldest: true}))
	if got.End.Reason != ReasonContext || got.End.Err != nil || got.Counts.Generated != 20 {
		t.Errorf("ended with %q, %v after %d tokens", got.End.Reason, got.End.Err, got.Counts.Generated)
	}
	if !got.End.Message.Unfinished {
		t.Error("the message could go on, but is not marked unfinished")
	}
}

// Evaluate gives the logits of every position, also where it had to wait for
// cells, and leaves no trace.
func TestEvaluate(t *testing.T) {
	x := newToy(t, 301)
	e := openToy(t, x, 300)
	prompt := run(7, 130)
	rows, more, err := e.Evaluate(context.Background(), prompt, 6)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != len(prompt) {
		t.Fatalf("%d rows of %d positions", len(rows), len(prompt))
	}
	for i, row := range rows {
		want := x.next(prompt[:i+1], model.SamplingRow{Sampling: bounded(Sampling{TopP: 1}), Pos: int32(i + 1)})
		if len(row) != 1 || row[0] != float32(want) {
			t.Fatalf("position %d: logits %v, want [%d]", i, row, want)
		}
	}
	if want := x.answerOf(prompt, 6, true, fixed(greedy())); !slices.Equal(more, want) {
		t.Errorf("goes on %v, want %v", more, want)
	}
	if s := e.Stats().Pool; s.Free != s.Total {
		t.Errorf("%d cells cached after it", s.Cached)
	}
	if rows, more, err := e.Evaluate(context.Background(), prompt[:3], 0); err != nil || len(rows) != 3 || len(more) != 0 {
		t.Errorf("nothing after three tokens: %d rows, %v, %v", len(rows), more, err)
	}
}
