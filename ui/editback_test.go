package ui

import "testing"

// TestEditIsLeftForWhereItBegan: esc goes back to the message in the text where e was
// pressed, and into the input where the edit was begun there.
func TestEditIsLeftForWhereItBegan(t *testing.T) {
	b := newBench(t, 80, 20)
	for _, s := range []string{"one", "two", "three", "four"} {
		b.ask(s)
	}
	b.write("a draft")
	b.keys("tab g J J e")
	b.shows("two", "esc")
	before := b.r.pane().view.sight()
	b.write(" and more")
	b.keys("esc")
	p := b.r.pane()
	if b.r.focus != focusText || !p.view.reading || p.view.sight() != before || before.cursor.turn != 2 {
		t.Errorf("esc leads to %+v with focus %d, e was pressed at %+v", p.view.sight(), b.r.focus, before)
	}
	if p.input.value() != "a draft" {
		t.Errorf("the draft has become %q", p.input.value())
	}
	b.keys("esc ctrl+u up esc")
	if b.r.focus != focusInput || p.view.reading {
		t.Error("an edit that began in the input ends in the text")
	}
}
