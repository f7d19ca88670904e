package ui

import (
	"runtime"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/engine"
)

// TestNothingMovesWhenIdle: whatever is on the screen, a program that nobody uses
// asks for no frame, and what has ended asks for none any more.
func TestNothingMovesWhenIdle(t *testing.T) {
	for _, g := range goldens {
		if g.name == "loading" || g.name == "failed" || g.name == "fetching" || g.name == "toosmall" {
			continue // made by hand, without what would end
		}
		b := goldenBench(t, g.sizes[0], g.build)
		for _, s := range b.f.streams {
			s.Cancel()
		}
		b.frames(20)
		if b.ticks != 0 {
			t.Errorf("%s: frames are asked for though nothing moves", g.name)
		}
		b.sent = nil
		for _, msg := range []tea.Msg{tea.BlurMsg{}, tea.FocusMsg{}, tea.WindowSizeMsg{Width: 130, Height: 41}, tea.MouseMotionMsg{X: 3, Y: 9}, keyPress("down"), statsMsg{}} {
			b.send(msg)
		}
		if b.ticks != 0 {
			t.Errorf("%s: a message that changes nothing begins to ask for frames", g.name)
		}
	}
}

// TestLongTranscript: a chat of 100,000 tokens costs what its screen shows. To draw
// it, to scroll and to take in a token asks for the rows of a few messages, and
// hardly any memory.
func TestLongTranscript(t *testing.T) {
	b := newBench(t, 200, 60)
	para := strings.TrimSpace(strings.Repeat("the quick brown fox jumps over it ", 15))
	b.f.script = func(engine.Request) reply {
		return reply{text: strings.Repeat(para+"\n\n", 8) + demoMarkdown, reason: engine.ReasonStop}
	}
	b.f.every, b.f.first = time.Microsecond, time.Microsecond
	p := b.r.pane()
	tokens := 0
	for tokens < 100_000 {
		b.ask("Go on.")
		tokens += p.conv.last().answer.counts.Generated
	}
	turns := p.conv.turns
	for _, t := range turns {
		t.cache = rendered{} // as after the program has started
	}
	set := func() (n int) {
		for _, t := range turns {
			n += b2i(t.cache.rows.Len() > 0)
		}
		return n
	}
	b.screen()
	if n := set(); n > 8 {
		t.Errorf("drawing the end set %d of %d messages", n, len(turns))
	}
	b.keys("pgup pgup")
	if n := set(); n > 16 {
		t.Errorf("scrolling two pages set %d of %d messages", n, len(turns))
	}
	b.keys("end")
	still := testing.AllocsPerRun(20, func() { b.r.View() })
	b.f.every = 16 * time.Millisecond
	b.write("more")
	b.keys("enter")
	b.frames(30)
	kept, versions := 0, 0
	for _, t := range turns {
		versions += t.version
		kept += b2i(t.answer != nil && t.answer.tokens.Len() > 0)
	}
	if kept > 2 { // of the last one and of the one that is written
		t.Errorf("%d answers keep the records of their tokens", kept)
	}
	var before, after runtime.MemStats
	most := uint64(0)
	for range 60 {
		b.frames(1)
		p.conv.live.touch()
		runtime.ReadMemStats(&before)
		b.r.View()
		runtime.ReadMemStats(&after)
		most = max(most, after.TotalAlloc-before.TotalAlloc)
	}
	for _, t := range turns {
		versions -= t.version
	}
	if versions != 0 {
		t.Error("what streams touches finished messages")
	}
	if most > 1<<20 { // a screen of 200 x 60 cells, with its sequences
		t.Errorf("drawing a frame allocates %d bytes", most)
	}
	short := newBench(t, 200, 60)
	short.f.script = b.f.script
	short.ask("Go on.")
	short.ask("Go on.")
	if s := testing.AllocsPerRun(20, func() { short.r.View() }); still > 2*s+100 {
		t.Errorf("a still screen takes %.0f allocations, that of a short chat %.0f", still, s)
	}
}

// sixPanes is a screen of 250 x 60 with six chats that stream 1,000 tokens a second
// each.
func sixPanes(t testing.TB) *bench {
	b := newBench(t, 250, 60)
	b.f.every, b.f.first = time.Millisecond, time.Millisecond
	b.f.script = func(engine.Request) reply {
		return reply{text: strings.Repeat(demoMarkdown+"\n", 2000), reason: engine.ReasonStop}
	}
	b.runCommand("/compare 0 0.3 0.6 0.9 1.2 1.5")
	b.write("show me")
	b.keys("enter")
	b.frames(60)
	return b
}

// TestSixFastPanes: every pane takes all its tokens in one frame, with one look at
// its stream for each piece, and a key between two frames draws once.
func TestSixFastPanes(t *testing.T) {
	b := sixPanes(t)
	generated := func() (n int) {
		for _, p := range b.r.tab().panes {
			n += p.conv.last().answer.counts.Generated
		}
		return n
	}
	before, polls := generated(), b.f.calls["Poll"]
	b.frames(1)
	perFrame := int(6 * frameTime / time.Millisecond)
	if n := generated() - before; n < perFrame-12 || n > perFrame+12 {
		t.Errorf("a frame brought %d tokens of %d", n, perFrame)
	}
	if n := b.f.calls["Poll"] - polls; n > 2*6 {
		t.Errorf("a frame asked the streams %d times", n)
	}
	polls = b.f.calls["Poll"]
	b.write("x")
	if b.f.calls["Poll"] != polls {
		t.Error("a key waits for the streams")
	}
	if _, y := b.find("x"); y < b.r.h-4 {
		t.Error("the key is not shown")
	}
}

// TestKeysGoFirst: where a key waits, a frame lets it go first behind each pane, and goes
// on afterwards until all of them had their turns.
func TestKeysGoFirst(t *testing.T) {
	b := sixPanes(t)
	have := make([]int, len(b.r.tab().panes))
	took := func() (n int) {
		for i, p := range b.r.tab().panes {
			now := p.conv.last().answer.counts.Generated
			n += b2i(now > have[i])
			have[i] = now
		}
		return n
	}
	took()
	b.r.options.waits = func() bool { return true }
	b.clock.add(frameTime)
	_, cmd := b.r.Update(frameMsg{})
	if n := took(); n != 1 {
		t.Fatalf("%d panes had their turns before the key", n)
	}
	ticks := b.ticks
	b.write("x")
	if n := took(); n != 0 {
		t.Errorf("the key had to wait for %d panes", n)
	}
	b.run(cmd)
	if n := took(); n != 5 || b.ticks != ticks+1 {
		t.Errorf("then %d panes had their turns, and %d frames were asked for", n, b.ticks-ticks)
	}
}

// BenchmarkKeyUnderSixPanes is the time from a key to its drawn screen, behind a
// frame that brings six panes their tokens.
func BenchmarkKeyUnderSixPanes(b *testing.B) {
	s := sixPanes(b)
	cost(b, func(int) {
		s.frames(1)
		s.keys("left")
	})
}

// BenchmarkLongTranscript is the cost of a frame at the end of 100,000 tokens.
func BenchmarkLongTranscript(b *testing.B) {
	s := newBench(b, 200, 60)
	s.f.every, s.f.first = time.Microsecond, time.Microsecond
	s.f.script = func(engine.Request) reply {
		return reply{text: strings.Repeat(demoMarkdown+"\n", 8), reason: engine.ReasonStop}
	}
	for n := 0; n < 100_000; n += s.r.pane().conv.last().answer.counts.Generated {
		s.ask("Go on.")
	}
	cost(b, func(int) {
		s.r.pane().conv.last().touch()
		s.r.View()
	})
}
