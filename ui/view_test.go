package ui

import (
	"math/rand/v2"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/engine"
	"github.com/confab-tui/confab/ui/text"
)

// fourPanes is a screen of 200 x 60 with four chats, each with a long past and
// an answer that streams.
func fourPanes(t testing.TB) *bench {
	b := newBench(t, 200, 60)
	b.f.script = func(engine.Request) reply {
		return reply{text: strings.Repeat(demoMarkdown+"\n", 4), reason: engine.ReasonStop}
	}
	b.keys("alt+c")
	for range 3 {
		b.write("show me")
		b.keys("enter")
		b.settle()
	}
	b.write("again")
	b.keys("enter")
	b.frames(60)
	return b
}

// BenchmarkViewStreaming is the cost of a frame: four answers bring text, and the
// screen is drawn.
func BenchmarkViewStreaming(b *testing.B) {
	s := fourPanes(b)
	cost(b, func(i int) {
		text := " and one more word"
		if i%20 == 0 {
			text = ".\n\nThen"
		}
		for _, p := range s.r.tab().panes {
			t := p.conv.live
			if t == nil {
				t = p.conv.last()
			}
			t.doc.Append(text)
			t.touch()
			if t.doc.Len() > 6000 {
				t.doc.Set(demoMarkdown)
			}
		}
		s.r.View()
	})
}

// BenchmarkViewStill is the cost of drawing when nothing changed.
func BenchmarkViewStill(b *testing.B) {
	s := fourPanes(b)
	cost(b, func(int) { s.r.View() })
}

// TestEveryLineIsExact draws every view at several sizes: each line must be
// exactly as wide as the window, and there must be as many as it has.
func TestEveryLineIsExact(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {81, 25}, {99, 31}, {120, 40}, {200, 50}} {
		b := newBench(t, size[0], size[1], func(o *Options, _ *fake) { o.Models = func() []modelFile { return demoModels } })
		b.f.script = func(r engine.Request) reply { return demoReply(r) }
		b.ask("show me code, 漢字 and 👩‍👩‍👧 as well")
		for _, keys := range []string{"", "ctrl+k", "esc tab", "esc ctrl+t", "esc ctrl+p", "esc ctrl+o", "esc ctrl+s", "esc ctrl+y", "esc f2", "esc ?", "esc alt+s", "alt+s", "ctrl+k", "esc ctrl+f x", "esc esc /", "ctrl+u alt+c"} {
			b.keys(keys)
			exact(t, b, keys)
		}
	}
}

func exact(t *testing.T, b *bench, what string) {
	t.Helper()
	lines := strings.Split(b.r.View().Content, "\n")
	if len(lines) != b.r.h {
		t.Errorf("%q at %d x %d: %d lines", what, b.r.w, b.r.h, len(lines))
	}
	for y, l := range lines {
		if w := text.Width(l); w != b.r.w {
			t.Errorf("%q at %d x %d: line %d has %d cells: %q", what, b.r.w, b.r.h, y, w, l)
		}
	}
}

// TestRandomStreamEqualsFresh lets text come in random pieces between random
// resizes; the screen must be that of a program that has had the whole text all
// along.
func TestRandomStreamEqualsFresh(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 11))
	source := []rune(demoMarkdown + "\n日本語のテキスト and a very-long-word-without-any-break-in-it-at-all-that-goes-on\n\n> quoted\n\n" + demoMarkdown)
	for round := range 20 {
		a := newBench(t, 90, 30)
		whole := string(source[:1+rng.IntN(len(source))])
		a.f.script = func(engine.Request) reply { return reply{text: whole, reason: engine.ReasonStop} }
		a.write("go")
		a.keys("enter")
		for a.ticks > 0 {
			a.frames(1 + rng.IntN(20))
			a.send(tea.WindowSizeMsg{Width: 80 + rng.IntN(60), Height: 24 + rng.IntN(20)})
		}
		a.send(tea.WindowSizeMsg{Width: 100, Height: 40})

		b := newBench(t, 100, 40)
		b.f.every, b.f.first = 0, 0
		b.f.every = 1
		b.f.script = a.f.script
		b.write("go")
		b.keys("enter")
		b.settle()
		got, want := body(a.screen()), body(b.screen())
		if got != want {
			t.Fatalf("round %d: streamed\n%s\nfresh\n%s", round, got, want)
		}
	}
}

// body is a screen without its last line, whose numbers differ.
func body(s string) string {
	lines := strings.Split(s, "\n")
	return strings.Join(lines[:len(lines)-2], "\n")
}

func TestSmallWindow(t *testing.T) {
	b := newBench(t, 50, 20)
	b.shows("confab needs a window of 56 x 16; this one has")
	b.send(tea.WindowSizeMsg{Width: 59, Height: 24}) // half of 120 columns
	b.shows("Ask anything")
	for _, size := range [][2]int{{1, 1}, {5, 3}, {80, 5}, {20, 40}} {
		b.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		b.screen()
	}
}

// TestWelcomeIsWhole: the first words that a person reads are cut off in no pane.
func TestWelcomeIsWhole(t *testing.T) {
	for _, keys := range []string{"ctrl+k", "alt+s alt+s"} {
		b := newBench(t, 80, 24)
		b.keys(keys)
		if s := b.screen(); strings.Contains(s, "…") {
			t.Errorf("%s: something is cut off:\n%s", keys, s)
		}
		words := strings.Join(strings.Fields(strings.NewReplacer("│", " ").Replace(b.screen())), " ")
		for _, want := range []string{"answers", "program.", "machine", "shows every key"} {
			if !strings.Contains(words, want) {
				t.Errorf("%s: %q is missing:\n%s", keys, want, b.screen())
			}
		}
	}
}

// TestToggleTakesNoNumber: what a number is wrong for says what is right.
func TestToggleTakesNoNumber(t *testing.T) {
	b := newBench(t, 120, 32)
	b.runCommand("/set parameter temperature_last 7.5")
	b.shows(`temperature_last is on or off, not "7.5"`)
}
