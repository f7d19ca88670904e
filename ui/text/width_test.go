package text

import (
	"strings"
	"testing"
)

// TestCutsByTheTerminalsMeasure: what is cut is never wider than asked for, however
// the terminal places clusters, and keeps the ends of its styles.
func TestCutsByTheTerminalsMeasure(t *testing.T) {
	t.Cleanup(func() { SetApart(false) })
	const s = "a👩‍👩‍👧‍👦 \x1b[1mनमस्ते 👍🏽\x1b[m 漢字b"
	for _, apart := range []bool{false, true} {
		SetApart(apart)
		whole := Width(s)
		if want := map[bool]int{false: 16, true: 25}[apart]; whole != want {
			t.Errorf("apart %v: %d cells, want %d", apart, whole, want)
		}
		for w := range whole + 2 {
			short := Truncate(s, w, "…")
			if Width(short) > w {
				t.Errorf("apart %v: cut to %d cells it has %d: %q", apart, w, Width(short), short)
			}
			if w > 0 && strings.Count(short, "\x1b[1m") != strings.Count(short, "\x1b[m") {
				t.Errorf("apart %v: cut to %d cells a style stays open: %q", apart, w, short)
			}
			left, right := Cut(s, 0, w), Cut(s, w, whole)
			if got := Width(left) + Width(right); got > whole || w == 0 && got != whole {
				t.Errorf("apart %v: cut in two at %d it has %d cells of %d", apart, w, got, whole)
			}
		}
	}
}
