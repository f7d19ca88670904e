package ui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// selection is the text that a person dragged over with the mouse, in one
// transcript: from and to are rows with a column of the text, without gutter.
type selection struct {
	on       bool
	from, to spot
}

type spot struct {
	place
	col int
}

func (s spot) before(t spot) bool {
	return s.place.before(t.place) || s.place == t.place && s.col < t.col
}

func (s *selection) begin(at spot) { *s = selection{on: true, from: at, to: at} }

func (s *selection) ordered() (from, to spot) {
	if s.to.before(s.from) {
		return s.to, s.from
	}
	return s.from, s.to
}

func (s *selection) empty() bool { return !s.on || s.from == s.to }

// columns are the cells of a row that are selected.
func (s *selection) columns(p place) (from, to int, ok bool) {
	if s.empty() {
		return 0, 0, false
	}
	a, b := s.ordered()
	if p.before(a.place) || b.place.before(p) {
		return 0, 0, false
	}
	from, to = 0, 1<<20
	if p == a.place {
		from = a.col
	}
	if p == b.place {
		to = b.col + 1
	}
	return from, to, true
}

func (s *selection) paint(line string, p place, pn pen) string {
	from, to, ok := s.columns(p)
	if !ok {
		return line
	}
	return paint(line, from, to, pn)
}

// text is what was selected, without styles, a line for each row.
func (s *selection) text(v *transcript) string {
	if s.empty() {
		return ""
	}
	a, b := s.ordered()
	var out []string
	for p := a.place; ; {
		if from, to, ok := s.columns(p); ok {
			out = append(out, strings.TrimRight(ansi.Strip(ansi.Cut(v.rowAt(p).s, from, to)), " "))
		}
		next := v.down(p, 1)
		if next == p || b.place.before(next) {
			break
		}
		p = next
	}
	return strings.Join(out, "\n")
}
