package text

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// TabStop is how far apart tab stops are, in cells.
const TabStop = 4

// Width is the number of cells that a string takes, escape sequences not
// counted, by grapheme clusters.
func Width(s string) int { return ansi.StringWidth(s) }

// Truncate cuts a string to at most width cells; where it cuts, tail stands at
// the end. Escape sequences are kept.
func Truncate(s string, width int, tail string) string {
	return ansi.Truncate(s, width, tail)
}

// Pad fills a string with spaces up to width cells, or cuts it.
func Pad(s string, width int) string {
	w := Width(s)
	if w > width {
		s = Truncate(s, width, "…")
		w = Width(s)
	}
	return s + strings.Repeat(" ", max(width-w, 0))
}

// Wrap breaks plain text into lines of at most width cells, at spaces where
// there are any; newlines are kept.
func Wrap(s string, width int) []string {
	var out []string
	for _, l := range WrapLines(s, width) {
		out = append(out, l.Text)
	}
	return out
}

// PlainLine is a line of plain text and the bytes of the source that it shows.
type PlainLine struct {
	Text       string
	Start, End int
}

// WrapLines is Wrap with the place of each line in s, which must be clean.
func WrapLines(s string, width int) []PlainLine {
	var out []PlainLine
	at := 0
	for _, para := range strings.Split(s, "\n") {
		gs := glyphs(nil, para, Span{Src: at})
		for _, row := range wrap(gs, width, width) {
			var b strings.Builder
			l := PlainLine{Start: at, End: at}
			for i, g := range row {
				if i == 0 {
					l.Start = g.src
				}
				b.WriteString(g.s)
				l.End = g.src + g.n
			}
			l.Text = b.String()
			out = append(out, l)
		}
		at += len(para) + 1
	}
	return out
}
