package ui

import (
	"io"
	"strings"
	"unicode/utf8"

	"github.com/confab-tui/confab/ui/text"
)

// rows writes text that comes in pieces, and begins a new row of the terminal between
// words. A word is written when it is complete.
type rows struct {
	out io.Writer
	// width is how many cells a row of the terminal has now, 0 where that is not
	// known or there is none.
	width func() int
	row   string // what stands on the last row
	said  int    // bytes of it that were written
}

// put adds clean text.
func (w *rows) put(s string) {
	for i, part := range strings.Split(s, "\n") {
		if i > 0 {
			w.write(len(w.row))
			io.WriteString(w.out, "\n")
			w.begin()
		}
		w.add(part)
	}
}

func (w *rows) begin() { w.row, w.said = "", 0 }

// prompt writes what a person answers to on the same row, ending it.
func (w *rows) prompt(s string) {
	io.WriteString(w.out, s)
	w.begin()
}

func (w *rows) add(s string) {
	w.row += s
	width := w.width()
	if width < 2 {
		w.write(len(w.row))
		w.begin()
		return
	}
	lines := text.WrapLines(w.row, width-1) // some terminals begin a row once the last cell is full
	for i := range lines[:len(lines)-1] {
		end, next := lines[i].End, lines[i+1].Start
		w.write(end)
		if !withinWord(w.row, end, next) { // which the terminal breaks, and copies whole
			io.WriteString(w.out, "\n")
		}
		w.said = max(w.said, next)
	}
	from := lines[len(lines)-1].Start
	w.row, w.said = w.row[from:], max(w.said-from, 0)
	w.write(len(strings.TrimRight(w.row[:strings.LastIndexByte(w.row, ' ')+1], " ")))
}

// write writes the row up to a byte.
func (w *rows) write(end int) {
	if end > w.said {
		io.WriteString(w.out, w.row[w.said:end])
		w.said = end
	}
}

// withinWord tells whether a row that ends before one byte and goes on at another was
// broken where there is neither a space nor a wide character.
func withinWord(s string, end, next int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:end])
	_, after := text.Cluster(s[next:])
	return end == next && text.Width(string(before)) < 2 && after < 2
}
