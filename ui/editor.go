package ui

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/confab-tui/confab/ui/text"
)

// editor is the input: several lines of text with a cursor between grapheme
// clusters. It measures with the same function as everything else that is
// drawn, steps over whole clusters, and holds a long paste as one chip, which
// moves and goes like one character.
type editor struct {
	s   string
	at  int // the cursor's byte
	col int // the column that moving up and down aims at, -1 for the cursor's
	// selects tells that the text between anchor and the cursor is selected.
	anchor  int
	selects bool
	homed   bool // the last key was that of home
	// chips are the long pastes; chip i stands in s as the character chipRune+i.
	chips []string
	// names are what is shown of chips that are files, by their numbers.
	names map[int]string
	// pasted tells that the text began with a paste, which is never a command.
	pasted bool
	undos  []moment
	typing bool // the last change was typing, which is undone a word at a time
}

type moment struct {
	s  string
	at int
}

// chipRune begins the private characters that stand for chips.
const (
	chipRune  = 0xf0000
	chipLines = 8
	chipBytes = 1000
	undoDepth = 100
)

// value is the text with its chips written out.
func (e *editor) value() string { return e.written(e.s) }

func (e *editor) empty() bool { return e.s == "" }

// set replaces everything; the cursor goes to the end.
func (e *editor) set(s string) {
	e.mark(false)
	e.s, e.chips, e.names, e.pasted = editable(s), nil, nil, false
	e.goTo(len(e.s))
}

func (e *editor) reset() { *e = editor{col: -1} }

// editable makes text fit to be edited: clean, and without the chips' characters.
func editable(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= chipRune && r < chipRune+0x10000 {
			return utf8.RuneError
		}
		return r
	}, text.Clean(s))
}

// insert puts typed text at the cursor.
func (e *editor) insert(s string) {
	e.mark(len(s) > 0 && s != "\n" && s != " ")
	e.drop()
	e.put(editable(s))
}

// paste puts pasted text at the cursor, a long one as a chip.
func (e *editor) paste(s string) {
	s = editable(s)
	if s == "" {
		return
	}
	e.mark(false)
	e.drop()
	e.pasted = e.pasted || e.at == 0
	if len(s) >= chipBytes || strings.Count(s, "\n") >= chipLines {
		e.chips = append(e.chips, s)
		s = string(rune(chipRune + len(e.chips) - 1))
	}
	e.put(s)
}

// attach puts a file's text at the cursor, as a chip with a name.
func (e *editor) attach(name, content string) {
	e.mark(false)
	e.drop()
	e.pasted = e.pasted || e.at == 0
	if e.names == nil {
		e.names = map[int]string{}
	}
	e.names[len(e.chips)] = name
	e.chips = append(e.chips, editable(content))
	e.put(string(rune(chipRune+len(e.chips)-1)) + " ")
}

func (e *editor) put(s string) {
	e.s = e.s[:e.at] + s + e.s[e.at:]
	e.at += len(s)
	e.col = -1
}

// mark notes a moment to come back to.
func (e *editor) mark(typing bool) {
	e.homed = false
	if typing && e.typing {
		return
	}
	e.typing = typing
	e.undos = append(e.undos, moment{e.s, e.at})
	if len(e.undos) > undoDepth {
		e.undos = e.undos[1:]
	}
}

func (e *editor) undo() {
	if n := len(e.undos); n > 0 {
		m := e.undos[n-1]
		e.undos = e.undos[:n-1]
		e.s = m.s
		e.goTo(m.at)
	}
}

// remove takes out the bytes from..to, or what is selected in their place.
func (e *editor) remove(from, to int) {
	if e.selects {
		from, to = e.selection()
	}
	if from < to {
		e.mark(false)
		e.take(from, to)
	}
}

// take takes the bytes from..to out.
func (e *editor) take(from, to int) {
	e.s = e.s[:from] + e.s[to:]
	e.at, e.col, e.selects = from, -1, false
	if e.s == "" {
		e.chips, e.names, e.pasted = nil, nil, false
	}
}

func (e *editor) backspace()   { e.remove(e.left(), e.at) }
func (e *editor) delete()      { e.remove(e.at, e.right()) }
func (e *editor) wordBack()    { e.remove(e.wordLeft(), e.at) }
func (e *editor) wordAhead()   { e.remove(e.at, e.wordRight()) }
func (e *editor) killToStart() { e.remove(e.lineStart(), e.at) }

// goTo takes the cursor to a byte; what was selected is so no more.
func (e *editor) goTo(byte int) {
	e.at, e.col, e.selects, e.homed, e.typing = byte, -1, false, false, false
}

// left is the byte before the cluster that ends at the cursor.
func (e *editor) left() int {
	if e.at == 0 {
		return 0
	}
	start := e.lineStart()
	if start == e.at {
		return e.at - 1
	}
	at := start
	for at < e.at {
		n := clusterLen(e.s[at:])
		if at+n >= e.at {
			return at
		}
		at += n
	}
	return start
}

func (e *editor) right() int {
	if e.at >= len(e.s) {
		return len(e.s)
	}
	return e.at + clusterLen(e.s[e.at:])
}

func clusterLen(s string) int {
	if s[0] < 0x80 && (len(s) == 1 || s[1] < 0x80) {
		return 1
	}
	cluster, _ := text.Cluster(s)
	return max(len(cluster), 1)
}

func (e *editor) wordLeft() int {
	before := []rune(e.s[:e.at])
	i := len(before)
	for i > 0 && !isWord(before[i-1]) {
		i--
	}
	for i > 0 && isWord(before[i-1]) {
		i--
	}
	return len(string(before[:i]))
}

func (e *editor) wordRight() int {
	seen := false
	for i, r := range e.s[e.at:] {
		if isWord(r) {
			seen = true
		} else if seen {
			return e.at + i
		}
	}
	return len(e.s)
}

func isWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r >= chipRune
}

func (e *editor) lineStart() int { return strings.LastIndexByte(e.s[:e.at], '\n') + 1 }

func (e *editor) lineEnd() int {
	if i := strings.IndexByte(e.s[e.at:], '\n'); i >= 0 {
		return e.at + i
	}
	return len(e.s)
}
