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
		if len(out) == diffWords {
			break
		}
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

// compareWith finds the words of v's last answer that differ from another's. While they
// grow it is done in the pane's turn, and what was found last stands until then.
func (v *transcript) compareWith(other *transcript, turn bool) {
	v.diff.cells = nil
	if len(v.c.turns) == 0 || len(other.c.turns) == 0 {
		v.diff.turn = nil
		return
	}
	mine, theirs := v.c.last(), other.c.last()
	holds := v.diff.mine == mine.version && v.diff.theirs == theirs.version || !turn && (mine.running() || theirs.running())
	if holds && v.diff.turn == mine && v.diff.width == v.w && v.diff.kept != nil {
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
	number := map[string]int32{} // numbers are compared sooner than words
	x, y := numbersOf(a, number), numbersOf(b, number)
	n, m := len(x), len(y)
	long := make([][]uint16, n+1) // of the words from i of a and from j of b on
	for i := range long {
		long[i] = make([]uint16, m+1)
	}
	for i := n - 1; i >= 0; i-- {
		row, below := long[i], long[i+1]
		for j := m - 1; j >= 0; j-- {
			if x[i] == y[j] {
				row[j] = below[j+1] + 1
			} else {
				row[j] = max(below[j], row[j+1])
			}
		}
	}
	same := make([]bool, n)
	for i, j := 0, 0; i < n && j < m; {
		switch {
		case x[i] == y[j]:
			same[i] = true
			i++
			j++
		case long[i+1][j] >= long[i][j+1]:
			i++
		default:
			j++
		}
	}
	return same
}

// numbersOf gives equal words the same number.
func numbersOf(words []word, number map[string]int32) []int32 {
	all := make([]int32, len(words))
	for i := range words {
		n, known := number[words[i].s]
		if !known {
			n = int32(len(number))
			number[words[i].s] = n
		}
		all[i] = n
	}
	return all
}
