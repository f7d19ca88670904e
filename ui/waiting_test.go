package ui

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/confab-tui/confab/engine"
)

// TestWaitingForRealCells: four long answers in a pool that holds one of them and part of another. Some
// wait, say so in their pane and in the pool view, and all come to their end; made
// again alone, the one that waited says the same.
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
	b.write("Tell me a long story about the sea, a ship and its captain.")
	b.keys("alt+c")
	waited := ""
	deadline := time.Now().Add(time.Minute)
	for b.ticks > 0 && time.Now().Before(deadline) {
		b.frames(1)
		time.Sleep(2 * time.Millisecond)
		if s := b.screen(); waited == "" && strings.Contains(s, "waiting for") {
			waited = s
			b.keys("ctrl+p") // the chats are as they were drawn, until the next frame
			b.shows("waits for")
			b.keys("esc")
		}
	}
	if b.ticks > 0 {
		t.Fatalf("the answers do not end:\n%s", b.screen())
	}
	for i, p := range b.r.tab().panes {
		a := p.conv.last().answer
		if a.reason != engine.ReasonStop && a.reason != engine.ReasonLength {
			t.Errorf("pane %d ended by %s %s", i+1, a.reason, a.err)
		}
	}
	if waited == "" {
		t.Fatal("nobody had to wait: the test shows nothing")
	}
	b.keys("alt+left")
	b.runCommand("/replay")
	for b.ticks > 0 && time.Now().Before(deadline) {
		b.frames(1)
		time.Sleep(2 * time.Millisecond)
	}
	b.shows("same text: all of the")
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
