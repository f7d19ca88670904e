package text

import (
	"strings"

	extast "github.com/yuin/goldmark/extension/ast"
)

// narrowest is the least width of a column; a table that would need less is
// shown as a list of records.
const narrowest = 6

type grid struct {
	cells  [][][][]glyph // [row][column][line]
	align  []extast.Alignment
	widths []int
}

// table renders columns parted by two spaces, with one thin rule under the
// head; cells wrap when the table is wider than the page.
func (p *page) table(n *extast.Table, m margin) {
	g := p.grid(n)
	room := p.width - m.width()
	if !g.fit(room) {
		p.records(g, m)
		return
	}
	for i, row := range g.cells {
		m = p.tableRow(g, row, m)
		if i == 0 {
			total := 2 * (len(g.widths) - 1)
			for _, w := range g.widths {
				total += w
			}
			p.put(m, glyphs(nil, strings.Repeat("─", total), Span{Role: RoleFaint, Src: -1}))
		}
	}
}

func (p *page) grid(n *extast.Table) *grid {
	g := &grid{align: n.Alignments, widths: make([]int, len(n.Alignments))}
	for r := n.FirstChild(); r != nil; r = r.NextSibling() {
		style := Span{}
		if r.Kind() == extast.KindTableHeader {
			style.Attr = Bold
		}
		row := make([][][]glyph, len(g.align))
		i := 0
		for c := r.FirstChild(); c != nil && i < len(row); c, i = c.NextSibling(), i+1 {
			row[i] = p.lines(c, style)
			for _, line := range row[i] {
				g.widths[i] = max(g.widths[i], cellsOf(line))
			}
		}
		g.cells = append(g.cells, row)
	}
	return g
}

// fit narrows the widest columns until the table fits, and tells whether it
// does.
func (g *grid) fit(room int) bool {
	total := 2 * (len(g.widths) - 1)
	for _, w := range g.widths {
		total += w
	}
	for total > room {
		widest := 0
		for i, w := range g.widths {
			if w > g.widths[widest] {
				widest = i
			}
		}
		if g.widths[widest] <= narrowest {
			return false
		}
		g.widths[widest]--
		total--
	}
	return true
}

func (p *page) tableRow(g *grid, row [][][]glyph, m margin) margin {
	wrapped := make([][][]glyph, len(row))
	height := 1
	for i, lines := range row {
		for _, line := range lines {
			wrapped[i] = append(wrapped[i], wrap(line, g.widths[i], g.widths[i])...)
		}
		height = max(height, len(wrapped[i]))
	}
	for h := range height {
		var out []glyph
		for i := range wrapped {
			var cell []glyph
			if h < len(wrapped[i]) {
				cell = wrapped[i][h]
			}
			left, right := g.pad(i, cellsOf(cell))
			if i > 0 {
				left += 2
			}
			out = glyphs(out, strings.Repeat(" ", left), Span{Src: -1})
			out = append(out, cell...)
			out = glyphs(out, strings.Repeat(" ", right), Span{Src: -1})
		}
		p.rows = append(p.rows, append(append([]glyph(nil), m.first...), trimRight(out)...))
		m = m.next()
	}
	return m
}

func (g *grid) pad(column, w int) (left, right int) {
	room := max(g.widths[column]-w, 0)
	switch g.align[column] {
	case extast.AlignRight:
		return room, 0
	case extast.AlignCenter:
		return room / 2, room - room/2
	}
	return 0, room
}

// records shows each row of a table that is too wide as lines "head: cell".
func (p *page) records(g *grid, m margin) {
	for r, row := range g.cells[1:] {
		if r > 0 {
			p.rows = append(p.rows, trimRight(m.rest))
		}
		for i, lines := range row {
			line := joinLines(g.cells[0][i])
			line = glyphs(line, ": ", Span{Role: RoleFaint, Src: -1})
			p.put(m, append(line, joinLines(lines)...))
			m = m.next()
		}
	}
}

func joinLines(lines [][]glyph) []glyph {
	var out []glyph
	for i, l := range lines {
		if i > 0 {
			out = glyphs(out, " ", Span{Src: -1})
		}
		out = append(out, l...)
	}
	return out
}

func cellsOf(line []glyph) int {
	w := 0
	for i := range line {
		w += int(line[i].w)
	}
	return w
}
