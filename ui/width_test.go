package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/confab-tui/confab/engine"
	"github.com/confab-tui/confab/ui/text"
)

// TestMeasuresAsTheTerminalPlaces: until a terminal says that it places grapheme
// clusters as wholes, every line is as wide as its characters are by themselves, and
// from then on as its clusters are.
func TestMeasuresAsTheTerminalPlaces(t *testing.T) {
	t.Cleanup(func() { text.SetApart(false) })
	const odd = "देवनागरी नमस्ते 👩‍👩‍👧‍👦 👍🏽 🇩🇪 한국어 "
	b := newBench(t, 120, 32)
	b.f.script = func(engine.Request) reply {
		return reply{text: strings.Repeat(odd, 8) + "\n\n| " + odd + " | b |\n|---|---|\n| c | " + odd + " |", reason: engine.ReasonStop}
	}
	text.SetApart(true)
	b.keys("alt+s")
	b.ask(odd)
	b.write(strings.Repeat(odd, 3))
	widths := func(of ansi.Method) {
		t.Helper()
		for i, l := range strings.Split(b.r.View().Content, "\n") {
			if w := of.StringWidth(l); w != 120 {
				t.Errorf("line %d has %d cells: %q", i, w, ansi.Strip(l))
			}
		}
	}
	widths(ansi.WcWidth)
	b.send(tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModeNotRecognized})
	widths(ansi.WcWidth)
	b.send(tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModeReset})
	widths(ansi.GraphemeWidth)
}
