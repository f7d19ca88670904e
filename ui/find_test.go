package ui

import (
	"strings"
	"testing"

	"github.com/confab-tui/confab/engine"
)

// TestFindLooksThroughFoldsAndLineEnds: what is folded, or broken over two lines, is in
// the chat, and is found.
func TestFindLooksThroughFoldsAndLineEnds(t *testing.T) {
	b := newBench(t, 80, 30)
	b.f.script = func(engine.Request) reply {
		return reply{thinking: "a secret zebra", text: strings.Repeat("word ", 14) + "north wind, " + strings.Repeat("漢字", 38) + "と風", reason: engine.ReasonStop}
	}
	b.r.pane().input.set(strings.Repeat("a line\n", 30) + "the needle")
	b.keys("enter")
	b.settle()
	find := func(term string) {
		b.keys("ctrl+f ctrl+u")
		b.write(term)
		b.keys("enter")
	}
	find("zebra")
	b.shows(`line 1 of 1 with "zebra" · folded: space opens it`)
	b.keys("space n")
	b.shows("a secret zebra", `line 1 of 1 with "zebra"`)
	b.hides("folded: ")
	find("needle")
	b.shows(`line 1 of 1 with "needle" · folded`)
	for i, broken := range []string{"word north wind", "漢字漢字と風"} {
		if strings.Contains(b.screen(), broken) {
			t.Fatalf("%d: %q stands on one line", i, broken)
		}
		find(broken)
		b.shows(`line 1 of 1 with "` + broken + `"`)
	}
	find("word word")
	b.hides("not in this chat")
	find(`an "owl" 👩‍👧`)
	b.shows(`"an "owl" 👩‍👧" is not in this chat`)
}
