package text

import (
	"strings"
	"sync/atomic"

	"github.com/charmbracelet/x/ansi"
)

// TabStop is how far apart tab stops are, in cells.
const TabStop = 4

// apart tells that the terminal places every character by itself.
var apart atomic.Bool

// SetApart says how the terminal places the characters of a grapheme cluster:
// each by itself, as wcwidth measures them, or the cluster as a whole, which is
// its mode 2027 and how it is measured where nobody says otherwise. Emoji of
// several characters and Indic syllables differ. What was set before has to be
// set again.
func SetApart(yes bool) { apart.Store(yes) }

func method() ansi.Method {
	if apart.Load() {
		return ansi.WcWidth
	}
	return ansi.GraphemeWidth
}

// Width is the number of cells that a string takes, escape sequences not
// counted.
func Width(s string) int { return method().StringWidth(s) }

// Cluster is the first grapheme cluster of a string and the cells that it takes.
func Cluster(s string) (cluster string, width int) {
	return ansi.FirstGraphemeCluster(s, method())
}

// Truncate cuts a string to at most width cells; where it cuts, tail stands at
// the end. Escape sequences are kept.
func Truncate(s string, width int, tail string) string {
	if Width(s) <= width {
		return s
	}
	if width -= Width(tail); width < 0 {
		return ""
	}
	return cut(s, 0, width, tail)
}

// Cut is what stands in the cells from..to of a string. Escape sequences are
// kept.
func Cut(s string, from, to int) string { return cut(s, from, to, "") }

// cut is Cut with a tail where something was left out at the end. That of the
// library measures by clusters whatever the terminal does.
func cut(s string, from, to int, tail string) string {
	var b strings.Builder
	m := method()
	col, full, state := 0, false, byte(0)
	for s != "" {
		part, w, n, next := m.DecodeSequenceInString(s, state, nil)
		s, state = s[n:], next
		switch over := col+w > to; {
		case w > 0 && over && !full:
			b.WriteString(tail)
			full = true
		case part[0] == '\x1b' || part[0] == 0x9b || !full && col >= from && !over:
			b.WriteString(part)
		}
		col += w
	}
	return b.String()
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
