package ui

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/confab-tui/confab/ui/text"
)

// TestRows holds lines of text to being broken between words, whatever pieces they come
// in.
func TestRows(t *testing.T) {
	url := "https://example.org/a/very/long/address"
	for _, c := range []struct {
		width      int
		text, want string
	}{
		{21, "The birds are flying wild and free.\n", "The birds are flying\nwild and free.\n"},
		{21, "aaaaaaaaaa bbbbbbbbb cccc  dd\n\n  x\n", "aaaaaaaaaa bbbbbbbbb\ncccc  dd\n\n  x\n"},
		{21, "see " + url + " and more words here\n", "see\n" + url + "\nand more words here\n"},
		{11, "日本語の文章は空白を使わない\n", "日本語の文\n章は空白を\n使わない\n"},
		{0, "The birds are flying wild and free.\n", "The birds are flying wild and free.\n"},
	} {
		for seed := range uint64(50) {
			random := rand.New(rand.NewPCG(seed, 0))
			var out strings.Builder
			w := &rows{out: &out, width: func() int { return c.width }}
			for rest := []rune(c.text); len(rest) > 0; {
				n := 1 + random.IntN(min(len(rest), 12))
				w.put(string(rest[:n]))
				rest = rest[n:]
			}
			if got := out.String(); got != c.want {
				t.Fatalf("%q in %d cells, seed %d:\n%q, want\n%q", c.text, c.width, seed, got, c.want)
			}
		}
	}
}

// TestPlainBreaksBetweenWords: whatever is said keeps to the terminal's width, also
// behind a name, and while the terminal changes it.
func TestPlainBreaksBetweenWords(t *testing.T) {
	b := newBench(t, 80, 24)
	var out strings.Builder
	width := 40
	frame := b.r.options.frame
	p := newPlain(b.r, &rows{out: &out, width: func() int { return width }}, true)
	b.r.options.frame = frame // the test's own
	b.f.script = echo
	long := strings.Repeat("some words of a sentence ", 20)
	b.r.pane().input.set(long)
	b.send(keyPress("enter"))
	for b.ticks > 0 {
		b.frames(1)
		p.speak()
		width = 70 - width
	}
	for _, l := range strings.Split(out.String(), "\n") {
		if text.Width(l) >= 40 {
			t.Errorf("%q is wider than the terminal", l)
		}
	}
	if said := strings.Join(strings.Fields(out.String()), " "); !strings.Contains(said, strings.TrimSpace(long)) {
		t.Errorf("said %q", said)
	}
}
