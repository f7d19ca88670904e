package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/engine"
	"github.com/confab-tui/confab/ui/text"
)

func init() { text.Patience = time.Hour }

// TestRowsThatStandAreNotSetAgain: a piece of a long answer sets its last rows.
func TestRowsThatStandAreNotSetAgain(t *testing.T) {
	b := newBench(t, 80, 24)
	b.f.script = func(engine.Request) reply {
		return reply{text: strings.Repeat("a paragraph of words\n\n", 200), reason: engine.ReasonStop}
	}
	b.write("go")
	b.keys("enter")
	b.frames(200)
	v := &b.r.pane().view
	rows := v.rows(1)
	first := v.c.turns[1].cache.first
	if rows.Len() < 60 || !strings.Contains(rows.At(first).s, "paragraph") {
		t.Fatalf("%d rows, the first %q", rows.Len(), rows.At(first).s)
	}
	count := rows.Len()
	rows.At(first).s = "marked by the test"
	b.frames(60)
	if now := v.rows(1); now.Len() <= count || now.At(first).s != "marked by the test" {
		t.Errorf("%d rows have become %d, and the first one was set again: %q", count, now.Len(), now.At(first).s)
	}
	b.send(tea.WindowSizeMsg{Width: 70, Height: 24})
	if s := v.rows(1).At(first).s; !strings.Contains(s, "paragraph") {
		t.Errorf("another width keeps the row %q", s)
	}
}

// TestLongThoughtShowsItsEnd: of a thought that runs the last lines are set.
func TestLongThoughtShowsItsEnd(t *testing.T) {
	var thought strings.Builder
	for i := range 300 {
		fmt.Fprintf(&thought, "thought %d\n", i)
	}
	b := newBench(t, 80, 24)
	b.f.every = time.Millisecond
	b.f.script = func(engine.Request) reply {
		return reply{thinking: thought.String(), text: poem, reason: engine.ReasonStop, waitAt: 900, waitFor: time.Hour}
	}
	b.write("go")
	b.keys("enter")
	b.frames(40)
	live := b.r.pane().conv.live
	all := live.thought.Source()
	var shown []string
	for _, row := range b.r.pane().view.rows(1).All() {
		if row.kind == rowThought && row.lead > 0 {
			shown = append(shown, all[row.start:row.end])
		}
	}
	if got, want := strings.Join(shown, ","), "thought 294,thought 295,thought 296,thought 297,thought 298,thought 299"; got != want {
		t.Errorf("of %d bytes of thought %q are shown, want %q", len(all), got, want)
	}
}

// TestCodeSettlesAndNothingMoves: an answer that ends in a long block of code gets its
// last colours in some more frames, and then none is asked for.
func TestCodeSettlesAndNothingMoves(t *testing.T) {
	b := newBench(t, 80, 24)
	b.f.every = time.Millisecond
	b.f.script = func(engine.Request) reply {
		return reply{text: "```go\n" + strings.Repeat("func main() { return } // \"a word\"\n", 80) + "```\n", reason: engine.ReasonStop}
	}
	b.write("go")
	b.keys("enter")
	b.framesUntil("it ends", func() bool { return !b.r.pane().conv.running() })
	n := 0
	for ; b.ticks > 0; n++ {
		b.frames(1)
	}
	if n < 4 || n > 40 {
		t.Errorf("its colours took %d frames more", n)
	}
	got := b.r.View().Content
	b.r.pane().conv.last().doc.Set(b.r.pane().conv.last().doc.Source())
	b.r.pane().conv.last().touch()
	if b.r.View().Content != got {
		t.Error("it does not have the colours that it would have had at once")
	}
}
