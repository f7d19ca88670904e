package ui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/confab-tui/confab/ui/text"
)

// selection is a part of one transcript, dragged over with the mouse or walked
// over with keys: from and to are rows with a column of the text, without
// gutter. What is copied is the text behind it: lines that were wrapped for the
// screen are joined again, and bars and labels of code stay behind.
type selection struct {
	on       bool
	by       selectedBy
	from, to spot
}

type selectedBy uint8

const (
	byMouse selectedBy = iota
	byClicks
	byLetter
	byRow
)

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

// empty: a click selects nothing, a cursor of keys stands on a letter.
func (s *selection) empty() bool { return !s.on || s.by == byMouse && s.from == s.to }

// keys tells whether the selection is made with keys.
func (s *selection) keys() bool { return s.on && s.by >= byLetter }

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
	if s.by == byRow {
		return from, to, true
	}
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

// text is what was selected, without styles.
func (s *selection) text(v *transcript) string {
	if s.empty() {
		return ""
	}
	a, b := s.ordered()
	var out strings.Builder
	var last *row
	lastTurn, begun := -1, false
	for p := a.place; ; {
		r := v.rowAt(p)
		if from, to, ok := s.columns(p); ok && !r.decoration() {
			t := v.c.turns[p.turn]
			gap, wrapped := "", false
			if last != nil && lastTurn == p.turn {
				gap, wrapped = r.joins(last, t)
			}
			if wrapped {
				from = max(from, r.lead)
			} else if begun {
				gap = "\n"
			}
			out.WriteString(gap + r.cut(t, from, to, &v.th.mark))
			last, lastTurn, begun = r, p.turn, true
		}
		next := v.down(p, 1)
		if next == p || b.place.before(next) {
			break
		}
		p = next
	}
	return out.String()
}

// decoration tells rows that only serve the eye: labels of code, rules.
func (r *row) decoration() bool {
	return r.kind == rowText && r.start == r.end && r.lead > 0 && r.lead >= text.Width(strings.TrimRight(r.s, " "))
}

// source is the text that the row shows a part of.
func (r *row) source(t *turn) string {
	switch r.kind {
	case rowText:
		return t.doc.Source()
	case rowThought:
		return t.thought.Source()
	}
	return ""
}

// joins tells whether a row goes on with the line of the row before it, and
// what stands between them.
func (r *row) joins(before *row, t *turn) (gap string, ok bool) {
	src := r.source(t)
	if r.kind != before.kind || before.start == before.end || r.start == r.end || before.end > r.start || r.end > len(src) {
		return "", false
	}
	gap = src[before.end:r.start]
	if strings.Contains(gap, "\n") {
		return "", false
	}
	if !r.verbatim && gap != "" {
		gap = strings.Repeat(" ", b2i(strings.ContainsAny(gap, " \t")))
	}
	return gap, true
}

// cut is the text of the cells from..to: of the source, where that is what the
// row shows, so that tabs stay tabs.
func (r *row) cut(t *turn, from, to int, m *marks) string {
	src := r.source(t)
	if !r.verbatim || r.end > len(src) || r.start == r.end {
		s := strings.TrimRight(ansi.Strip(cutCells(r.s, from, to)), " ")
		if t.running() {
			s = strings.TrimSuffix(s, m.cursor)
		}
		return s
	}
	first, last := -1, 0
	col := r.lead
	for rest := src[r.start:r.end]; rest != ""; {
		n, w := clusterAt(rest, col-r.lead)
		if col+w > from && col < to {
			at := r.end - len(rest)
			if first < 0 {
				first = at
			}
			last = at + n
		}
		col += w
		rest = rest[n:]
	}
	if first < 0 {
		return ""
	}
	return src[first:last]
}

// clusterAt is the length and width of the first cluster of s, in column col.
func clusterAt(s string, col int) (n, w int) {
	if s[0] == '\t' {
		return 1, text.TabStop - col%text.TabStop
	}
	n = clusterLen(s)
	return n, text.Width(s[:n])
}

// cutCells is text.Cut, except that a character of two cells is cut to neither
// side: it belongs to the part that has one of its cells.
func cutCells(s string, from, to int) string {
	from, to = wholeCells(s, from, to)
	return text.Cut(s, from, to)
}

// wholeCells widens a range of cells to whole characters.
func wholeCells(s string, from, to int) (int, int) {
	plain := ansi.Strip(s)
	if len(plain) == text.Width(plain) {
		return from, to // one cell each
	}
	col, a, b := 0, from, to
	for plain != "" && col < to {
		n := clusterLen(plain)
		w := text.Width(plain[:n])
		if col < from && from < col+w {
			a = col
		}
		if col < to && to < col+w {
			b = col + w
		}
		col += w
		plain = plain[n:]
	}
	return a, b
}
