package engine

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"
)

// openReal opens the built-in model, once for all tests that only read.
var openReal = sync.OnceValues(func() (*Engine, error) {
	return Open(context.Background(), Config{Backend: "cpu", Threads: 2, Cells: 3000}, nil)
})

func realEngine(t *testing.T) *Engine {
	t.Helper()
	e, err := openReal()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func story(seed int64) Request {
	return Request{
		Conversation: "story", Messages: []Message{user("Tell me a story about a fox.")}, MaxTokens: 40,
		Sampling: Sampling{Temperature: 0.9, TopK: 40, TopP: 0.95, MinP: 0.05, RepeatPenalty: 1.1, RepeatLastN: 64, Seed: seed},
	}
}

func TestRealInfo(t *testing.T) {
	i := realEngine(t).Info()
	if i.Arch != "llama" || i.Context != 1024 || i.Cells != 3000 || i.Vocab != 6144 || i.Params != 20980224 || i.ID == "" || i.Quant != "Q8_0" {
		t.Errorf("%+v", i)
	}
	if i.Sampling.Temperature != 0.7 || i.CellBytes != 4096 {
		t.Errorf("suggests %+v; %d bytes a cell", i.Sampling, i.CellBytes)
	}
}

// What an answer says does not depend on its company, nor on what the pool
// already has of it.
func TestRealSoloEqualsCompany(t *testing.T) {
	e := realEngine(t)
	var solo []Event
	for seed := range 4 {
		solo = append(solo, finish(t, e.Generate(context.Background(), story(int64(seed)))))
	}
	var streams []*Stream
	for seed := range 4 {
		streams = append(streams, e.Generate(context.Background(), story(int64(seed))))
	}
	for seed, s := range streams {
		got := finish(t, s)
		if got.Text != solo[seed].Text {
			t.Errorf("seed %d alone says %q, in company %q", seed, solo[seed].Text, got.Text)
		}
		if got.Counts.Evaluated != 1 {
			t.Errorf("seed %d: the same prompt again evaluates %d tokens", seed, got.Counts.Evaluated)
		}
	}
	if solo[0].Text == solo[1].Text {
		t.Error("two seeds say the same")
	}
}

// longStory goes on for so long that whoever reads it can act before it is over.
func longStory(seed int64) Request {
	r := story(seed)
	r.MaxTokens, r.IgnoreEnd = 400, true
	return r
}

// A knob turned in the middle changes what follows and nothing before it; turning
// it again at the same places gives the same text.
func TestRealKnobInTheMiddle(t *testing.T) {
	e := realEngine(t)
	plain := finish(t, e.Generate(context.Background(), longStory(7)))
	hot := longStory(7).Sampling
	hot.Temperature, hot.TopK, hot.TopP, hot.MinP = 3, 0, 1, 0
	s := e.Generate(context.Background(), longStory(7))
	var got Event
	for got.End == nil {
		event, err := s.Next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if got.merge(event); len(got.Tokens) >= 10 && len(got.Changes) == 0 {
			s.Set(hot)
		}
	}
	if len(got.Changes) != 1 {
		t.Fatalf("changes: %v", got.Changes)
	}
	at := got.Changes[0].Index
	if !slices.Equal(ids(got.Tokens)[:at], ids(plain.Tokens)[:at]) {
		t.Errorf("the %d tokens before the change differ", at)
	}
	if slices.Equal(ids(got.Tokens), ids(plain.Tokens)) {
		t.Error("temperature 3 changed nothing")
	}
}

// An answer stopped by MaxTokens goes on to the same text.
func TestRealContinue(t *testing.T) {
	e := realEngine(t)
	whole := finish(t, e.Generate(context.Background(), story(11)))
	r := story(11)
	r.MaxTokens = 9
	first := finish(t, e.Generate(context.Background(), r))
	r.MaxTokens = 31
	r.Messages = append(r.Messages, first.End.Message)
	second := finish(t, e.Generate(context.Background(), r))
	if first.Text+second.Text != whole.Text {
		t.Errorf("%q + %q, in one go %q", first.Text, second.Text, whole.Text)
	}
}

// The engine knows what its own model says elsewhere: greedy text after a known
// prompt, as far as the reference implementation is sure of it.
func TestRealGreedy(t *testing.T) {
	e := realEngine(t)
	got := finish(t, e.Generate(context.Background(), Request{
		Prompt: "Once upon a time, there was a little", MaxTokens: 13, Sampling: greedy(), Alternatives: 3,
	}))
	want := []int32{1138, 513, 1714, 310, 257, 615, 3577, 13, 419, 1138, 579, 1566, 257}
	if !slices.Equal(ids(got.Tokens), want) {
		t.Errorf("says %v %q, wants %v", ids(got.Tokens), got.Text, want)
	}
	for _, token := range got.Tokens {
		if len(token.Alternatives) != 3 || token.Alternatives[0].ID != token.ID || token.LogProb > 0 {
			t.Errorf("token %d: %+v", token.Index, token)
		}
	}
}

// Evaluate and Generate agree about greedy text.
func TestRealEvaluate(t *testing.T) {
	e := realEngine(t)
	prompt := e.Tokenize("Hello, how are you", false)
	rows, greedyIDs, err := e.Evaluate(context.Background(), prompt, 4)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != len(prompt) || len(rows[0]) != 6144 {
		t.Fatalf("%d rows of %d", len(rows), len(rows[0]))
	}
	best := 0
	for id, v := range rows[len(rows)-1] {
		if v > rows[len(rows)-1][best] {
			best = id
		}
	}
	got := finish(t, e.Generate(context.Background(), Request{Tokens: prompt, MaxTokens: 4, Sampling: greedy(), IgnoreEnd: true}))
	if int32(best) != greedyIDs[0] || !slices.Equal(ids(got.Tokens), greedyIDs) {
		t.Errorf("likeliest %d, evaluated %v, generated %v", best, greedyIDs, ids(got.Tokens))
	}
}

// Two engines live beside each other, and each closes by itself.
func TestRealTwoEngines(t *testing.T) {
	first := realEngine(t)
	second, err := Open(context.Background(), Config{Backend: "cpu", Threads: 1, Context: 256, CellType: "f32"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, b := first.Generate(context.Background(), story(1)), second.Generate(context.Background(), story(1))
	if got := finish(t, b); got.Counts.Generated == 0 || got.End.Err != nil {
		t.Errorf("the second: %+v", got.End)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
	if got := finish(t, a); got.Counts.Generated == 0 || got.End.Err != nil {
		t.Errorf("the first: %+v", got.End)
	}
}

// Proposals from what stands in the prompt already change the steps, not the text:
// it is what single tokens, which nobody drafts, give one after the other.
func TestRealDrafts(t *testing.T) {
	e := realEngine(t)
	prompt := e.Tokenize("My cat is called Biscuit. My dog is called Rex. My cat is called Biscuit. My dog is called Rex. My cat is", false)
	for _, temperature := range []float32{0, 0.8} {
		r := Request{Tokens: prompt, MaxTokens: 40, IgnoreEnd: true, Sampling: Sampling{
			Temperature: temperature, TopP: 0.95, TopK: 40, RepeatPenalty: 1.05, RepeatLastN: 30, Seed: 5,
		}}
		before := wide(e)
		got := finish(t, e.Generate(context.Background(), r))
		if temperature == 0 && wide(e) == before {
			t.Error("nothing was drafted")
		}
		one := r
		one.MaxTokens = 1
		for i, token := range got.Tokens {
			single := finish(t, e.Generate(context.Background(), one))
			if id := single.Tokens[0].ID; id != token.ID || single.Tokens[0].TokenProb != token.TokenProb {
				t.Fatalf("temperature %v, token %d: %+v, alone %+v", temperature, i, token, single.Tokens[0])
			}
			one.Tokens = append(slices.Clone(one.Tokens), token.ID)
		}
	}
}

// wide counts the steps with more than one row.
func wide(e *Engine) (n int64) {
	for width, steps := range e.Stats().Steps {
		if width > 1 {
			n += steps
		}
	}
	return n
}

// A cancelled stream ends at once, and an idle engine is idle.
func TestRealCancelledContext(t *testing.T) {
	e := realEngine(t)
	ctx, cancel := context.WithCancel(context.Background())
	r := story(2)
	r.MaxTokens, r.IgnoreEnd = 0, true
	s := e.Generate(ctx, r)
	if _, err := s.Next(context.Background()); err != nil {
		t.Fatal(err)
	}
	cancel()
	if got := finish(t, s); got.End.Reason != ReasonCancel || !got.End.Message.Unfinished {
		t.Errorf("ended with %q", got.End.Reason)
	}
	if s := e.Stats(); s.Streams != 0 || s.Pool.Held != 0 {
		t.Errorf("%d streams, %d cells held", s.Streams, s.Pool.Held)
	}
}

func TestOpenRefuses(t *testing.T) {
	for name, c := range map[string]Config{
		"no such file":              {Model: "testdata/none.gguf"},
		"no such choice":            {Backend: "abacus"},
		"a pool beyond the machine": {Cells: 1 << 40},
		"no such cells":             {CellType: "q1"},
	} {
		if e, err := Open(context.Background(), c, nil); err == nil {
			e.Close()
			t.Errorf("%s: opened", name)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Nanosecond)
	defer cancel()
	time.Sleep(time.Millisecond)
	if e, err := Open(ctx, Config{}, nil); err == nil {
		e.Close()
		t.Error("opened although it was called off")
	}
}
