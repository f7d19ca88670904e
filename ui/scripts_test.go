package ui

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/engine"
	"github.com/confab-tui/confab/ui/text"
)

// hardTexts are texts in many scripts, and strings that programs stumble over.
func hardTexts(t *testing.T) map[string]string {
	t.Helper()
	dir := filepath.Join("..", "..", "shared", "testdata", "text")
	out := map[string]string{}
	var hard []struct{ Name, Text string }
	var rights map[string]struct{ Text string }
	for name, into := range map[string]any{"hard_strings.json": &hard, "udhr_article1.json": &rights} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Skip("../shared/testdata not present")
		}
		if err := json.Unmarshal(data, into); err != nil {
			t.Fatal(err)
		}
	}
	for _, h := range hard {
		out[h.Name] = h.Text
	}
	for code, r := range rights {
		out[code] = r.Text
	}
	return out
}

// TestScripts writes each text into the input, the title and both sides of a
// chat: every line is as wide as the window, and the cursor of the input stands
// behind what was written, and before it after home.
func TestScripts(t *testing.T) {
	for name, s := range hardTexts(t) {
		b := newBench(t, 80, 24)
		b.f.every = time.Microsecond
		everySize := func(what string, check func()) {
			for _, w := range []int{80, 81, 83, 120, 200} {
				b.send(tea.WindowSizeMsg{Width: w, Height: 24 + w/8})
				exact(t, b, name+" "+what)
				check()
			}
		}
		b.f.script = func(engine.Request) reply { return reply{text: s, thinking: s, reason: engine.ReasonStop} }
		in := &b.r.pane().input
		in.paste(s)
		everySize("in the input", func() { b.cursorInInput(name) })
		in.goTo(0)
		everySize("before the input", func() { b.cursorInInput(name) })
		in.goTo(len(in.s))
		b.keys("enter")
		b.settle()
		b.r.rename(s)
		for _, keys := range []string{"", "tab", "K v l e", "esc tab ctrl+t", "esc ctrl+s", "esc alt+s"} {
			b.keys(keys)
			everySize("after "+keys, func() {})
		}
		if t.Failed() {
			t.Fatalf("%s: %q", name, s)
		}
	}
}

// cursorInInput checks the cursor's cell against the width of what stands before
// it on its row.
func (b *bench) cursorInInput(what string) {
	b.Helper()
	v := b.r.View()
	e := &b.r.pane().input
	rows := e.rows(b.r.inputWidth())
	y, x := e.locate(rows)
	if v.Cursor == nil {
		b.Fatalf("%s: there is no cursor", what)
	}
	before := *e
	before.s, before.at = e.s[:e.at], e.at
	drawn := before.draw(editRow{rows[y].start, e.at}, "", "")
	if w := text.Width(drawn); w != x || v.Cursor.X != min(gutter+x, b.r.w-1) {
		b.Errorf("%s: the cursor is in column %d (%d) of %q, %d cells wide", what, v.Cursor.X, x, drawn, w)
	}
}

// TestEditScripts steps through each text with the arrow keys and takes it back
// with backspace: the cursor never stands inside a character.
func TestEditScripts(t *testing.T) {
	for name, s := range hardTexts(t) {
		e := editor{col: -1}
		e.set(s)
		steps := 0
		for e.at > 0 {
			was := e.at
			e.goTo(e.left())
			if e.at >= was {
				t.Fatalf("%s: left stays at %d", name, was)
			}
			at := e.at
			if e.right() != was {
				t.Errorf("%s: right of %d is %d, left came from %d", name, at, e.right(), was)
			}
			steps++
		}
		e.set(s)
		for range steps {
			e.backspace()
		}
		if !e.empty() {
			t.Errorf("%s: %d times backspace leave %q", name, steps, e.s)
		}
	}
}
