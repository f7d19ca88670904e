package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/confab-tui/confab/engine/model"
)

func ctxUntil(deadline time.Time) context.Context {
	ctx, cancel := context.WithDeadline(context.Background(), deadline)
	context.AfterFunc(ctx, cancel)
	return ctx
}

// guesser drafts what a greedy answer would say, and is wrong now and then.
type guesser struct {
	toy *toy
	rnd *rand.Rand
}

func (g *guesser) draft(tokens []int32, most int) []int32 {
	known := append([]int32(nil), tokens...)
	for range g.rnd.IntN(most + 1) {
		id := g.toy.next(known, model.SamplingRow{Sampling: bounded(Sampling{}), Pos: int32(len(known))})
		if g.rnd.IntN(4) == 0 {
			id = int32(g.rnd.IntN(100))
		}
		known = append(known, id)
	}
	return known[len(tokens):]
}

// TestMix runs many answers at once over one pool: prompts that share beginnings,
// knobs turned on the way, drafts, cancels, too few cells. Each must say what it
// would have said alone, one token at a time.
func TestMix(t *testing.T) {
	rounds := 60
	if testing.Short() {
		rounds = 12
	}
	var seen sights
	for seed := range rounds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { seen.mix(t, rand.New(rand.NewPCG(uint64(seed), 7))) })
	}
	if seen.again <= 0 || seen.cached == 0 || seen.changes == 0 || seen.agreed == 0 || seen.company < 4 {
		t.Errorf("the mix was too thin: %+v", seen)
	}
	for _, r := range []Reason{ReasonStop, ReasonLength, ReasonContext, ReasonCancel} {
		if seen.ends[r] == 0 {
			t.Errorf("no answer ended by %q", r)
		}
	}
}

// sights is what happened in all mixes together.
type sights struct {
	cached, changes, agreed, company int
	// again counts rows beyond those of prompts and answers: what was evaluated
	// a second time after a pause.
	again int
	ends  map[Reason]int
}

func (n *sights) note(got Event) {
	if n.ends == nil {
		n.ends = make(map[Reason]int)
	}
	n.ends[got.End.Reason]++
	n.cached += got.Counts.Cached
	n.changes += len(got.Changes)
}

// asked is one answer of a mix.
type asked struct {
	request Request
	stream  *Stream
	read    Event // what was taken on the way
}

func (n *sights) mix(t *testing.T, rnd *rand.Rand) {
	x := newToy(t, 40+rnd.IntN(300))
	x.perRow = time.Duration(rnd.IntN(20)) * time.Microsecond
	if rnd.IntN(4) == 0 {
		x.slots = 1 + rnd.IntN(5)
	}
	drafts := rnd.IntN(2) == 0
	e := openToy(t, x, 30+rnd.IntN(200), func(p *parts) {
		if drafts {
			p.eager = true
			p.drafter = &guesser{x, rand.New(rand.NewPCG(rnd.Uint64(), 0))}
		}
		p.batch = 1 + rnd.IntN(100)
	})

	var all []*asked
	for i := range 4 + rnd.IntN(24) {
		r := randomRequest(rnd, e.info.Context)
		r.Conversation = fmt.Sprint(i % 7)
		all = append(all, &asked{request: r, stream: e.Generate(context.Background(), r)})
		for range rnd.IntN(3) {
			meddle(rnd, all[rnd.IntN(len(all))])
		}
		if rnd.IntN(3) == 0 {
			time.Sleep(time.Duration(rnd.IntN(2000)) * time.Microsecond)
		}
	}
	once := 0
	for _, a := range all {
		if a.read.End == nil {
			a.read.merge(finish(t, a.stream))
		}
		checkAnswer(t, x, e.info.Context, a.request, a.read)
		n.note(a.read)
		once += a.read.Counts.Evaluated + a.read.Counts.Generated
	}
	if !drafts {
		n.again += max(0, x.rows-once)
	}
	n.agreed += x.agreed
	n.company = max(n.company, x.most)
	if u := e.Stats().Pool; u.Held != 0 || u.Cached+u.Free != u.Total {
		t.Errorf("with nobody answering: %d held, %d cached, %d free of %d", u.Held, u.Cached, u.Free, u.Total)
	}
}

func randomRequest(rnd *rand.Rand, limit int) Request {
	s := Sampling{Temperature: float32(rnd.IntN(2)), Seed: int64(rnd.IntN(3)), TopP: 1, RepeatPenalty: 1}
	if rnd.IntN(3) == 0 {
		s.RepeatPenalty, s.RepeatLastN = 1.5, 1+rnd.IntN(20)
	}
	r := Request{Sampling: s, MaxTokens: rnd.IntN(60), IgnoreEnd: rnd.IntN(4) == 0, Alternatives: rnd.IntN(3)}
	// Prompts begin like one of three and differ from some token on.
	n, kind := 1+rnd.IntN(limit-1), rnd.IntN(3)
	from := rnd.IntN(n + 1)
	for i := range n {
		id := int32(100 + kind*1000 + i%50)
		if i >= from {
			id = int32(rnd.IntN(3))
		}
		r.Tokens = append(r.Tokens, id)
	}
	return r
}

// meddle does something to a stream.
func meddle(rnd *rand.Rand, a *asked) {
	switch rnd.IntN(5) {
	case 0:
		a.stream.Cancel()
	case 1, 2:
		s := a.request.Sampling
		s.Temperature = float32(rnd.IntN(5))
		a.stream.Set(s)
	case 3:
		if event, ok := a.stream.Poll(); ok {
			a.read.merge(event)
		}
	}
}

// checkAnswer holds an answer against naive decoding under the knobs that it
// reports.
func checkAnswer(t *testing.T, x *toy, limit int, r Request, got Event) {
	t.Helper()
	end := got.End
	if end.Err != nil {
		t.Fatalf("an answer to %d tokens: %v", len(r.Tokens), end.Err)
	}
	made := end.Message.Tokens
	knobs := func(index int) Sampling {
		s := r.Sampling
		for _, c := range got.Changes {
			if c.Index <= index {
				s = c.Sampling
			}
		}
		return s
	}
	want := x.answerOf(r.Tokens, len(made)+1, r.IgnoreEnd, knobs)
	if !slices.Equal(made, want[:min(len(made), len(want))]) || !slices.Equal(ids(got.Tokens), made) {
		t.Fatalf("to %d tokens with changes %v\nsaid  %v\nwants %v", len(r.Tokens), got.Changes, made, want)
	}
	stopped := len(want) == len(made)
	switch end.Reason {
	case ReasonStop:
		if !stopped {
			t.Errorf("stopped after %d tokens, where %d follows", len(made), want[len(made)])
		}
	case ReasonLength:
		if len(made) != r.MaxTokens {
			t.Errorf("%d tokens of at most %d", len(made), r.MaxTokens)
		}
	case ReasonContext:
		if len(made)+len(r.Tokens) != limit {
			t.Errorf("ended by the context at %d + %d of %d tokens", len(r.Tokens), len(made), limit)
		}
	case ReasonCancel:
	default:
		t.Errorf("ended with %q", end.Reason)
	}
	c := end.Counts
	if c.Generated != len(made) || c.Generated > 0 && (c.Prompt != len(r.Tokens) || c.Cached+c.Evaluated != c.Prompt || c.Evaluated < 1) {
		t.Errorf("to %d tokens %d were made, counted as %+v", len(r.Tokens), len(made), c)
	}
}
