package ui

import (
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/charmbracelet/x/ansi"

	"github.com/confab-tui/confab/ui/text"
)

// beginSelect starts a selection at the reader's cursor.
func (r *root) beginSelect(by selectedBy) {
	v := &r.pane().view
	if len(v.c.turns) == 0 {
		return
	}
	r.focus = focusText
	if !v.reading {
		v.read()
	}
	row := v.rowAt(v.cursor)
	v.sel.begin(spot{v.cursor, min(row.lead, max(rowWidth(row)-1, 0))})
	v.sel.by = by
}

// selectKey is a key while a selection grows.
func (r *root) selectKey(key string) tea.Cmd {
	v := &r.pane().view
	s := &v.sel
	do, ok := r.keys.selecting.byKey[key]
	if !ok {
		if r.keys.writing.byKey[key] == doInterrupt {
			*s = selection{}
			return nil
		}
		r.noUse(key, r.keys.key(doWrite, r.keys.selecting)+" leaves the selection")
		return nil // other keys would change what is selected from
	}
	switch do {
	case doSelect, doSelectRows:
		by := map[action]selectedBy{doSelect: byLetter, doSelectRows: byRow}[do]
		if s.by == by {
			*s = selection{}
			return nil
		}
		s.by = by
	case doSelectSwap:
		s.from, s.to = s.to, s.from
	case doSelectMessage:
		t := s.to.turn
		first := place{t, min(2, v.rows(t).Len()-1)} // behind a blank row and the label
		last := place{t, v.rows(t).Len() - 1}
		s.from, s.to = spot{first, 0}, spot{last, max(rowWidth(v.rowAt(last))-1, 0)}
	case doCopy:
		what := s.text(v)
		*s = selection{}
		return r.copy(what, "the selection")
	case doWrite:
		*s = selection{}
		return nil
	default:
		v.moveSelection(do)
		if do == doHitNext || do == doHitPrev {
			r.nextHit(map[action]int{doHitNext: 1, doHitPrev: -1}[do])
			s.to = spot{v.cursor, v.rowAt(v.cursor).lead}
		}
	}
	v.cursor = s.to.place
	v.show(v.cursor)
	return nil
}

// moveSelection takes the end that moves somewhere else.
func (v *transcript) moveSelection(do action) {
	to := &v.sel.to
	switch do {
	case doSelectLeft:
		*to, _ = v.step(*to, -1)
	case doSelectRight:
		*to, _ = v.step(*to, 1)
	case doWordNext:
		*to = v.wordNext(*to)
	case doWordEnd:
		*to = v.wordEnd(*to)
	case doWordPrev:
		*to = v.wordPrev(*to)
	case doRowStart:
		to.col = v.rowAt(to.place).lead
	case doRowEnd:
		to.col = max(rowWidth(v.rowAt(to.place))-1, 0)
	case doTop:
		*to = spot{place{0, min(1, v.rows(0).Len()-1)}, 0}
	case doEnd:
		p := v.up(v.end(), 1)
		*to = spot{p, max(rowWidth(v.rowAt(p))-1, 0)}
	case doRowDown, doRowUp, doHalfDown, doHalfUp, doTurnDown, doTurnUp:
		v.cursor = to.place
		switch do {
		case doRowDown, doRowUp:
			v.move(map[action]int{doRowDown: 1, doRowUp: -1}[do])
		case doHalfDown, doHalfUp:
			v.move(map[action]int{doHalfDown: 1, doHalfUp: -1}[do] * max(v.h/2, 1))
		default:
			v.moveTurn(map[action]int{doTurnDown: 1, doTurnUp: -1}[do])
		}
		to.place = v.cursor
		to.col = min(to.col, max(rowWidth(v.rowAt(to.place))-1, 0))
	}
}

func rowWidth(r *row) int { return text.Width(r.s) }

// step goes one character on or back, over the ends of rows; it reports false
// at the ends of the chat.
func (v *transcript) step(s spot, way int) (spot, bool) {
	_, from, to := letterAt(v.rowAt(s.place), s.col)
	if way > 0 && to < rowWidth(v.rowAt(s.place)) {
		return spot{s.place, to}, true
	}
	if way < 0 && from > 0 {
		_, from, _ = letterAt(v.rowAt(s.place), from-1)
		return spot{s.place, from}, true
	}
	for p := s.place; ; {
		q := v.stepFrom(p, way)
		if q == p {
			return s, false
		}
		if r := v.rowAt(q); rowWidth(r) > 0 {
			if way > 0 {
				return spot{q, 0}, true
			}
			_, from, _ = letterAt(r, rowWidth(r)-1)
			return spot{q, from}, true
		}
		p = q
	}
}

// letterAt is the character that stands over a cell of a row, and its cells.
func letterAt(r *row, cell int) (letter string, from, to int) {
	plain := ansi.Strip(r.s)
	col := 0
	for plain != "" {
		n := clusterLen(plain)
		w := text.Width(plain[:n])
		if cell < col+w {
			return plain[:n], col, col + w
		}
		col += w
		plain = plain[n:]
	}
	return "", cell, cell
}

func (v *transcript) kindAt(s spot) int {
	letter, _, _ := letterAt(v.rowAt(s.place), s.col)
	return kindOf(letter)
}

// selectAround selects the word at a place, or the whole line, also where it was
// broken for the screen.
func (v *transcript) selectAround(at spot, line bool) {
	from, to := at, at
	if line {
		for p := v.up(from.place, 1); v.goesOn(p, from.place); p = v.up(p, 1) {
			from.place = p
		}
		for p := v.down(to.place, 1); v.goesOn(to.place, p); p = v.down(p, 1) {
			to.place = p
		}
		from.col, to.col = v.rowAt(from.place).lead, max(rowWidth(v.rowAt(to.place))-1, 0)
	} else {
		for s, ok := v.step(from, -1); ok && s.place == at.place && v.kindAt(s) == v.kindAt(at); s, ok = v.step(s, -1) {
			from = s
		}
		for s, ok := v.step(to, 1); ok && s.place == at.place && v.kindAt(s) == v.kindAt(at); s, ok = v.step(s, 1) {
			to = s
		}
	}
	v.sel = selection{on: true, by: byClicks, from: from, to: to}
}

// goesOn tells whether a row is the rest of the one before it.
func (v *transcript) goesOn(before, p place) bool {
	if before == p || before.turn != p.turn {
		return false
	}
	_, ok := v.rowAt(p).joins(v.rowAt(before), v.c.turns[p.turn])
	return ok
}

// kindOf a character: a space, a letter of a word, anything else.
func kindOf(letter string) int {
	c, _ := utf8.DecodeRuneInString(letter)
	switch {
	case letter == "" || unicode.IsSpace(c):
		return 0
	case isWord(c):
		return 1
	}
	return 2
}

// wordNext is the begin of the next word; a row's end ends a word.
func (v *transcript) wordNext(s spot) spot {
	kind := v.kindAt(s)
	for {
		next, ok := v.step(s, 1)
		if !ok {
			return s
		}
		if next.place != s.place {
			kind = 0
		}
		s = next
		if k := v.kindAt(s); k != kind {
			kind = k
			if k != 0 {
				return s
			}
		} else if next.place != s.place && k != 0 {
			return s
		}
	}
}

// wordEnd is the last letter of this word, or of the next one.
func (v *transcript) wordEnd(s spot) spot {
	s, ok := v.step(s, 1)
	for ok && v.kindAt(s) == 0 {
		s, ok = v.step(s, 1)
	}
	for ok {
		next, more := v.step(s, 1)
		if !more || next.place != s.place || v.kindAt(next) != v.kindAt(s) {
			break
		}
		s = next
	}
	return s
}

// wordPrev is the begin of this word, or of the one before.
func (v *transcript) wordPrev(s spot) spot {
	s, ok := v.step(s, -1)
	for ok && v.kindAt(s) == 0 {
		s, ok = v.step(s, -1)
	}
	for ok {
		back, more := v.step(s, -1)
		if !more || back.place != s.place || v.kindAt(back) != v.kindAt(s) {
			break
		}
		s = back
	}
	return s
}
