package engine

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/confab-tui/confab/engine/model"
)

// run counts up from a number: a prompt unlike any other.
func run(from, n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32((from + i) % 5000)
	}
	return list
}

func greedy() Sampling { return Sampling{TopP: 1, RepeatPenalty: 1} }

func fixed(s Sampling) func(int) Sampling { return func(int) Sampling { return s } }

// The same prompt in four panes is evaluated once.
func TestSamePromptAtOnce(t *testing.T) {
	x := newToy(t, 2000)
	x.perRow = 20 * time.Microsecond
	e := openToy(t, x, 1000)
	var streams []*Stream
	for i := range 4 {
		s := Sampling{Temperature: 1, TopP: 1, Seed: int64(i)}
		streams = append(streams, e.Generate(context.Background(), Request{Tokens: run(0, 500), Sampling: s, MaxTokens: 20, IgnoreEnd: true}))
	}
	evaluated := 0
	for i, s := range streams {
		got := finish(t, s)
		evaluated += got.Counts.Evaluated
		want := x.answerOf(run(0, 500), 20, true, fixed(Sampling{Temperature: 1, TopP: 1, Seed: int64(i)}))
		if !slices.Equal(ids(got.Tokens), want) {
			t.Errorf("pane %d says %v, wants %v", i, ids(got.Tokens), want)
		}
	}
	if evaluated != 503 {
		t.Errorf("four times the same 500 tokens: %d evaluated, want 503", evaluated)
	}
	if x.most < 4 {
		t.Errorf("at most %d sequences in a step, want 4", x.most)
	}
}

// A finished conversation, and the running one, serve the next turn.
func TestReuse(t *testing.T) {
	x := newToy(t, 2000)
	e := openToy(t, x, 1000)
	first := finish(t, e.Generate(context.Background(), Request{Tokens: run(0, 100), MaxTokens: 10, IgnoreEnd: true}))
	if c := first.Counts; c.Cached != 0 || c.Evaluated != 100 {
		t.Errorf("first turn: %+v", c)
	}
	turn := slices.Concat(run(0, 100), ids(first.Tokens), run(3000, 20))
	second := finish(t, e.Generate(context.Background(), Request{Tokens: turn, MaxTokens: 10}))
	// The last token made was never fed.
	if c := second.Counts; c.Cached != 109 || c.Evaluated != 21 {
		t.Errorf("next turn: %+v", c)
	}
	again := finish(t, e.Generate(context.Background(), Request{Tokens: turn, MaxTokens: 10}))
	if c := again.Counts; c.Cached != 129 || c.Evaluated != 1 {
		t.Errorf("the same turn again: %+v", c)
	}
	if !slices.Equal(ids(again.Tokens), ids(second.Tokens)) {
		t.Error("regenerating with the same knobs says something else")
	}
}

// A knob counts from the very next token on, and the stream says from which.
func TestSetTakesEffectOnTheNextToken(t *testing.T) {
	x := newToy(t, 2000)
	e := openToy(t, x, 1000)
	var s *Stream
	ready := make(chan struct{})
	hot := Sampling{Temperature: 2, TopP: 1, RepeatPenalty: 1}
	generated := 0
	x.fail = func(step *model.Step) error {
		<-ready
		if generated++; generated == 6 { // token 5 is being computed
			s.Set(hot)
		}
		return nil
	}
	s = e.Generate(context.Background(), Request{Tokens: run(0, 8), Sampling: greedy(), MaxTokens: 12, IgnoreEnd: true})
	close(ready)
	got := finish(t, s)
	if want := []Change{{6, bounded(hot)}}; !slices.Equal(got.Changes, want) {
		t.Fatalf("changes %v, want %v", got.Changes, want)
	}
	want := x.answerOf(run(0, 8), 12, true, func(i int) Sampling {
		if i < 6 {
			return greedy()
		}
		return hot
	})
	if !slices.Equal(ids(got.Tokens), want) {
		t.Errorf("says %v, wants %v", ids(got.Tokens), want)
	}
}

// A cancel inside a prompt of 30,000 tokens is felt at once.
func TestCancelInsidePrefill(t *testing.T) {
	x := newToy(t, 32000)
	x.sees, x.perRow = 8, 200*time.Microsecond // six seconds
	e := openToy(t, x, 31000)
	s := e.Generate(context.Background(), Request{Tokens: run(0, 30000)})
	for {
		event, err := s.Next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if event.Counts.Evaluated > 500 {
			break
		}
	}
	x.mu.Lock()
	before := x.steps
	x.mu.Unlock()
	s.Cancel()
	got := finish(t, s)
	if got.End.Reason != ReasonCancel {
		t.Errorf("ended with %q", got.End.Reason)
	}
	if after := x.steps; after > before+2 {
		t.Errorf("%d more steps after the cancel", after-before)
	}
	if c := got.Counts; c.Evaluated == 0 || c.Evaluated >= 30000 {
		t.Errorf("cancelled with %+v", c)
	}
}

// Steps with a prompt in them stay short, whatever a row costs.
func TestPaceKeepsStepsShort(t *testing.T) {
	for _, perRow := range []time.Duration{time.Microsecond, 100 * time.Microsecond, 5 * time.Millisecond} {
		p := pace{limit: mostRows}
		rows := 0
		for range 20 {
			rows = p.budget(false)
			p.note([]part{{n: rows}}, time.Duration(rows)*perRow)
		}
		if took := time.Duration(rows) * perRow; took > alone || rows < mostRows && took < alone/2 && rows > fewestRows {
			t.Errorf("at %v a row: %d rows, %v", perRow, rows, took)
		}
		if company := p.budget(true); company > rows {
			t.Errorf("at %v a row: %d rows beside answers, %d alone", perRow, company, rows)
		}
	}
}

// An answer goes on while another chat's long prompt is evaluated.
func TestDecodeBesidePrefill(t *testing.T) {
	x := newToy(t, 8000)
	x.sees, x.perRow = 8, 20*time.Microsecond
	e := openToy(t, x, 7000)
	talker := e.Generate(context.Background(), Request{Tokens: run(0, 4), MaxTokens: 2000, IgnoreEnd: true})
	if _, err := talker.Next(context.Background()); err != nil {
		t.Fatal(err)
	}
	long := finish(t, e.Generate(context.Background(), Request{Tokens: run(0, 6000), MaxTokens: 1}))
	talker.Cancel()
	made := finish(t, talker).Counts.Generated
	if steps := 6000 * 20 * time.Microsecond / inCompany; made < int(steps) {
		t.Errorf("%d tokens while 6,000 of a prompt were evaluated in %v", made, long.Counts.Prefill)
	}
}

// A reader that never comes costs nothing and gets everything at the end.
func TestSlowReader(t *testing.T) {
	x := newToy(t, 2000)
	e := openToy(t, x, 1000)
	s := e.Generate(context.Background(), Request{Tokens: run(0, 4), MaxTokens: 500, IgnoreEnd: true})
	for e.Stats().Pool.Cached == 0 {
		time.Sleep(time.Millisecond)
	}
	event, ok := s.Poll()
	if !ok || event.End == nil || len(event.Tokens) != 500 || event.Text != event.End.Message.Content {
		t.Errorf("one event with everything, got %d tokens, end %v", len(event.Tokens), event.End)
	}
	if _, err := s.Next(context.Background()); err != io.EOF {
		t.Errorf("after the end: %v", err)
	}
	if _, ok := s.Poll(); ok {
		t.Error("an event after the end")
	}
}

// A step that fails for one conversation ends that one only.
func TestFailedStep(t *testing.T) {
	x := newToy(t, 2000)
	bad := errors.New("toy: token 4999")
	x.fail = func(step *model.Step) error {
		for _, r := range step.Rows {
			if r.Token == 4999 {
				return bad
			}
		}
		return nil
	}
	e := openToy(t, x, 1000)
	good := e.Generate(context.Background(), Request{Tokens: run(0, 40), Sampling: greedy(), MaxTokens: 100, IgnoreEnd: true})
	sick := e.Generate(context.Background(), Request{Tokens: run(4980, 20), MaxTokens: 100})
	if got := finish(t, sick); got.End.Reason != ReasonError || !errors.Is(got.End.Err, bad) {
		t.Errorf("ended with %q, %v", got.End.Reason, got.End.Err)
	}
	want := x.answerOf(run(0, 40), 100, true, fixed(greedy()))
	if got := finish(t, good); !slices.Equal(ids(got.Tokens), want) {
		t.Error("another conversation's failure changed what it says")
	}
	if e.Err() != nil {
		t.Errorf("the engine died of it: %v", e.Err())
	}
}

// A panic ends every stream with an error, and the program lives on.
func TestPanic(t *testing.T) {
	x := newToy(t, 2000)
	x.perRow = time.Millisecond // so that no answer ends before all have begun
	steps := 0
	x.fail = func(step *model.Step) error {
		if len(step.Rows) == 3 {
			steps++
		}
		if steps == 20 {
			panic("toy: out of order")
		}
		return nil
	}
	e := openToy(t, x, 1000)
	var streams []*Stream
	for i := range 3 {
		streams = append(streams, e.Generate(context.Background(), Request{Tokens: run(i, 40), IgnoreEnd: true}))
	}
	for _, s := range streams {
		got := finish(t, s)
		if got.End.Reason != ReasonError || !strings.Contains(got.End.Err.Error(), "out of order") {
			t.Errorf("ended with %q, %v", got.End.Reason, got.End.Err)
		}
		if len(got.Tokens) == 0 || len(got.End.Message.Tokens) != len(got.Tokens) {
			t.Errorf("%d tokens came, the message has %d", len(got.Tokens), len(got.End.Message.Tokens))
		}
	}
	late := finish(t, e.Generate(context.Background(), Request{Tokens: run(0, 4)}))
	if late.End.Reason != ReasonError || e.Err() == nil {
		t.Errorf("a dead engine answers with %q, %v", late.End.Reason, e.Err())
	}
}

func TestClose(t *testing.T) {
	x := newToy(t, 2000)
	x.perRow = time.Millisecond
	e := openToy(t, x, 1000)
	s := e.Generate(context.Background(), Request{Tokens: run(0, 4), IgnoreEnd: true})
	if _, err := s.Next(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if got := finish(t, s); got.End.Reason != ReasonCancel || !errors.Is(got.End.Err, ErrClosed) {
		t.Errorf("ended with %q, %v", got.End.Reason, got.End.Err)
	}
	if got := finish(t, e.Generate(context.Background(), Request{Tokens: run(0, 4)})); !errors.Is(got.End.Err, ErrClosed) {
		t.Errorf("a closed engine answers with %v", got.End.Err)
	}
}

// Closing while a conversation is being shortened ends its stream once.
func TestCloseWhileComposing(t *testing.T) {
	for range 20 {
		x := newToy(t, 500)
		e := openToy(t, x, 120)
		messages := []Message{user("one"), {Role: Assistant, Content: "two"}, user("three")}
		s := e.Generate(context.Background(), Request{Messages: messages, IgnoreEnd: true, DropOldest: true})
		var all Event
		for all.Counts.Generated < 60 && all.End == nil {
			event, err := s.Next(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			all.merge(event)
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
		if all.End == nil {
			all.merge(finish(t, s))
		}
		if r := all.End.Reason; r != ReasonCancel && r != ReasonContext {
			t.Errorf("ended with %q, %v", r, all.End.Err)
		}
	}
}

// A model with recurrent layers goes on from where a conversation ended, and only
// from there.
func TestRecurrentReuse(t *testing.T) {
	x := newToy(t, 2000)
	x.slots = 2
	e := openToy(t, x, 1000)
	ask := func(conversation string, tokens []int32) Event {
		t.Helper()
		got := finish(t, e.Generate(context.Background(), Request{Conversation: conversation, Tokens: tokens, MaxTokens: 10, IgnoreEnd: true}))
		if want := x.answerOf(tokens, 10, true, fixed(Sampling{})); !slices.Equal(ids(got.Tokens), want) {
			t.Errorf("%s says %v, wants %v", conversation, ids(got.Tokens), want)
		}
		return got
	}
	first := ask("a", run(0, 100))
	turn := slices.Concat(run(0, 100), ids(first.Tokens), run(3000, 20))
	if c := ask("a", turn).Counts; c.Cached != 109 || c.Evaluated != 21 {
		t.Errorf("next turn: %+v", c)
	}
	if c := ask("a", turn).Counts; c.Cached != 0 {
		t.Errorf("the same turn again has nothing to go on from: %+v", c)
	}
	if s := e.Stats().Pool; s.Held != 0 || s.Cached != 139+139 {
		t.Errorf("with nobody answering: %d held, %d cached", s.Held, s.Cached)
	}
	ask("b", run(500, 10)) // takes the slot that rested longest
	if c := ask("a", slices.Concat(turn, run(3000, 5))).Counts; c.Cached != 0 {
		t.Errorf("a request that goes on from nowhere: %+v", c)
	}
}

// busyToy has something to do between steps.
type busyToy struct {
	*toy
	left atomic.Int64
}

func (x *busyToy) Idle() bool {
	if x.busy.Load() {
		x.t.Error("Idle during a step")
	}
	time.Sleep(time.Millisecond)
	return x.left.Add(-1) > 0
}

// The time between steps is the executor's, as long as it has use for it and nobody asks.
func TestIdle(t *testing.T) {
	x := &busyToy{toy: newToy(t, 2000)}
	x.left.Store(1e6)
	e := openToy(t, x.toy, 1000, func(p *parts) {
		p.place = func(*Engine) (executor, error) { return x, nil }
	})
	got := finish(t, e.Generate(context.Background(), Request{Tokens: run(0, 100), MaxTokens: 10, IgnoreEnd: true}))
	if want := x.answerOf(run(0, 100), 10, true, fixed(greedy())); !slices.Equal(ids(got.Tokens), want) {
		t.Errorf("beside it the answer is %v, wants %v", ids(got.Tokens), want)
	}
	before := x.left.Load()
	for deadline := time.Now().Add(10 * time.Second); x.left.Load() == before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it is not called any more after an answer")
		}
	}
	x.left.Store(3)
	for deadline := time.Now().Add(10 * time.Second); x.left.Load() > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it is not called until nothing is left")
		}
	}
	time.Sleep(20 * time.Millisecond)
	if left := x.left.Load(); left < -1 {
		t.Errorf("it is called %d times after nothing is left", -left)
	}
}
