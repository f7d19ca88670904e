package ui

import "testing"

// TestBegin holds g to going to the begin at once, and gt to leaving a chat where
// it was read.
func TestBegin(t *testing.T) {
	b := newBench(t, 100, 24)
	b.f.script = echo
	for range 12 {
		b.ask("a question")
	}
	v := &b.r.pane().view
	b.keys("tab g")
	if v.follow || v.top != (place{}) {
		t.Fatalf("g left the view at %v", v.top)
	}
	b.keys("j")
	if v.cursor != (place{0, 2}) {
		t.Errorf("j after g went to %v", v.cursor)
	}
	b.keys("ctrl+n ctrl+pgup tab G")
	was := v.sight()
	b.keys("g t")
	if b.r.active != 1 {
		t.Errorf("gt went to tab %d", b.r.active+1)
	}
	if now := v.sight(); now != was {
		t.Errorf("gt left the chat at %v, it was read at %v", now, was)
	}
}
