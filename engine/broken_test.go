package engine

import (
	"context"
	"strings"
	"testing"
)

// Work that panics ends the engine, and with it the answers whose prompts came after it in
// the same turn of the loop; one of them panics when it is taken in, too.
func TestPanicBeforeOthersAreTakenIn(t *testing.T) {
	e := openToy(t, newToy(t, 500), 400)
	e.mu.Lock() // the loop comes no further than to its inbox
	fault := func() { panic("toy: out of order") }
	var streams []*Stream
	for i := range 3 {
		a := e.newAnswer(Request{Tokens: run(i, 8), MaxTokens: 4})
		streams = append(streams, a.stream)
		if i == 0 {
			e.inbox.post(fault)
		}
		e.arrive(a, prompt{tokens: a.req.Tokens}, nil)
		if i == 1 {
			e.inbox.post(fault)
		}
	}
	e.mu.Unlock()
	for _, s := range streams {
		if end := finish(t, s).End; end.Reason != ReasonError || !strings.Contains(end.Err.Error(), "out of order") {
			t.Errorf("ended with %q, %v", end.Reason, end.Err)
		}
	}
}

// An answer whose own state is broken when it ends still ends.
func TestPanicWhileAnAnswerEnds(t *testing.T) {
	x := newToy(t, 500)
	e := openToy(t, x, 400)
	s := e.Generate(context.Background(), Request{Tokens: run(0, 8), IgnoreEnd: true, Pace: 1e-6})
	for made := 0; made < 2; { // the next one is far away
		event, err := s.Next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		made += len(event.Tokens)
	}
	var moved strings.Builder
	moved.WriteString("x")
	e.mu.Lock()
	e.answers[0].voice.text = moved // a Builder that was copied panics when it is written to
	e.mu.Unlock()
	s.Cancel()
	if end := finish(t, s).End; end.Reason != ReasonError || end.Err == nil {
		t.Errorf("ended with %q, %v", end.Reason, end.Err)
	}
}
