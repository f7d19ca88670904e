package engine

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/confab-tui/confab/engine/model"
)

// TestCrowd lets 4 and 64 chats need several times the pool. Nobody is refused or
// ended early, each says what it says alone, and at every step the counts of the
// pool add up.
func TestCrowd(t *testing.T) {
	for _, chats := range []int{4, 64} {
		const words, most = 60, 60
		x := newToy(t, 1+max(words+most, chats*(words+most)/5))
		var e *Engine
		ready := make(chan struct{})
		waited := false
		x.fail = func(*model.Step) error {
			<-ready
			watchPool(t, e.Stats().Pool)
			e.mu.Lock()
			defer e.mu.Unlock()
			waited = waited || slices.ContainsFunc(e.answers, func(a *answer) bool { return a.state == StateWaiting && a.counts.WaitingFor > 0 })
			return nil
		}
		e = openToy(t, x, words+most)
		var streams []*Stream
		ask := func(i int) Request {
			return Request{
				Conversation: fmt.Sprint(i), Tokens: run(i*70, words), MaxTokens: most, IgnoreEnd: true,
				Sampling: Sampling{Temperature: float32(i % 2), TopP: 1, Seed: int64(i), RepeatPenalty: 1},
			}
		}
		for i := range chats {
			streams = append(streams, e.Generate(context.Background(), ask(i)))
		}
		untilAsked(e, chats)
		close(ready)
		for i, s := range streams {
			got := finish(t, s)
			want := x.answerOf(ask(i).Tokens, most, true, fixed(ask(i).Sampling))
			if !slices.Equal(ids(got.Tokens), want) {
				t.Errorf("chat %d of %d: ended with %q, %v, says %v, wants %v", i, chats, got.End.Reason, got.End.Err, ids(got.Tokens), want)
			}
		}
		if !waited {
			t.Errorf("%d chats: nobody ever waited", chats)
		}
	}
}

// The same with a model that computes, whose answers by themselves come from a second
// engine: 64 chats need six times the pool.
func TestRealCrowd(t *testing.T) {
	const chats, words, most = 64, 40, 24
	crowded, alone := openTiny(t, "tiny-llama-f32", chats*(words+most)/6), openTiny(t, "tiny-llama-f32", 500)
	ask := func(i int) Request {
		rnd := rand.New(rand.NewPCG(uint64(i), 9))
		r := Request{Conversation: fmt.Sprint(i), MaxTokens: most, IgnoreEnd: true}
		r.Sampling = Sampling{Temperature: float32(i % 2), TopP: 0.95, TopK: 40, Seed: int64(i), RepeatPenalty: 1.1, RepeatLastN: 20}
		for range words {
			r.Tokens = append(r.Tokens, 3+rnd.Int32N(200))
		}
		return r
	}
	var streams []*Stream
	for i := range chats {
		streams = append(streams, crowded.Generate(context.Background(), ask(i)))
	}
	for i, s := range streams {
		got := finish(t, s)
		want := finish(t, alone.Generate(context.Background(), ask(i)))
		if got.End.Reason != ReasonLength || !slices.Equal(ids(got.Tokens), ids(want.Tokens)) {
			t.Errorf("chat %d ended with %q, %v, says %v, alone %v", i, got.End.Reason, got.End.Err, ids(got.Tokens), ids(want.Tokens))
		}
		watchPool(t, crowded.Stats().Pool)
	}
	if pool := crowded.Stats().Pool; pool.Held != 0 || pool.Cached+pool.Free != pool.Total {
		t.Errorf("in the end of %d cells %d are held, %d cached, %d free", pool.Total, pool.Held, pool.Cached, pool.Free)
	}
}

// watchPool holds a picture of the pool against itself.
func watchPool(t *testing.T, p PoolStats) {
	if p.Held+p.Cached+p.Free != p.Total || p.Held < 0 || p.Cached < 0 || p.Free < 0 || p.Shared > p.Held+p.Cached {
		t.Errorf("pool %d: %d held, %d cached, %d free, %d shared", p.Total, p.Held, p.Cached, p.Free, p.Shared)
	}
	used, marks := 0, 0
	for _, o := range p.Owners {
		used = max(used, o.Cells)
		if o.Shared > o.Cells || o.Cells > p.Held+p.Cached {
			t.Errorf("%q has %d cells, %d shared, of %d in use", o.Conversation, o.Cells, o.Shared, p.Held+p.Cached)
		}
	}
	for _, k := range p.Map {
		if k != CellFree {
			marks++
		}
	}
	if (used > 0) != (p.Held+p.Cached > 0) || len(p.Map) == p.Total && marks != p.Held+p.Cached {
		t.Errorf("%d marks of %d cells in use, the largest owner has %d", marks, p.Held+p.Cached, used)
	}
}

// echo makes the toy say words that it sees, chosen by everything that it sees.
func echo(seen []int32, p model.SamplingRow) int32 {
	h := fnv.New32a()
	for _, t := range seen {
		h.Write([]byte{byte(t), byte(t >> 8)})
	}
	h.Write([]byte{byte(p.Seed), byte(p.Pos)})
	return seen[int(h.Sum32()>>4)%len(seen)]
}

// TestMarkersStay gives each conversation words of its own, and a model that
// repeats what it sees. However conversations come and go over a pool too small
// for them, none ever says a word of another's.
func TestMarkersStay(t *testing.T) {
	rounds := 200
	if testing.Short() {
		rounds = 50
	}
	rnd := rand.New(rand.NewPCG(3, 3))
	x := newToy(t, 161)
	x.says = echo
	e := openToy(t, x, 120, func(p *parts) { p.batch = 24 })
	type chat struct {
		first  int32 // of its 16 words
		tokens []int32
		stream *Stream
	}
	var open []chat
	next := int32(100)
	check := func(c chat) {
		got := finish(t, c.stream)
		if got.End.Err != nil {
			t.Fatal(got.End.Err)
		}
		for _, id := range ids(got.Tokens) {
			if id < c.first || id >= c.first+16 {
				t.Fatalf("a chat with the words %d to %d says %d: %v", c.first, c.first+15, id, ids(got.Tokens))
			}
		}
	}
	for range rounds {
		for range 1 + rnd.IntN(4) {
			c := chat{first: next}
			if next += 16; next > 5900 {
				next = 100
			}
			for range 5 + rnd.IntN(80) {
				c.tokens = append(c.tokens, c.first+rnd.Int32N(16))
			}
			c.stream = e.Generate(context.Background(), Request{Tokens: c.tokens, MaxTokens: 1 + rnd.IntN(40), Sampling: Sampling{Temperature: 1, TopP: 1, Seed: 1}})
			open = append(open, c)
		}
		for len(open) > 5 {
			i := rnd.IntN(len(open))
			if rnd.IntN(2) == 0 {
				open[i].stream.Cancel()
			}
			check(open[i])
			open = slices.Delete(open, i, i+1)
		}
		if rnd.IntN(4) == 0 {
			time.Sleep(time.Duration(rnd.IntN(300)) * time.Microsecond)
		}
	}
	for _, c := range open {
		check(c)
	}
}
