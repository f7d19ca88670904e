package ui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/confab-tui/confab/ui/text"
)

// diffWords is how many words of an answer are compared; the cost grows with
// its square.
const diffWords = 800

// word is a word of a rendered answer and the cells in which it stands.
type word struct {
	s        string
	row      int
	from, to int
}

// differing marks, by the row of the last answer, the cells whose words the
// other answer does not have in this order.
type differing struct {
	turn *turn
	// mine, theirs and width are what the marks were made for.
	mine, theirs, width int
	// cells are in force, kept were found last.
	cells, kept map[int][][2]int
}

// wordsOf lists the words of a rendered turn's text.
func wordsOf(rows *text.List[row]) []word {
	var out []word
	for i, r := range rows.All() {
		if r.kind != rowText {
			continue
		}
		plain := ansi.Strip(r.s)
		for at := 0; at < len(plain) && len(out) < diffWords; {
			rest := plain[at:]
			lead := len(rest) - len(strings.TrimLeft(rest, " "))
			at += lead
			n := strings.IndexByte(plain[at:], ' ')
			if n < 0 {
				n = len(plain) - at
			}
			if n > 0 {
				from := text.Width(plain[:at])
				out = append(out, word{plain[at : at+n], i, from, from + text.Width(plain[at:at+n])})
			}
			at += n
		}
	}
	return out
}

// compareWith finds the words of v's last answer that differ from another's.
func (v *transcript) compareWith(other *transcript) {
	v.diff.cells = nil
	if len(v.c.turns) == 0 || len(other.c.turns) == 0 {
		v.diff.turn = nil
		return
	}
	mine, theirs := v.c.last(), other.c.last()
	if v.diff.turn == mine && v.diff.mine == mine.version && v.diff.theirs == theirs.version && v.diff.width == v.w && v.diff.kept != nil {
		v.diff.cells = v.diff.kept
		return
	}
	a, b := wordsOf(v.rows(len(v.c.turns)-1)), wordsOf(other.rows(len(other.c.turns)-1))
	cells := map[int][][2]int{}
	for i, same := range common(a, b) {
		if !same {
			cells[a[i].row] = append(cells[a[i].row], [2]int{a[i].from, a[i].to})
		}
	}
	v.diff = differing{turn: mine, mine: mine.version, theirs: theirs.version, width: v.w, cells: cells, kept: cells}
}

// common tells which words of a stand in a longest common sequence with b.
func common(a, b []word) []bool {
	n, m := len(a), len(b)
	long := make([]uint16, (n+1)*(m+1))
	at := func(i, j int) int { return i*(m+1) + j }
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if a[i].s == b[j].s {
				long[at(i, j)] = long[at(i+1, j+1)] + 1
			} else {
				long[at(i, j)] = max(long[at(i+1, j)], long[at(i, j+1)])
			}
		}
	}
	same := make([]bool, n)
	for i, j := 0, 0; i < n && j < m; {
		switch {
		case a[i].s == b[j].s:
			same[i] = true
			i++
			j++
		case long[at(i+1, j)] >= long[at(i, j+1)]:
			i++
		default:
			j++
		}
	}
	return same
}
