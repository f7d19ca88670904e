package engine

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/confab-tui/confab/engine/model"
)

// teller is a toy that says a text, whatever it is asked.
func teller(t *testing.T, e **Engine, text string) *toy {
	x := newToy(t, 2000)
	x.says = func(seen []int32, p model.SamplingRow) int32 {
		tokens := (*e).Tokenize(text, true)
		at := int(p.Pos) - x.asked
		if at < 0 || at >= len(tokens) {
			return x.eog
		}
		return tokens[at]
	}
	return x
}

// tell lets a toy say text under the request's limits.
func tell(t *testing.T, text string, r Request) Event {
	var e *Engine
	x := teller(t, &e, text)
	e = openToy(t, x, 1000)
	r.Tokens = run(0, 8)
	x.asked = 8
	got := finish(t, e.Generate(context.Background(), r))
	checkRecords(t, e, got)
	return got
}

// checkRecords holds the token records against the text.
func checkRecords(t *testing.T, e *Engine, got Event) {
	t.Helper()
	var text strings.Builder
	for i, token := range got.Tokens {
		if token.Index != i {
			t.Errorf("token %d has the index %d", i, token.Index)
		}
		text.WriteString(token.Text)
	}
	if text.String() != got.Text || got.Text != got.End.Message.Content {
		t.Errorf("the tokens add %q, the events %q, the message has %q", text.String(), got.Text, got.End.Message.Content)
	}
	m := got.End.Message
	if spelled := strings.ReplaceAll(e.Detokenize(m.Tokens), "<|im_end|>", ""); m.Tokens != nil && spelled != m.Content {
		t.Errorf("the message's ids spell %q, its text is %q", spelled, m.Content)
	}
}

func TestStopTexts(t *testing.T) {
	for _, c := range []struct {
		says, want string
		stop       []string
		stopped    bool
	}{
		{"one two three four", "one two three four", nil, true},
		{"one two three four", "one two", []string{" three"}, true},
		{"one two three four", "one tw", []string{"o t"}, true},
		{"one two three four", "one two t", []string{"ee fo", "hree"}, true},
		{"one two three four", "", []string{"one"}, true},
		{"one two thr", "one two thr", []string{"three"}, true},
		{"one two\n\nthree", "one two", []string{"\n\n"}, true},
		{"né à l'été — 😀 fin", "né à l'été — 😀 fin", []string{"😁"}, true},
		{"né à l'été — 😀 fin", "né à l'été — ", []string{"😀"}, true},
	} {
		got := tell(t, c.says, Request{Stop: c.stop})
		if got.Text != c.want || got.End.Reason != ReasonStop || got.End.Message.Unfinished {
			t.Errorf("%q with stops %q: %q, %s, want %q", c.says, c.stop, got.Text, got.End.Reason, c.want)
		}
	}
}

// MaxTokens is exact, and what was held back for a stop text is said then.
func TestMaxTokens(t *testing.T) {
	for n := 1; n < 6; n++ {
		got := tell(t, "one two three four five six", Request{MaxTokens: n, Stop: []string{" three four five SIX"}})
		if got.Counts.Generated != n || len(got.End.Message.Tokens) != n || got.End.Reason != ReasonLength {
			t.Errorf("at most %d: %d tokens, %s", n, got.Counts.Generated, got.End.Reason)
		}
	}
}

// A character in several tokens comes whole, with the token that completes it.
func TestHalfCharacters(t *testing.T) {
	got := tell(t, "a😀b", Request{})
	if got.Text != "a😀b" || strings.ContainsRune(got.Text, '\uFFFD') {
		t.Errorf("says %q", got.Text)
	}
}

func TestIgnoreEnd(t *testing.T) {
	got := tell(t, "one<|im_end|>two", Request{})
	if got.Text != "one" || got.End.Reason != ReasonStop {
		t.Errorf("says %q, %s", got.Text, got.End.Reason)
	}
	got = tell(t, "one<|im_end|>two", Request{IgnoreEnd: true, MaxTokens: 10})
	if got.Text != "onetwo" || got.End.Reason != ReasonLength || !slices.Contains(got.End.Message.Tokens, 6143) {
		t.Errorf("going on: says %q, %s", got.Text, got.End.Reason)
	}
}

func TestAlternatives(t *testing.T) {
	got := tell(t, "one two", Request{Alternatives: 2})
	for _, token := range got.Tokens {
		if len(token.Alternatives) != 2 || token.Alternatives[0].Text != token.Text || token.LogProb != -1 {
			t.Errorf("token %q: %+v", token.Text, token)
		}
	}
}

// Without a seed each answer draws its own, which fits Sampling.Seed, and gives
// the same again.
func TestSeeds(t *testing.T) {
	x := newToy(t, 2000)
	e := openToy(t, x, 1000)
	request := Request{Tokens: run(0, 8), MaxTokens: 8, IgnoreEnd: true, Sampling: Sampling{Temperature: 1, TopP: 1, Seed: -1}}
	first := finish(t, e.Generate(context.Background(), request))
	second := finish(t, e.Generate(context.Background(), request))
	if first.End.Seed == second.End.Seed || slices.Equal(ids(first.Tokens), ids(second.Tokens)) {
		t.Error("two answers drew the same seed")
	}
	request.Sampling.Seed = int64(first.End.Seed)
	again := finish(t, e.Generate(context.Background(), request))
	if request.Sampling.Seed < 0 || !slices.Equal(ids(first.Tokens), ids(again.Tokens)) {
		t.Errorf("the seed %d does not give the same answer again", first.End.Seed)
	}
}

// A file without a vocabulary takes and gives ids.
func TestNoVocabulary(t *testing.T) {
	x := newToy(t, 2000)
	e := openToy(t, x, 1000, func(p *parts) { p.words = words{} })
	got := finish(t, e.Generate(context.Background(), Request{Tokens: run(0, 8), MaxTokens: 9, Sampling: greedy(), Stop: []string{"a"}, Alternatives: 1}))
	if want := x.answerOf(run(0, 8), 9, true, fixed(greedy())); !slices.Equal(ids(got.Tokens), want) || !slices.Equal(got.End.Message.Tokens, want) {
		t.Errorf("says %v, wants %v", ids(got.Tokens), want)
	}
	for _, r := range []Request{{Prompt: "hello"}, {Messages: []Message{user("hello")}}} {
		if got := finish(t, e.Generate(context.Background(), r)); got.End.Err != errNoWords {
			t.Errorf("text: %v", got.End.Err)
		}
	}
	if _, _, err := e.Render([]Message{user("hello")}, nil); err != errNoWords {
		t.Errorf("render: %v", err)
	}
	if e.Piece(5) != "" || e.Detokenize(run(0, 3)) != "" || e.Tokenize("hello", true) != nil {
		t.Error("ids became text")
	}
}
