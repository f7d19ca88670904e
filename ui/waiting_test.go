package ui

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/confab-tui/confab/engine"
)

// TestWaitingForRealCells: four answers in a pool whose half is held by a chat that takes
// its time. They wait, say so in their pane and in the pool view, and when that chat is
// stopped all come to their end, by turns; made again alone, one that waited says the same.
func TestWaitingForRealCells(t *testing.T) {
	b := newBench(t, 200, 50, func(o *Options, _ *fake) {
		o.Config = engine.Config{Cells: 150, Threads: 1, Backend: "cpu"}
		o.MaxTokens = 90
		o.Open = func(ctx context.Context, c engine.Config, p func(engine.Progress)) (Engine, error) {
			e, err := engine.Open(ctx, c, p)
			if err != nil {
				return nil, err
			}
			t.Cleanup(func() { e.Close() })
			return Wrap(e), nil
		}
	})
	b.r.dice = func() int64 { return 417 }
	b.r.pace = 1e-6
	b.write(strings.Repeat("sea ", 60))
	b.keys("enter ctrl+n")
	b.r.pace = 0
	b.write("Tell me a long story about the sea, a ship and its captain.")
	b.keys("alt+c")
	b.framesUntil("somebody waits", func() bool { return strings.Contains(b.screen(), "waiting for") })
	b.keys("ctrl+p") // the chats are as they were drawn, until the next frame
	b.shows("waits for")
	b.keys("esc alt+1 esc alt+3") // the chat that takes its time, and back
	b.framesUntil("the answers end", func() bool { return b.ticks == 0 })
	for i, p := range b.r.tab().panes {
		a := p.conv.last().answer
		if a.reason != engine.ReasonStop && a.reason != engine.ReasonLength {
			t.Errorf("pane %d ended by %s %s", i+1, a.reason, a.err)
		}
	}
	b.keys("alt+left")
	b.runCommand("/replay")
	b.framesUntil("the replay ends", func() bool { return b.ticks == 0 })
	b.shows("same text: all of the")
}

// framesUntil gives frames to a program whose engine is a real one.
func (b *bench) framesUntil(what string, holds func() bool) {
	b.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			b.Fatalf("it never comes that %s:\n%s", what, b.screen())
		}
		b.frames(1)
	}
}

// TestPoolTellsWhyAChatWaits: who holds what it waits for, and whose end is
// enough.
func TestPoolTellsWhyAChatWaits(t *testing.T) {
	b := newBench(t, 120, 32)
	waits := false
	b.f.script = func(engine.Request) reply {
		r := reply{text: strings.Repeat(poem, 3), reason: engine.ReasonStop}
		if waits {
			r.waitAt, r.waitFor = 2, time.Minute
		}
		waits = true
		return r
	}
	b.write("the first")
	b.keys("enter ctrl+n")
	b.write("the second")
	b.keys("enter")
	b.frames(16)
	b.keys("ctrl+p")
	b.frames(8)
	b.shows("⏸ waits for 96 cells", `until "the first" ends or is stopped`)
	b.f.streams[0].Cancel()
	b.frames(8)
	b.shows("⏸ waits for 96 cells and is next")
}
