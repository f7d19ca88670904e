package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/engine"
	"github.com/confab-tui/confab/ui/text"
)

// find gives the cell at which a text stands on the screen.
func (b *bench) find(s string) (x, y int) {
	b.Helper()
	for y, line := range strings.Split(b.screen(), "\n") {
		if i := strings.Index(line, s); i >= 0 {
			return text.Width(line[:i]), y
		}
	}
	b.Fatalf("%q is not on the screen:\n%s", s, b.screen())
	return 0, 0
}

func TestMouseOnTabs(t *testing.T) {
	b := newBench(t, 100, 30)
	b.ask("one")
	b.click(b.find(" + "))
	b.click(b.find("+ "))
	if len(b.r.tabs) < 2 {
		t.Fatal("a click on + makes no tab")
	}
	b.click(b.find("one"))
	if b.r.active != 0 {
		t.Errorf("a click on a tab made tab %d active", b.r.active)
	}
}

func TestMouseOnKnobs(t *testing.T) {
	b := newBench(t, 120, 32)
	b.keys("ctrl+k")
	x, y := b.find("top-p ")
	b.click(x+13, y)
	if v, _ := b.r.pane().conv.layers.get(b.r.base(), knobTopP); v != 0 {
		t.Errorf("a click on the slider's begin gives top-p %v", v)
	}
	b.send(tea.MouseClickMsg{X: x + 13, Y: y, Button: tea.MouseLeft})
	b.send(tea.MouseMotionMsg{X: 119, Y: y, Button: tea.MouseLeft})
	b.send(tea.MouseReleaseMsg{X: 119, Y: y, Button: tea.MouseLeft})
	if v, _ := b.r.pane().conv.layers.get(b.r.base(), knobTopP); v != 1 {
		t.Errorf("dragging to the end gives top-p %v", v)
	}
	b.send(tea.MouseWheelMsg{X: x, Y: y, Button: tea.MouseWheelDown})
	if v, _ := b.r.pane().conv.layers.get(b.r.base(), knobTopP); v != 0.99 {
		t.Errorf("a notch of the wheel gives top-p %v", v)
	}
	b.click(b.find("creative"))
	if got := b.r.pane().conv.layers.preset; got != "creative" {
		t.Errorf("a click on a preset gives %q", got)
	}
}

func TestMouseSelects(t *testing.T) {
	b := newBench(t, 100, 30)
	b.ask("Write a poem about the sea.")
	x, y := b.find("hear the wide")
	b.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	b.send(tea.MouseMotionMsg{X: x + 5, Y: y + 1, Button: tea.MouseLeft})
	b.sent = nil
	b.send(tea.MouseReleaseMsg{X: x + 5, Y: y + 1, Button: tea.MouseLeft})
	b.shows("copied the selection")
	v := &b.r.pane().view
	if got := v.sel.text(v); got != "hear the wide blue sea,\nIts wave" {
		t.Errorf("selected %q", got)
	}
	if len(b.sent) == 0 {
		t.Error("nothing was given to the terminal's clipboard")
	}
	b.keys("esc")
	if !v.sel.empty() {
		t.Error("a key leaves the selection")
	}
}

func TestMouseWheelAndFolds(t *testing.T) {
	b := newBench(t, 80, 24)
	b.f.script = func(engine.Request) reply {
		return reply{thinking: "Hm.\nWell.\n", text: strings.Repeat("A line.\n\n", 40), reason: engine.ReasonStop}
	}
	b.ask("go")
	b.send(tea.MouseWheelMsg{X: 5, Y: 8, Button: tea.MouseWheelUp})
	b.shows("more below")
	for range 60 {
		b.send(tea.MouseWheelMsg{X: 5, Y: 22, Button: tea.MouseWheelUp})
	}
	b.shows("▸ thought")
	b.click(b.find("▸ thought"))
	b.shows("│ Hm.", "│ Well.")
	for range 60 {
		b.send(tea.MouseWheelMsg{X: 5, Y: 8, Button: tea.MouseWheelDown})
	}
	if !b.r.pane().view.follow {
		t.Error("the wheel at the end does not follow")
	}
}

func TestMousePlacesTheCursor(t *testing.T) {
	b := newBench(t, 100, 30)
	b.write("hello world")
	x, y := b.find("world")
	b.click(x, y)
	b.write("big ")
	if got := b.r.pane().input.value(); got != "hello big world" {
		t.Errorf("the input is %q", got)
	}
}
