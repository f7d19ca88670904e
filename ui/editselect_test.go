package ui

import (
	"math/rand/v2"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
)

func TestSelectingInTheInput(t *testing.T) {
	for _, c := range []struct{ name, keys, text, selected, after string }{
		{"shift and an arrow", "shift+left shift+left", "one two", "wo", "one tX"},
		{"to the line's begin", "shift+home", "one\ntwo", "two", "one\nX"},
		{"by words", "ctrl+shift+left", "one two", "two", "one X"},
		{"there and back", "shift+left shift+right", "one", "", "oneX"},
		{"rows, and over the first", "shift+up shift+up", "one\ntwo", "one\ntwo", "X"},
		{"everything", "ctrl+a ctrl+a", "one\ntwo", "one\ntwo", "X"},
		{"ctrl+a by itself goes to the line's begin", "ctrl+a", "one\ntwo", "", "one\nXtwo"},
		{"a key between two of them", "ctrl+a right ctrl+a", "one", "", "Xone"},
		{"the arrow leaves at the selection's side", "shift+left shift+left left", "abc", "", "aXbc"},
		{"escape leaves the text", "shift+home esc", "abc", "", "Xabc"},
		{"whole clusters", "shift+left", "a👩‍👩‍👧", "👩‍👩‍👧", "aX"},
	} {
		b := newBench(t, 100, 30)
		b.r.pane().input.paste(c.text)
		b.keys(c.keys)
		if got := b.r.pane().input.selected(); got != c.selected {
			t.Errorf("%s selects %q, want %q", c.name, got, c.selected)
		}
		b.write("X")
		if got := b.r.pane().input.value(); got != c.after {
			t.Errorf("%s and a letter give %q, want %q", c.name, got, c.after)
		}
	}
}

// TestCutCopyPaste: what is cut is on the terminal's clipboard, and comes back
// also from a terminal that gives nothing back.
func TestCutCopyPaste(t *testing.T) {
	b := newBench(t, 100, 30)
	b.write("one two")
	b.keys("ctrl+shift+left ctrl+x")
	if b.copied() != "two" || b.r.pane().input.value() != "one " {
		t.Fatalf("cutting copied %q and left %q", b.copied(), b.r.pane().input.value())
	}
	b.keys("ctrl+a ctrl+v")
	if got := b.r.pane().input.value(); got != "twoone " {
		t.Errorf("pasting gave %q", got)
	}
	b.keys("ctrl+a ctrl+a ctrl+c")
	if b.copied() != "twoone " || b.r.pane().input.empty() {
		t.Errorf("ctrl+c copied %q, and the input is %q", b.copied(), b.r.pane().input.value())
	}
	b.send(tea.PasteMsg{Content: strings.Repeat("line\n", 20)})
	b.shows("[pasted 20 lines]")
	b.keys("ctrl+_")
	if got := b.r.pane().input.value(); got != "twoone " {
		t.Errorf("undo gave %q", got)
	}
	b.keys("ctrl+y")
	b.write("You are a poet.")
	b.keys("ctrl+a ctrl+a ctrl+x")
	if b.copied() != "You are a poet." {
		t.Errorf("cutting the system prompt copied %q", b.copied())
	}
}

// TestSelectionIsShown: as many cells are reversed as are selected, a line end
// among them.
func TestSelectionIsShown(t *testing.T) {
	b := newBench(t, 100, 30)
	b.write("abc")
	b.keys("ctrl+j")
	b.write("漢字")
	b.keys("shift+up")
	reversed := 0
	em := b.emulator()
	for y := range b.r.h {
		for x := range b.r.w {
			if c := em.CellAt(x, y); c != nil && c.Style.Attrs&uv.AttrReverse != 0 {
				reversed += c.Width
			}
		}
	}
	if got := b.r.pane().input.selected(); got != "\n漢字" && got != "c\n漢字" || reversed != len([]rune(got))+2 {
		t.Errorf("%d cells are reversed for %q", reversed, got)
	}
	exact(t, b, "selected")
}

func TestMouseSelectsInTheInput(t *testing.T) {
	b := newBench(t, 100, 30)
	b.write("hello, big world")
	x, y := b.find("big")
	b.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	b.send(tea.MouseMotionMsg{X: x + 4, Y: y, Button: tea.MouseLeft})
	b.send(tea.MouseReleaseMsg{X: x + 4, Y: y, Button: tea.MouseLeft})
	if got := b.r.pane().input.selected(); got != "big " {
		t.Errorf("dragging selects %q", got)
	}
	b.clock.add(clickGap * 2)
	for i, want := range []string{"", "world", "hello, big world", ""} {
		b.click(x+6, y)
		if got := b.r.pane().input.selected(); got != want {
			t.Errorf("click %d selects %q, want %q", i+1, got, want)
		}
	}
}

// TestClicksInTheText: twice for a word, three times for a line, also one that
// was broken for the screen.
func TestClicksInTheText(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("a rather long line ", 12))
	b := newBench(t, 100, 30, answerOf("First one.\n\n"+long+"\n\nLast."))
	b.ask("go")
	x, y := b.find("First")
	b.click(x+1, y)
	b.click(x+1, y)
	if got := b.copied(); got != "First" {
		t.Errorf("two clicks copied %q", got)
	}
	b.clock.add(clickGap * 2)
	x, y = b.find("rather")
	for range 3 {
		b.click(x, y+1)
	}
	if got := b.copied(); got != long {
		t.Errorf("three clicks copied %q", got)
	}
	b.keys("esc")
	if !b.r.pane().view.sel.empty() {
		t.Error("a key leaves the selection")
	}
}

// TestSelectionAtRandom: whatever is selected, cut and put back, the text is
// whole characters and the selection within it.
func TestSelectionAtRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 8))
	keys := []string{"left", "right", "shift+left", "shift+right", "shift+home", "shift+end", "ctrl+shift+left", "shift+up", "shift+down",
		"ctrl+a", "ctrl+x", "ctrl+v", "backspace", "delete", "ctrl+_", "up", "down", "esc"}
	b := newBench(t, 80, 24)
	for range 800 {
		if rng.IntN(3) == 0 {
			b.write([]string{"a", "漢", "e\u0301", " ", "👩‍👩‍👧"}[rng.IntN(5)])
		} else {
			b.keys(keys[rng.IntN(len(keys))])
		}
		e := &b.r.pane().input
		if from, to := e.selection(); from < 0 || to > len(e.s) {
			t.Fatalf("%d..%d of %q is selected", from, to, e.s)
		}
		checkEditor(t, e, b.r.inputWidth())
		if len(e.s) > 400 {
			b.keys("ctrl+a ctrl+a backspace")
		}
	}
}
