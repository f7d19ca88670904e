package ui

import (
	"strings"
	"testing"

	"github.com/confab-tui/confab/engine"
)

// TestHeadings holds the heads of panes to showing seeds whole or not at all, whatever
// the room is.
func TestHeadings(t *testing.T) {
	b := newBench(t, 100, 30)
	b.f.script = func(engine.Request) reply { return reply{text: "Tokyo.", reason: engine.ReasonStop} }
	b.r.dice = func() int64 { return 725512 }
	b.write("Capital of Japan?")
	b.keys("alt+c")
	b.settle()
	b.shows("1  T 0.00 · seed 725512│", "4  T 1.20 · seed 725512")
	b.keys("ctrl+k")
	b.shows("─┤  top-k") // the rule under the heads ends at the panel
	b.keys("ctrl+k")

	p := b.r.pane()
	p.lastAnswer().seed = 1234567890123
	if got := p.heading(b.r, 20); got != "T 0.00" {
		t.Errorf("a seed without room gives the head %q", got)
	}
	b.r.tab().compare = false
	for _, c := range []struct {
		w    int
		want string
	}{
		{60, "Capital of Japan? · T 0 · T 0.00 · seed 1234567890123"},
		{38, "Capital… · T 0.00 · seed 1234567890123"},
		{37, "T 0.00 · seed 1234567890123"},
		{26, "Capital of Japan… · T 0.00"},
	} {
		if got := p.heading(b.r, c.w); got != c.want {
			t.Errorf("in %d cells: %q, want %q", c.w, got, c.want)
		}
	}
}

// TestHeadingOfModels: where models are compared their names come before the seed.
func TestHeadingOfModels(t *testing.T) {
	b := newBench(t, 100, 30)
	second := newFake(b.clock)
	second.info.ID, second.info.Name, second.info.Path = "llama", "Llama 3.2 3B", modelFileAt(t, "llama.gguf")
	b.r.models.open = second.open
	b.r.dice = func() int64 { return 725512 }
	b.keys("alt+s")
	b.runCommand("/model " + second.info.Path)
	b.ask("Capital of Japan?")
	p := b.r.pane()
	if got := p.heading(b.r, 20); got != "Llama 3.2 … · T 0.80" {
		t.Errorf("the head is %q", got)
	}
	if got := p.heading(b.r, 31); !strings.HasSuffix(got, "… · T 0.80 · seed 725512") {
		t.Errorf("the head is %q", got)
	}
}
