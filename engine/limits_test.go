package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A cancel in the middle of a prompt of 30,000 tokens, and one in the middle of an
// answer after a long prompt, take effect within two steps on the CPU too. The time
// that takes is logged.
func TestRealCancelInsidePrefill(t *testing.T) {
	const long = 30_000
	e, err := Open(context.Background(), Config{Model: "../testdata/models/tiny-llama-f32.gguf", Backend: "cpu", Threads: 2, Cells: long + 100, Context: long + 100}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	prompt := make([]int32, long)
	for i := range prompt {
		prompt[i] = int32(3 + i%250)
	}
	steps := func() (n int64) {
		for _, m := range e.Stats().Steps {
			n += m
		}
		return n
	}
	middle := long / 2
	if testing.Short() {
		middle = 6000
	}
	var slowest time.Duration
	for _, after := range []int{1, 2000, middle} {
		prompt[0] = int32(after % 250) // so that nothing is cached
		s := e.Generate(context.Background(), Request{Tokens: prompt})
		var got Event
		for got.Counts.Evaluated < after {
			event, err := s.Next(context.Background())
			if err != nil || event.End != nil {
				t.Fatal(err, event.End)
			}
			got.merge(event)
		}
		began := time.Now()
		s.Cancel()
		before := steps()
		got.merge(finish(t, s))
		slowest = max(slowest, time.Since(began))
		if n := steps() - before; n > 2 {
			t.Errorf("%d more steps after the cancel", n)
		}
		if c := got.Counts; got.End.Reason != ReasonCancel || c.Evaluated < after || c.Evaluated >= long || c.Generated != 0 {
			t.Errorf("ended with %q, %+v", got.End.Reason, c)
		}
	}
	t.Logf("the slowest cancel took %v", slowest)
}

// An answer that was cancelled keeps what it said, and goes on to what it would
// have said.
func TestRealCancelAndContinue(t *testing.T) {
	e := realEngine(t)
	r := longStory(21)
	whole := finish(t, e.Generate(context.Background(), r))
	ctx, cancel := context.WithCancel(context.Background())
	s := e.Generate(ctx, r)
	var first Event
	for first.End == nil {
		event, err := s.Next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if first.merge(event); len(first.Tokens) > 3 {
			cancel()
		}
	}
	cancel()
	if first.End.Reason != ReasonCancel || !first.End.Message.Unfinished || first.End.Message.Content != first.Text {
		t.Fatalf("ended with %q, %+v", first.End.Reason, first.End.Message)
	}
	r.Messages = append(r.Messages, first.End.Message)
	r.MaxTokens -= len(first.Tokens)
	if second := finish(t, e.Generate(context.Background(), r)); first.Text+second.Text != whole.Text {
		t.Errorf("%q + %q, in one go %q", first.Text, second.Text, whole.Text)
	}
}

// What is left out of a full context is exactly as many of the oldest turns as it
// takes to free a quarter, never the system prompt, never the last turn; what is
// then said is what a conversation without them says.
func TestDropOldestIsExact(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 2))
	x := newToy(t, 1000)
	e := openToy(t, x, 300)
	count := func(m []Message) int {
		_, ids, err := e.Render(m, nil)
		if err != nil {
			t.Fatal(err)
		}
		return len(ids)
	}
	dropped := 0
	for range 60 {
		var messages []Message
		system := rnd.IntN(2)
		if system > 0 {
			messages = append(messages, Message{Role: System, Content: "A rule of the house."})
		}
		starts := []int{}
		for range 1 + rnd.IntN(9) {
			starts = append(starts, len(messages))
			messages = append(messages, user(strings.Repeat("word ", 1+rnd.IntN(25))), Message{Role: Assistant, Content: strings.Repeat("so ", 1+rnd.IntN(20))})
		}
		starts = append(starts, len(messages))
		messages = append(messages, user("last"))
		want := 0
		if count(messages) >= e.info.Context {
			for _, at := range starts {
				want = at - system
				if count(slices.Concat(messages[:system], messages[at:])) <= e.info.Context*3/4 {
					break
				}
			}
		}
		got := finish(t, e.Generate(context.Background(), Request{Messages: messages, DropOldest: true, MaxTokens: 5, IgnoreEnd: true}))
		if got.Dropped != want {
			t.Fatalf("of %d messages, %d tokens, %d were left out, want %d", len(messages), count(messages), got.Dropped, want)
		}
		_, prompt, err := e.Render(slices.Concat(messages[:system], messages[system+want:]), nil)
		if err != nil {
			t.Fatal(err)
		}
		if says := x.answerOf(prompt, 5, true, fixed(Sampling{})); !slices.Equal(ids(got.Tokens), says) || got.Counts.Prompt != len(prompt) {
			t.Errorf("says %v, wants %v; %d tokens of prompt, wants %d", ids(got.Tokens), says, got.Counts.Prompt, len(prompt))
		}
		dropped += want
	}
	if dropped == 0 {
		t.Error("nothing was ever left out")
	}
}

// A pool that the memory has no room for is refused before it is taken, with the
// numbers and a size that does fit.
func TestMemoryDoesNotSuffice(t *testing.T) {
	if _, ok := Room(Config{}); !ok {
		t.Skip("the machine does not tell how much memory it has")
	}
	c := Config{Backend: "cpu", Cells: 1 << 31}
	_, err := Open(context.Background(), c, nil)
	if err == nil {
		t.Fatal("opened")
	}
	found := regexp.MustCompile(`needs ([\d.]+) GiB for weights and cells, [\d.]+ [GM]iB free: lower engine.cells to (\d+)$`).FindStringSubmatch(err.Error())
	if found == nil {
		t.Fatalf("the error is %q", err)
	}
	if need, _ := strconv.ParseFloat(found[1], 64); need < 8192 { // 4 KiB a cell
		t.Errorf("needs %s GiB", found[1])
	}
	if cells, _ := strconv.Atoi(found[2]); cells < 1000 || cells >= c.Cells {
		t.Errorf("suggests %s cells", found[2])
	}
}

// An answer has exactly as many tokens as it may, whatever the prompt.
func TestLimitsAreExact(t *testing.T) {
	x := newToy(t, 400)
	e := openToy(t, x, 100)
	for _, prompt := range []int{1, 50, 98, 99, 100, 101} {
		for _, most := range []int{0, 1, 2, 3, 49, 50, 51} {
			got := finish(t, e.Generate(context.Background(), Request{Tokens: run(prompt, prompt), MaxTokens: most, IgnoreEnd: true}))
			want, reason := max(0, 100-prompt), ReasonContext
			if most > 0 && most <= want {
				want, reason = most, ReasonLength
			}
			if got.End.Reason != reason || got.Counts.Generated != want || len(got.Tokens) != want || (got.End.Err != nil) != (prompt >= 100) {
				t.Errorf("%d of prompt, at most %d: ended with %q, %v after %d", prompt, most, got.End.Reason, got.End.Err, len(got.Tokens))
			}
		}
	}
	if s := fmt.Sprint(e.Err()); s != "<nil>" {
		t.Error(s)
	}
}
