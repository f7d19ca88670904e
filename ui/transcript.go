package ui

import (
	"github.com/charmbracelet/x/ansi"

	"github.com/confab-tui/confab/ui/text"
)

// place is a row of a chat: the turn's number on the path and its row.
type place struct{ turn, row int }

func (p place) before(q place) bool {
	return p.turn < q.turn || p.turn == q.turn && p.row < q.row
}

// transcript is the view of one chat's text: where it stands, and the cursor of
// a person who reads it. It asks only for the turns that it shows, so its cost
// does not grow with the chat.
type transcript struct {
	c  *conversation
	th *theme
	// w and h are the rectangle, the gutter included.
	w, h  int
	frame int
	// follow keeps the end in sight; else top is the first row that is shown.
	follow bool
	top    place
	cursor place
	// reading shows the cursor.
	reading bool
	search  string
	sel     selection
	diff    differing
}

// rows are the rows of turn number i.
func (v *transcript) rows(i int) *text.List[row] {
	return v.c.turns[i].lines(v.w-gutter-1, v.th, v.frame)
}

// set sets the last turn anew for a width, as draw would.
func (v *transcript) set(w, frame int) {
	v.w, v.frame = w, frame
	if n := len(v.c.turns); n > 0 {
		v.rows(n - 1)
	}
}

// end is the place behind the last row.
func (v *transcript) end() place { return place{len(v.c.turns), 0} }

// bottom is the top row when the end is in sight.
func (v *transcript) bottom() place { return v.up(v.end(), v.h) }

// up goes n rows up from p, as far as there are rows.
func (v *transcript) up(p place, n int) place {
	for n > 0 {
		if p.row >= n {
			p.row -= n
			return p
		}
		n -= p.row
		if p.turn == 0 {
			return place{}
		}
		p.turn--
		p.row = v.rows(p.turn).Len()
	}
	return p
}

// down goes n rows down from p, at most to the last row.
func (v *transcript) down(p place, n int) place {
	for p.turn < len(v.c.turns) {
		have := v.rows(p.turn).Len() - p.row
		if n < have {
			p.row += n
			return p
		}
		n -= have
		p = place{p.turn + 1, 0}
	}
	return v.up(v.end(), 1)
}

// first is the top row that is shown.
func (v *transcript) first() place {
	bottom := v.bottom()
	if v.follow || bottom.before(v.top) {
		return bottom
	}
	if v.top.turn >= len(v.c.turns) {
		return bottom
	}
	v.top.row = min(v.top.row, max(v.rows(v.top.turn).Len()-1, 0))
	return v.top
}

// scroll moves by n rows, down where n is positive; reaching the end follows it
// from then on.
func (v *transcript) scroll(n int) {
	top := v.first()
	if n < 0 {
		v.top = v.up(top, -n)
		v.follow = v.follow && v.top == top
		return
	}
	bottom := v.bottom()
	v.top = v.down(top, n)
	v.follow = !v.top.before(bottom)
}

func (v *transcript) toEnd()   { v.follow = true }
func (v *transcript) toStart() { v.top, v.follow = place{}, v.bottom() == place{} }

// sight is the part of a transcript that is in sight, and the reader's place in it.
type sight struct {
	top, cursor place
	follow      bool
}

func (v *transcript) sight() sight   { return sight{v.top, v.cursor, v.follow} }
func (v *transcript) goBack(s sight) { v.top, v.cursor, v.follow = s.top, s.cursor, s.follow }

// hidden tells whether there is text below what is shown.
func (v *transcript) hidden() bool { return !v.follow && v.first().before(v.bottom()) }

// show scrolls as little as it takes to bring p into sight.
func (v *transcript) show(p place) {
	top := v.first()
	if p.before(top) {
		v.top, v.follow = p, false
		return
	}
	if lowest := v.up(p, v.h-1); top.before(lowest) {
		v.top = lowest
		v.follow = !v.top.before(v.bottom())
	}
}

// move takes the cursor n rows, stepping over blank ones.
func (v *transcript) move(n int) {
	if len(v.c.turns) == 0 {
		return
	}
	step := 1
	if n < 0 {
		n, step = -n, -1
	}
	for ; n > 0; n-- {
		p := v.stepFrom(v.cursor, step)
		for p != v.cursor && v.rowAt(p).kind == rowBlank {
			q := v.stepFrom(p, step)
			if q == p {
				break
			}
			p = q
		}
		if v.rowAt(p).kind == rowBlank {
			break
		}
		v.cursor = p
	}
	v.show(v.cursor)
}

func (v *transcript) stepFrom(p place, step int) place {
	if step > 0 {
		return v.down(p, 1)
	}
	return v.up(p, 1)
}

func (v *transcript) rowAt(p place) *row {
	if p.turn >= len(v.c.turns) {
		return &row{}
	}
	rows := v.rows(p.turn)
	if p.row >= rows.Len() {
		return &row{}
	}
	return rows.At(p.row)
}

// moveTurn takes the cursor to the first row of another turn.
func (v *transcript) moveTurn(n int) {
	if len(v.c.turns) == 0 {
		return
	}
	i := min(max(v.cursor.turn+n, 0), len(v.c.turns)-1)
	v.cursor = place{i, min(1, v.rows(i).Len()-1)}
	v.show(place{i, 0})
	v.show(v.cursor)
}

// read begins reading at the end of what is in sight.
func (v *transcript) read() {
	v.reading = true
	if len(v.c.turns) == 0 {
		return
	}
	p := v.down(v.first(), v.h-1)
	for v.rowAt(p).kind == rowBlank && v.first().before(p) {
		p = v.up(p, 1)
	}
	v.cursor = p
}

// current is the turn under the cursor, or the last one.
func (v *transcript) current() *turn {
	if v.reading && v.cursor.turn < len(v.c.turns) {
		return v.c.turns[v.cursor.turn]
	}
	return v.c.last()
}

// clamp keeps the cursor on a row that exists, after the path changed.
func (v *transcript) clamp() {
	if n := len(v.c.turns); v.cursor.turn >= n {
		v.cursor = place{max(n-1, 0), 0}
	}
	if v.cursor.turn < len(v.c.turns) {
		v.cursor.row = min(v.cursor.row, max(v.rows(v.cursor.turn).Len()-1, 0))
	}
}

// draw gives exactly h lines of w cells.
func (v *transcript) draw(out []string) []string {
	n := 0
	p := v.first()
	for i := p.turn; i < len(v.c.turns) && n < v.h; i++ {
		rows := v.rows(i)
		from := 0
		if i == p.turn {
			from = p.row
		}
		for j := from; j < rows.Len() && n < v.h; j++ {
			out = append(out, v.line(rows.At(j), place{i, j}))
			n++
		}
	}
	for ; n < v.h; n++ {
		out = append(out, spaces(v.w))
	}
	if v.hidden() && v.h > 1 {
		out[len(out)-1] = v.moreBelow()
	}
	return out
}

// line is one row with its gutter.
func (v *transcript) line(r *row, p place) string {
	s := r.s
	if v.search != "" && r.kind != rowBlank {
		s = highlight(s, v.search, v.th.selected)
	}
	if v.diff.cells != nil && v.c.turns[p.turn] == v.diff.turn {
		for _, c := range v.diff.cells[p.row] {
			s = paint(s, c[0], c[1], v.th.differs)
		}
	}
	s = v.sel.paint(s, p, v.th.selected)
	margin := "  "
	if r.mark != "" {
		margin = v.th.accent.draw(fit(r.mark, gutter))
	}
	if v.reading && p.turn == v.cursor.turn && r.kind != rowBlank {
		edge := v.th.faint.draw(v.th.mark.edge)
		if p == v.cursor {
			edge = v.th.accentStrong.draw(v.th.mark.edge)
		}
		margin = edge + " "
		if r.mark != "" {
			margin = edge + v.th.accent.draw(text.Truncate(r.mark, 1, ""))
			if p == v.cursor {
				margin = v.th.accentStrong.draw(fit(r.mark, gutter))
			}
		}
	}
	return margin + fit(s, v.w-gutter)
}

func (v *transcript) moreBelow() string {
	word := " more below "
	if v.c.running() {
		word = " more is being written below "
	}
	s := v.th.accent.draw(v.th.mark.more) + v.th.dim.draw(word+v.th.mark.dot+" end")
	return fit(spaces(gutter)+s, v.w)
}

// highlight marks every place where s, without its styles, has the term, whatever its
// case and accents.
func highlight(s, term string, p pen) string {
	plain := ansi.Strip(s)
	for _, f := range text.Find(plain, text.Fold(term)) {
		from := text.Width(plain[:f[0]])
		s = paint(s, from, from+text.Width(plain[f[0]:f[1]]), p)
	}
	return s
}

// paint draws the cells from..to of s, without the styles they had.
func paint(s string, from, to int, p pen) string {
	w := text.Width(s)
	to = min(to, w)
	if from >= to {
		return s
	}
	from, to = wholeCells(s, from, to)
	return text.Cut(s, 0, from) + p.draw(ansi.Strip(text.Cut(s, from, to))) + text.Cut(s, to, w)
}
