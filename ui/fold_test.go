package ui

import (
	"strings"
	"testing"

	"github.com/confab-tui/confab/engine"
)

// TestFoldDoesSomething: the key that folds changes what is seen each time it is pressed,
// and is named where it does.
func TestFoldDoesSomething(t *testing.T) {
	for _, thinking := range []string{"a short thought ", strings.Repeat("a long thought of many words ", 80)} {
		b := newBench(t, 80, 40)
		b.f.script = func(engine.Request) reply {
			return reply{thinking: thinking, text: poem, reason: engine.ReasonStop}
		}
		b.write("go")
		b.keys("enter")
		b.framesUntil("half of it is thought", func() bool { return b.r.pane().conv.live.thought.Len() > len(thinking)/2 })
		b.keys("tab")
		for range 3 {
			before := body(b.screen())
			b.keys("space")
			if body(b.screen()) == before {
				t.Errorf("nothing changed:\n%s", before)
			}
		}
		b.settle()
		v := &b.r.pane().view
		for i, r := range v.rows(1).All() {
			if r.kind == rowThought {
				v.cursor = place{1, i}
				break
			}
		}
		b.shows("space folds")
	}
}

// TestEditingAnAnswerAsksNothing: an answer that a person writes anew is kept, and only
// that is promised.
func TestEditingAnAnswerAsksNothing(t *testing.T) {
	b := newBench(t, 100, 30)
	b.ask("go")
	b.keys("tab e")
	b.shows("enter keeps it as a version")
	b.write(" Indeed.")
	b.keys("enter")
	b.settle()
	b.shows("Indeed.", "‹2/2›")
	if n := len(b.f.asked); n != 1 {
		t.Errorf("the model was asked %d times", n)
	}
}
