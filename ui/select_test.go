package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/engine"
	"github.com/confab-tui/confab/ui/text"
)

// copied is what the terminal's clipboard was given last.
func (b *bench) copied() string {
	for i := len(b.sent) - 1; i >= 0; i-- {
		if s, ok := clipboardOf(b.sent[i]); ok {
			return s
		}
	}
	return ""
}

func answerOf(s string) func(*Options, *fake) {
	return func(_ *Options, f *fake) {
		f.script = func(engine.Request) reply { return reply{text: s, reason: engine.ReasonStop} }
	}
}

// dragOver drags from the first to the last place of two words on the screen.
func (b *bench) dragOver(from, to string) {
	b.Helper()
	at := func(word string, last bool) (int, int) {
		for y, l := range strings.Split(b.screen(), "\n") {
			if i := strings.Index(l, word); i >= 0 {
				x := cellsOf(l[:i])
				if last {
					x += cellsOf(word) - 1
				}
				return x, y
			}
		}
		b.Fatalf("%q is not on the screen:\n%s", word, b.screen())
		return 0, 0
	}
	x, y := at(from, false)
	b.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	x, y = at(to, true)
	b.send(tea.MouseMotionMsg{X: x, Y: y, Button: tea.MouseLeft})
	b.send(tea.MouseReleaseMsg{X: x, Y: y, Button: tea.MouseLeft})
}

const longLine = "This paragraph is one line of the source and much longer than the window is wide, so that it is wrapped in several places before it comes to its end."

// TestDragCopiesTheSource: wrapped lines are one line again, code has its tabs
// and no bar, and only the pane that is dragged in counts.
func TestDragCopiesTheSource(t *testing.T) {
	code := "```make\nall:\n\tgo build ./... && echo a command that is much longer than the window is wide, really\n```"
	for _, c := range []struct{ name, answer, from, to, want string }{
		{"wrapped", longLine, "paragraph", "its end.", longLine[5:]},
		{"two paragraphs", longLine + "\n\nSecond.", "before it", "Second.", longLine[strings.Index(longLine, "before it"):] + "\n\nSecond."},
		{"code", code, "all:", "really", "all:\n\tgo build ./... && echo a command that is much longer than the window is wide, really"},
		{"code and its label", "Do:\n\n" + code, "Do:", "all:", "Do:\n\nall:"},
		{"list", "- one\n- two words", "one", "words", "one\n• two words"},
		{"hanging", "- " + longLine, "This", "its end.", longLine},
		{"wide", strings.Repeat("日本語", 20), "日", "語", ""},
		{"half of a wide letter", "日本語の文", "本", "語", "本語"},
	} {
		b := newBench(t, 80, 24, answerOf(c.answer))
		b.ask("go")
		if c.name == "wide" {
			b.keys("tab k v a y")
			c.want = c.answer
		} else {
			b.dragOver(c.from, c.to)
		}
		if got := b.copied(); got != c.want {
			t.Errorf("%s: copied\n%q, want\n%q", c.name, got, c.want)
		}
		exact(t, b, c.name)
	}
}

func TestDragInOnePane(t *testing.T) {
	b := newBench(t, 120, 24, answerOf(longLine))
	b.keys("alt+s alt+a")
	b.ask("go")
	b.dragOver("This", "its end.") // the left one comes first
	if got := b.copied(); got != longLine {
		t.Errorf("copied %q", got)
	}
	b.shows("copied the selection · 149 characters")
}

func TestSelectWithKeys(t *testing.T) {
	poemLine := strings.Split(poem, "\n")
	for _, c := range []struct{ keys, want string }{
		{"v y", "T"},
		{"v e y", "There"},
		{"v w w y", "There is s"},
		{"v $ y", poemLine[3]},
		{"V y", poemLine[3]},
		{"V k y", poemLine[2] + "\n" + poemLine[3]},
		{"v $ o w w y", "so much to hear and see."},
		{"v $ b b y", "There is so much to hear a"},
		{"v l l h y", "Th"},
		{"v a y", poem},
		{"v K y", "you\ngo\n\nconfab tiny\n" + poemLine[0] + "\n" + poemLine[1] + "\n" + poemLine[2] + "\nT"},
		{"v w esc y", poem},
		{"v x r f y", "T"},
		{"v g y", "you\ngo\n\nconfab tiny\n" + strings.Join(poemLine[:3], "\n") + "\nT"},
	} {
		b := newBench(t, 80, 24)
		b.ask("go")
		b.keys("tab")
		b.keys(c.keys)
		if got := b.copied(); got != c.want {
			t.Errorf("%s: copied %q, want %q", c.keys, got, c.want)
		}
		if len(b.r.pane().conv.turns) != 2 || len(b.f.asked) != 1 {
			t.Errorf("%s changed the chat", c.keys)
		}
	}
}

// TestSelectToAHit: the search leads the selection on.
func TestSelectToAHit(t *testing.T) {
	b := newBench(t, 80, 24)
	b.ask("go")
	b.keys("tab /")
	b.write("birds")
	b.keys("enter g g j j v n")
	b.shows("characters")
	b.keys("y")
	if got := b.copied(); !strings.HasSuffix(got, "\nT") || !strings.Contains(got, "calling me,\n") {
		t.Errorf("copied %q", got)
	}
}

// TestCopySaysWhyNot: where neither the terminal nor the desktop takes the text,
// that is said.
func TestCopySaysWhyNot(t *testing.T) {
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	b := newBench(t, 80, 24)
	b.r.term = abilityOf([]string{"TERM=linux"})
	b.ask("go")
	b.keys("tab y")
	b.shows("not copied: this terminal takes no text, and there is no program", "/export")
	if b.copied() != "" {
		t.Error("the console was given a clipboard")
	}
}

func cellsOf(s string) int { return text.Width(s) }
