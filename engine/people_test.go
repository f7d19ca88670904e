package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// people use one engine as impatient people do: they open chats, ask, stop,
// continue, edit, fork, turn knobs, close in the middle of it. Each answer must be
// the one that the same conversation gets by itself.
type people struct {
	t     *testing.T
	rnd   *rand.Rand
	e     *Engine
	check func(prompt []int32, r Request, got Event)
	chats []*talk
	ended map[Reason]int
	asked int
}

// talk is one chat.
type talk struct {
	name     string
	messages []Message
	// What is streaming now, with its prompt.
	stream  *Stream
	request Request
	prompt  []int32
	got     Event
}

// operations is how many a test does; long where CONFAB_OPERATIONS says so.
func operations(short, usual int) int {
	if n, err := strconv.Atoi(os.Getenv("CONFAB_OPERATIONS")); err == nil {
		return n
	}
	if testing.Short() {
		return short
	}
	return usual
}

func (p *people) act(most int) {
	if len(p.chats) == 0 || len(p.chats) < most && p.rnd.IntN(8) == 0 {
		c := &talk{name: fmt.Sprint("chat ", p.rnd.IntN(1000))}
		if p.rnd.IntN(2) == 0 {
			c.messages = []Message{{Role: System, Content: "Be brief."}}
		}
		p.chats = append(p.chats, c)
		p.ask(c)
		return
	}
	i := p.rnd.IntN(len(p.chats))
	c := p.chats[i]
	switch {
	case c.stream != nil:
		p.disturb(c, i)
	case p.rnd.IntN(12) == 0:
		p.chats = slices.Delete(p.chats, i, i+1)
	case p.rnd.IntN(6) == 0 && len(p.chats) < most && len(c.messages) > 0: // fork
		n := 1 + p.rnd.IntN(len(c.messages))
		p.chats = append(p.chats, &talk{name: c.name + "'", messages: slices.Clone(c.messages[:n])})
	case p.rnd.IntN(4) == 0 && len(c.messages) > 0: // edit, or ask again
		for n := p.rnd.IntN(len(c.messages)); n > 0 && c.messages[n].Role == User; n = 0 {
			c.messages = c.messages[:n]
		}
		p.ask(c)
	default:
		p.ask(c)
	}
}

// ask sends a message, or goes on with an answer that was stopped.
func (p *people) ask(c *talk) {
	last := len(c.messages) - 1
	going := last >= 0 && c.messages[last].Role == Assistant && c.messages[last].Unfinished && p.rnd.IntN(2) == 0
	if !going && (last < 0 || c.messages[last].Role != User) {
		c.messages = append(c.messages, user(strings.Repeat("why ", p.rnd.IntN(12))+fmt.Sprint(p.rnd.IntN(50))))
	}
	c.request = Request{
		Conversation: c.name, Messages: slices.Clone(c.messages), MaxTokens: 1 + p.rnd.IntN(30),
		Sampling:  Sampling{Temperature: float32(p.rnd.IntN(2)), TopP: 0.9, Seed: int64(p.rnd.IntN(3)), RepeatPenalty: 1},
		IgnoreEnd: p.rnd.IntN(2) == 0, Alternatives: p.rnd.IntN(2),
	}
	var err error
	if _, c.prompt, err = p.e.Render(c.messages, nil); err != nil {
		p.t.Fatal(err)
	}
	c.got = Event{}
	c.stream = p.e.Generate(context.Background(), c.request)
	p.asked++
}

// disturb does something to a chat while it answers.
func (p *people) disturb(c *talk, i int) {
	switch p.rnd.IntN(10) {
	case 0:
		c.stream.Cancel()
	case 1: // closed without waiting for the end
		c.stream.Cancel()
		p.chats = slices.Delete(p.chats, i, i+1)
	case 2:
		s := c.request.Sampling
		s.Temperature = float32(p.rnd.IntN(3))
		c.stream.Set(s)
	case 3, 4:
		if event, ok := c.stream.Poll(); ok {
			c.got.merge(event)
			p.over(c)
		}
	case 5:
		time.Sleep(time.Duration(p.rnd.IntN(500)) * time.Microsecond)
	default:
		p.finish(c)
	}
}

func (p *people) finish(c *talk) {
	c.got.merge(finish(p.t, c.stream))
	p.over(c)
}

// over takes an answer into its chat where it has ended.
func (p *people) over(c *talk) {
	end := c.got.End
	if end == nil {
		return
	}
	c.stream = nil
	p.ended[end.Reason]++
	if end.Reason == ReasonContext && len(c.prompt) >= p.e.info.Context {
		c.messages = nil // too long: begin anew
		return
	}
	n := len(c.got.Tokens)
	whole := end.Message
	if len(whole.Tokens) < n {
		p.t.Fatalf("%d tokens came, the message has %d", n, len(whole.Tokens))
	}
	end.Message.Tokens = whole.Tokens[len(whole.Tokens)-n:]
	p.check(c.prompt, c.request, c.got)
	if last := len(c.messages) - 1; c.messages[last].Role == Assistant {
		c.messages = c.messages[:last]
	}
	if n > 0 {
		c.messages = append(c.messages, whole)
	}
}

// live has the people do n things, and checks what they leave behind.
func (p *people) live(n, most int) {
	for range n {
		if p.act(most); p.t.Failed() {
			return
		}
		watchPool(p.t, p.e.Stats().Pool)
	}
	for _, c := range p.chats {
		if c.stream != nil {
			p.finish(c)
		}
	}
	for deadline := time.Now().Add(time.Minute); p.e.Stats().Pool.Held > 0 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	if u := p.e.Stats(); u.Pool.Held != 0 || u.Streams != 0 || u.Pool.Cached+u.Pool.Free != u.Pool.Total {
		p.t.Errorf("with nobody answering: %d streams, %d held, %d cached, %d free of %d", u.Streams, u.Pool.Held, u.Pool.Cached, u.Pool.Free, u.Pool.Total)
	}
	p.t.Logf("%d things done, %d answers: %v", n, p.asked, p.ended)
}

func TestPeople(t *testing.T) {
	ended := make(map[Reason]int)
	for _, slots := range []int{0, 4} {
		rnd := rand.New(rand.NewPCG(11, uint64(slots)))
		x := newToy(t, 700)
		x.slots, x.perRow = slots, 2*time.Microsecond
		e := openToy(t, x, 250, func(p *parts) { p.batch = 64 })
		p := &people{t: t, rnd: rnd, e: e, ended: ended}
		p.check = func(prompt []int32, r Request, got Event) {
			r.Tokens = prompt
			checkAnswer(t, x, e.info.Context, r, got)
		}
		p.live(operations(800, 1500), 24)
	}
	for _, r := range []Reason{ReasonStop, ReasonLength, ReasonContext, ReasonCancel} {
		if ended[r] == 0 {
			t.Errorf("no answer ended by %q: %v", r, ended)
		}
	}
}

// openTiny opens a small model that computes.
func openTiny(t *testing.T, name string, cells int) *Engine {
	t.Helper()
	e, err := Open(context.Background(), Config{Model: "../testdata/models/" + name + ".gguf", Backend: "cpu", Threads: 2, Cells: cells}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// The same with models that compute: a plain one, one with windows, one with
// recurrent layers. What an answer should be is asked of a second engine with room
// for everything, alone.
func TestRealPeople(t *testing.T) {
	for i, name := range []string{"tiny-llama-f32", "tiny-gemma3-f32", "tiny-qwen35-f32"} {
		t.Run(name, func(t *testing.T) {
			alone := openTiny(t, name, 2000)
			p := &people{t: t, rnd: rand.New(rand.NewPCG(uint64(i), 5)), e: openTiny(t, name, 400), ended: make(map[Reason]int)}
			p.check = func(prompt []int32, r Request, got Event) {
				if len(got.Changes) > 0 { // what follows depends on when they came
					return
				}
				r.Tokens, r.Messages, r.MaxTokens = prompt, nil, len(got.Tokens)
				if r.MaxTokens == 0 {
					return
				}
				if want := finish(t, alone.Generate(context.Background(), r)); !slices.Equal(ids(want.Tokens), ids(got.Tokens)) {
					t.Errorf("to %d tokens says %v, alone %v", len(prompt), ids(got.Tokens), ids(want.Tokens))
				}
			}
			p.live(operations(60, 300), 8)
		})
	}
}
