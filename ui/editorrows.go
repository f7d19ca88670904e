package ui

import (
	"fmt"
	"strings"

	"github.com/confab-tui/confab/ui/text"
)

// editRow is one row of the editor on the screen: the bytes start..end.
type editRow struct{ start, end int }

// rows breaks the text for a width: at spaces where it can, and never inside a
// cluster. There is always one row.
func (e *editor) rows(width int) []editRow {
	var out []editRow
	start := 0
	for _, line := range strings.Split(e.s, "\n") {
		out = e.wrapLine(out, start, start+len(line), width)
		start += len(line) + 1
	}
	return out
}

func (e *editor) wrapLine(out []editRow, start, end, width int) []editRow {
	w, space := 0, -1
	for at := start; at < end; {
		n, cw := e.cluster(at, w)
		if w+cw > width && at > start {
			cut := at
			if space > start {
				cut = space
			}
			out = append(out, editRow{start, cut})
			start, w, space, at = cut, 0, -1, cut
			continue
		}
		w += cw
		at += n
		if e.s[at-n] == ' ' {
			space = at
		}
	}
	return append(out, editRow{start, end})
}

// cluster is the length and width of the cluster at a byte that stands in
// column col.
func (e *editor) cluster(at, col int) (n, w int) {
	switch c := e.s[at]; {
	case c == '\t':
		return 1, text.TabStop - col%text.TabStop
	case c < 0x80 && (at+1 == len(e.s) || e.s[at+1] < 0x80):
		return 1, 1
	}
	cluster, w := text.Cluster(e.s[at:])
	if label, ok := e.chip(cluster); ok {
		w = text.Width(label)
	}
	return max(len(cluster), 1), w
}

// chip is what is shown for a chip's character.
func (e *editor) chip(cluster string) (string, bool) {
	for i := range e.chips {
		if cluster == string(rune(chipRune+i)) {
			c := e.chips[i]
			if name := e.names[i]; name != "" {
				return "[" + name + "]", true
			}
			if n := strings.Count(strings.TrimRight(c, "\n"), "\n"); n > 0 {
				return fmt.Sprintf("[pasted %d lines]", n+1), true
			}
			return fmt.Sprintf("[pasted %s characters]", group(len([]rune(c)))), true
		}
	}
	return "", false
}

// draw writes one row, chips and what is selected in the given pens. A line end
// that is selected is one blank cell.
func (e *editor) draw(r editRow, chip, selected pen) string {
	from, to := e.selection()
	var b strings.Builder
	col := 0
	for at := r.start; at < r.end; {
		n, w := e.cluster(at, col)
		cluster := e.s[at : at+n]
		label, ok := e.chip(cluster)
		pn := pen("")
		switch {
		case ok:
			cluster, pn = label, chip
		case cluster == "\t":
			cluster = spaces(w)
		}
		if from <= at && at < to {
			pn = selected
		}
		b.WriteString(pn.draw(cluster))
		at += n
		col += w
	}
	if from <= r.end && r.end < to && e.s[r.end] == '\n' {
		b.WriteString(selected.draw(" "))
	}
	return b.String()
}

// locate gives the row and column of the cursor.
func (e *editor) locate(rows []editRow) (y, x int) {
	for y = len(rows) - 1; y > 0 && rows[y].start > e.at; y-- {
	}
	return y, e.columnOf(rows[y], e.at)
}

func (e *editor) columnOf(r editRow, at int) int {
	col := 0
	for i := r.start; i < at; {
		n, w := e.cluster(i, col)
		i += n
		col += w
	}
	return col
}

// byteAt is the byte in a row that stands nearest to a column.
func (e *editor) byteAt(rows []editRow, y, x int) int {
	r := rows[min(max(y, 0), len(rows)-1)]
	col, at := 0, r.start
	for at < r.end {
		n, w := e.cluster(at, col)
		if col+(w+1)/2 > x {
			break
		}
		at += n
		col += w
	}
	if at == r.end && at > r.start && y < len(rows)-1 && rows[y+1].start == at {
		at = r.start + len(e.s[r.start:r.end]) - lastCluster(e.s[r.start:r.end])
	}
	return at
}

func lastCluster(s string) int {
	n := 0
	for i := 0; i < len(s); i += n {
		n = clusterLen(s[i:])
	}
	return n
}

// vertical moves the cursor by rows; it reports false at the first or last one.
func (e *editor) vertical(step, width int) bool {
	rows := e.rows(width)
	y, x := e.locate(rows)
	if y+step < 0 || y+step >= len(rows) {
		return false
	}
	if e.col < 0 {
		e.col = x
	}
	keep := e.col
	e.goTo(e.byteAt(rows, y+step, keep))
	e.col = keep
	return true
}
