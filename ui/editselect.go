package ui

import "strings"

// A part of the input can be selected: between anchor and the cursor. Whatever
// moves the cursor or changes the text lets it go; what is typed, pasted or
// deleted takes its place.

// selecting makes of a movement of the cursor one that selects: from where the
// selection began, or begins now.
func (e *editor) selecting(move func()) {
	from := e.at
	if e.selects {
		from = e.anchor
	}
	move()
	e.anchor, e.selects = from, e.at != from
}

// selectRows selects by rows, at the first and the last one to the text's end.
func (e *editor) selectRows(step, width int) {
	e.selecting(func() {
		switch {
		case e.vertical(step, width):
		case step < 0:
			e.goTo(0)
		default:
			e.goTo(len(e.s))
		}
	})
}

// home goes to the begin of the line; asked twice in a row it selects everything.
func (e *editor) home() {
	if e.homed {
		e.selectRange(0, len(e.s))
		return
	}
	e.goTo(e.lineStart())
	e.homed = true
}

// selection are the bytes that are selected; from is to where there are none.
func (e *editor) selection() (from, to int) {
	if !e.selects {
		return e.at, e.at
	}
	return min(e.anchor, e.at), max(e.anchor, e.at)
}

func (e *editor) selectRange(from, to int) {
	e.goTo(from)
	e.selecting(func() { e.goTo(to) })
}

// selectWord selects what a double click means: the word, or the run of other
// characters, at the cursor.
func (e *editor) selectWord() {
	if e.right() == e.at || e.s[e.at] == '\n' {
		e.goTo(e.left())
	}
	start, end := e.lineStart(), e.lineEnd()
	from, kind := start, -1
	for at := start; at < end; {
		n := clusterLen(e.s[at:])
		if k := kindOf(e.s[at : at+n]); k != kind {
			if at > e.at {
				end = at
				break
			}
			from, kind = at, k
		}
		at += n
	}
	e.selectRange(from, end)
}

// selected is the selected text, its chips written out.
func (e *editor) selected() string {
	from, to := e.selection()
	return e.written(e.s[from:to])
}

// written is a part of the text with its chips written out, files in paragraphs of their
// own.
func (e *editor) written(s string) string {
	if len(e.chips) == 0 {
		return s
	}
	var b strings.Builder
	file := false // the space that an attached file brings follows
	for _, r := range s {
		i := int(r - chipRune)
		if i < 0 || i >= len(e.chips) {
			if !file || r != ' ' {
				b.WriteRune(r)
			}
			file = false
			continue
		}
		if file = e.names[i] != ""; file && b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(e.chips[i])
	}
	return b.String()
}

// drop takes the selected text out, after its moment was marked; it reports
// whether there was any.
func (e *editor) drop() bool {
	from, to := e.selection()
	e.take(from, to)
	return from < to
}
