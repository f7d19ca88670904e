package ui

import (
	"fmt"
	"testing"
)

// TestNoKeyIsSilent holds keys that can do nothing to saying so.
func TestNoKeyIsSilent(t *testing.T) {
	for _, c := range []struct{ keys, says string }{
		{"ctrl+x", "nothing is selected · shift and the arrows select"},
		{"tab z", "z does nothing here · ? shows the keys that do"},
		{"tab n", "nothing is searched for · / finds"},
		{"tab o", "there is only this pane"},
		{"tab 4", "there is no pane 4"},
		{"tab left", "this message has no other version"},
		{"alt+5", "there is no tab 5"},
		{"ctrl+k z", "z does nothing here"},
		{"ctrl+k u", "there is no turn of a knob to take back"},
		{"tab v z", "z does nothing here · esc leaves the selection"},
		{"ctrl+t z", "z does nothing here"},
		{"ctrl+t N N N N N N N N N N N N", "no token under 10 % before this one"},
		{"f1 z", "z does nothing here · esc leaves"},
		{"ctrl+p z", "z does nothing here"},
	} {
		t.Run(c.keys, func(t *testing.T) {
			b := newBench(t, 120, 32)
			b.ask("hello")
			b.keys(c.keys)
			b.shows(c.says)
		})
	}
}

// TestClearedInputComesBack holds ctrl+c to losing nothing that was written, nor
// what is written after it.
func TestClearedInputComesBack(t *testing.T) {
	b := newBench(t, 100, 24)
	b.write("a long thought")
	b.keys("ctrl+c")
	b.hides("a long thought")
	b.shows("cleared · alt+z brings it back")
	b.write("quite new")
	b.keys("alt+z")
	b.shows("a long thought")
	b.hides("quite new")
	b.keys("alt+z")
	b.shows("quite new")
	b.keys("ctrl+s alt+i")
	b.shows("/import", "alt+z brings it back")
	b.keys("alt+z")
	b.shows("quite new")
}

// TestWhatIsBelowIsSaid holds lists that are longer than their place to saying so.
func TestWhatIsBelowIsSaid(t *testing.T) {
	b := newBench(t, 100, 24)
	b.write("/")
	b.shows(fmt.Sprintf("1 of %d", len(commands)))
	b.keys("down down")
	b.shows(fmt.Sprintf("3 of %d", len(commands)))
	b.keys("esc ctrl+u f1")
	b.shows(" lines below")
	b.keys("G")
	b.hides("below")
	b.shows("j k scroll")
}

// TestEditIsNotLost: an edit that has to wait for an answer stays in the input.
func TestEditIsNotLost(t *testing.T) {
	b := newBench(t, 120, 32)
	b.ask("hello")
	b.keys("up")
	b.write(" there")
	b.keys("alt+s alt+a")
	b.write("to both")
	b.keys("enter alt+left enter")
	b.shows("hello there", "an answer is being written: esc stops it, then edit")
	b.settle()
	b.keys("enter")
	b.settle()
	if got := b.f.asked[len(b.f.asked)-1].Messages; got[len(got)-1].Content != "hello there" {
		t.Errorf("asked with %+v", got)
	}
}
