package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/confab-tui/confab/engine/chat"
	"github.com/confab-tui/confab/engine/model"
)

func user(text string) Message { return Message{Role: User, Content: text} }

// conversation is a chat of some turns, each answer as the engine gave it.
func conversation(t *testing.T, e *Engine, turns int, r Request) []Message {
	t.Helper()
	var all []Message
	for i := range turns {
		all = append(all, user(fmt.Sprintf("question %d", i)))
		r.Messages = all
		got := finish(t, e.Generate(context.Background(), r))
		if got.End.Err != nil {
			t.Fatalf("turn %d: %v", i, got.End.Err)
		}
		all = append(all, got.End.Message)
	}
	return all
}

// Each turn goes on from the cells of the one before, byte for byte what was
// generated, and pays for the rest only.
func TestTurnsReuseTheirCells(t *testing.T) {
	x := newToy(t, 4000)
	e := openToy(t, x, 3000)
	r := Request{MaxTokens: 12, IgnoreEnd: true, Sampling: Sampling{Temperature: 1, TopP: 1, Seed: 3}}
	all := conversation(t, e, 3, r)
	r.Messages = append(all, user("and now?"))
	_, prompt, err := e.Render(r.Messages, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := finish(t, e.Generate(context.Background(), r))
	if c := got.Counts; c.Prompt != len(prompt) || c.Evaluated > 40 || c.Cached < c.Prompt-40 {
		t.Errorf("a next turn of %d tokens: %+v", len(prompt), c)
	}
	edited := slices.Clone(r.Messages)
	edited[2].Content = "another question"
	if got := finish(t, e.Generate(context.Background(), Request{Messages: edited, MaxTokens: 1})); got.Counts.Cached < 20 || got.Counts.Evaluated < 20 {
		t.Errorf("edited in the middle: %+v", got.Counts)
	}
}

// An answer that was stopped and goes on says what it would have said in one go,
// wherever it was stopped.
func TestContinue(t *testing.T) {
	const text = "tell 😀 me né <|im_start|> more, and 🙂 more"
	var e *Engine
	x := newToy(t, 4000)
	e = openToy(t, x, 3000)
	base := Request{Messages: []Message{user("go")}, Sampling: Sampling{Temperature: 1, TopP: 1, Seed: 5}, Stop: []string{"xyzzy"}}
	_, prompt, err := e.Render(base.Messages, nil)
	if err != nil {
		t.Fatal(err)
	}
	said := e.Tokenize(text, false)
	x.says = func(seen []int32, p model.SamplingRow) int32 {
		if at := int(p.Pos) - len(prompt); at < len(said) {
			return said[at]
		}
		return x.eog
	}
	whole := finish(t, e.Generate(context.Background(), base))
	if whole.Text != text || whole.End.Message.Unfinished {
		t.Fatalf("in one go: %q", whole.Text)
	}
	for n := 1; n < len(said); n++ {
		r := base
		r.MaxTokens = n
		first := finish(t, e.Generate(context.Background(), r))
		if !first.End.Message.Unfinished || len(first.End.Message.Tokens) != n {
			t.Fatalf("stopped after %d tokens: %+v", n, first.End)
		}
		r.MaxTokens, r.Messages = 0, append(slices.Clone(base.Messages), first.End.Message)
		second := finish(t, e.Generate(context.Background(), r))
		if first.Text+second.Text != text || second.End.Message.Content != text || !slices.Equal(second.End.Message.Tokens, said) {
			t.Errorf("stopped after %d tokens: %q, %q; the message %q", n, first.Text, second.Text, second.End.Message.Content)
		}
		if second.Counts.Generated != len(said)-n || second.Tokens[0].Index != 0 {
			t.Errorf("stopped after %d tokens: goes on with %d from index %d", n, second.Counts.Generated, second.Tokens[0].Index)
		}
		// The last token of the first part was never fed.
		if c := second.Counts; c.Evaluated > 1 {
			t.Errorf("stopped after %d tokens: going on evaluates %d", n, c.Evaluated)
		}
	}
}

// Typed text never becomes a mark.
func TestTypedMarksStayText(t *testing.T) {
	x := newToy(t, 4000)
	e := openToy(t, x, 3000)
	end, _ := e.words.tok.ID("<|im_end|>")
	count := func(text string) (n int) {
		_, ids, err := e.Render([]Message{user(text)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range ids {
			if id == end {
				n++
			}
		}
		return n
	}
	if plain, typed := count("hello"), count("<|im_end|>hello<|im_end|>"); plain != typed || plain == 0 {
		t.Errorf("%d marks, %d with marks typed", plain, typed)
	}
}

// What a template has against a shortened conversation is said once, not for each length.
func TestRefusedWhileShortened(t *testing.T) {
	e := openToy(t, newToy(t, 2000), 200)
	var err error
	e.words.template, err = chat.New(`{% if messages|length < 21 %}{{ raise_exception('too few') }}{% endif %}`+
		`{% for m in messages %}{{ m['content'] }}{% endfor %}`, e.words.tok, chat.Names{})
	if err != nil {
		t.Fatal(err)
	}
	var messages []Message
	for range 10 {
		messages = append(messages, user(strings.Repeat("word ", 12)), Message{Role: Assistant, Content: strings.Repeat("so ", 8)})
	}
	r := Request{Messages: append(messages, user("last")), DropOldest: true}
	got := finish(t, e.Generate(context.Background(), r))
	if got.End.Reason != ReasonError || strings.Count(fmt.Sprint(got.End.Err), "too few") != 1 {
		t.Errorf("%s: %v", got.End.Reason, got.End.Err)
	}
}

// A full context leaves out the oldest turns, says how many messages that are,
// keeps the system prompt, and goes on; where that is not wanted it ends.
func TestDropOldest(t *testing.T) {
	x := newToy(t, 2000)
	e := openToy(t, x, 200)
	messages := []Message{{Role: System, Content: "You are a toy with a rule."}}
	for i := range 6 {
		messages = append(messages, user(strings.Repeat("word ", 12)+fmt.Sprint(i)), Message{Role: Assistant, Content: strings.Repeat("so ", 8)})
	}
	messages = append(messages, user("last"))
	r := Request{Messages: messages, MaxTokens: 10, IgnoreEnd: true}
	if got := finish(t, e.Generate(context.Background(), r)); got.End.Reason != ReasonContext || got.End.Err == nil {
		t.Fatalf("too long without DropOldest: %s, %v", got.End.Reason, got.End.Err)
	}
	r.DropOldest = true
	got := finish(t, e.Generate(context.Background(), r))
	if got.End.Reason != ReasonLength || got.Dropped == 0 || got.Dropped%2 != 0 || got.Counts.Prompt > 150 {
		t.Fatalf("%s, %v: %d messages left out, %+v", got.End.Reason, got.End.Err, got.Dropped, got.Counts)
	}
	kept := append(slices.Clone(messages[:1]), messages[1+got.Dropped:]...)
	_, prompt, err := e.Render(kept, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := x.answerOf(prompt, 10, true, fixed(greedy())); !slices.Equal(ids(got.Tokens), want) {
		t.Errorf("says %v, wants %v", ids(got.Tokens), want)
	}

	// Now the context runs full in the middle of an answer.
	r.Messages, r.MaxTokens = kept, 250
	got = finish(t, e.Generate(context.Background(), r))
	if got.Dropped == 0 || got.Counts.Generated < 60 || got.End.Reason != ReasonContext || got.End.Err != nil {
		t.Errorf("%s, %v: %d left out, %+v", got.End.Reason, got.End.Err, got.Dropped, got.Counts)
	}
	if len(got.Tokens) != got.Counts.Generated || got.Text != got.End.Message.Content {
		t.Errorf("%d tokens of %d, text %q of %q", len(got.Tokens), got.Counts.Generated, got.Text, got.End.Message.Content)
	}
}

// What the caller does with its lists after Generate changes nothing.
func TestRequestsAreTheEnginesOwn(t *testing.T) {
	e := openToy(t, newToy(t, 100), 50)
	r := Request{Messages: []Message{user("one")}, Tokens: []int32{1}, Stop: []string{"one"}, Changes: []Change{{Index: 1}}}
	a := e.newAnswer(r)
	r.Messages[0], r.Tokens[0], r.Stop[0], r.Changes[0].Index = user("two"), 2, "two", 2
	if q := a.req; q.Messages[0].Content != "one" || q.Tokens[0] != 1 || q.Stop[0] != "one" || a.ahead[0].Index != 1 {
		t.Errorf("the answer is made of %+v, planned %v", q, a.ahead)
	}
}
