package ui

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/engine"
	"github.com/confab-tui/confab/engine/chat"
	"github.com/confab-tui/confab/ui/text"
)

// inputLines is how many lines the input area takes: what is queued, what is
// being written, and a message to the person.
func (r *root) inputLines() int {
	p := r.pane()
	n := min(len(p.input.rows(r.inputWidth())), inputMost)
	return n + min(len(p.conv.waiting), 2) + len(r.messageLines())
}

// inputWidth leaves the margins, and a column for the cursor at the end.
func (r *root) inputWidth() int { return max(r.w-2*gutter-1, 8) }

// rowsShown are which of the rows that are written stand in the input area, which
// messages to the person share: n from top on, with the cursor's row y.
func (r *root) rowsShown(p *pane, rows, y int, l layout) (top, n int) {
	room := l.input.h - min(len(p.conv.waiting), 2) - len(r.messageLines())
	n = min(rows, inputMost, max(room, 1))
	return min(max(y-n+1, 0), rows-n), n
}

// drawInput gives the input area and where the cursor stands in it.
func (r *root) drawInput(l layout) (lines []string, cursor *tea.Cursor) {
	p, th := r.pane(), r.th
	if s, ok := r.sheet.(lineSheet); ok {
		return r.drawLineSheet(s, l)
	}
	for i, q := range p.conv.waiting {
		if i == 2 {
			break
		}
		s := "queued " + th.mark.dot + " " + text.CleanLine(q.text)
		if i == 1 && len(p.conv.waiting) > 2 {
			s = plural(len(p.conv.waiting)-1, "more message queued", "more messages queued")
		}
		lines = append(lines, fit("  "+th.dim.draw(text.Truncate(s, l.w-4, th.mark.ellipsis)), l.w))
	}
	rows := p.input.rows(r.inputWidth())
	y, x := p.input.locate(rows)
	top, show := r.rowsShown(p, len(rows), y, l)
	first := len(lines)
	for i := top; i < top+show; i++ {
		lines = append(lines, fit("  "+p.input.draw(rows[i], th.accent, th.selected), l.w))
	}
	lines[len(lines)-1] = r.withHint(p, "  "+p.input.draw(rows[top+show-1], th.accent, th.selected), l.w)
	lines = append(lines, r.messageLines()...)
	if len(lines) > l.input.h {
		lines = lines[:l.input.h]
	}
	if r.focus == focusInput && r.sheet == nil {
		cursor = tea.NewCursor(min(gutter+x, l.w-1), l.input.y+first+y-top)
		cursor.Shape, cursor.Blink = tea.CursorBar, false
	}
	return lines, cursor
}

// withHint is a line of the input with what can be done at its right.
func (r *root) withHint(p *pane, left string, w int) string {
	switch {
	case r.sheet != nil && p.input.empty():
		left = ""
	case p.input.empty():
		left = "  " + r.th.dim.draw(r.placeholder(p))
	}
	return beside(left, r.joinHints(r.hints(p), w-text.Width(left)-4)+"  ", w)
}

// joinHints puts as many hints on a line as fit. The last one leads back, and
// stays longest.
func (r *root) joinHints(parts []string, w int) string {
	dot := r.th.dim.draw(" " + r.th.mark.dot + " ")
	for len(parts) > 0 {
		s := strings.Join(parts, dot)
		if text.Width(s) <= w {
			return s
		}
		if len(parts) == 1 {
			break
		}
		parts = slices.Delete(slices.Clone(parts), len(parts)-2, len(parts)-1)
	}
	return ""
}

func (r *root) placeholder(p *pane) string {
	switch {
	case p.editing != nil:
		return "an empty message changes nothing"
	case r.back().engine == nil && r.back().loading != 0:
		return "Ask anything; it is sent when the model is loaded"
	case p.conv.running():
		return "Write on; it is queued"
	}
	if n := len(r.targets()); n > 1 {
		return "Ask all " + plural(n, "pane", "panes")
	}
	if t := p.conv.last(); t != nil && t.answer != nil && t.answer.reason == engine.ReasonContext && !r.dropOldest {
		return "The context is full"
	} else if t != nil && t.cut() {
		return "Ask on, or enter to continue the answer"
	}
	return "Ask anything"
}

// cut tells whether the answer can be continued: it was broken off, or a person
// wrote it anew.
func (t *turn) cut() bool {
	edited := t.answer == nil && t.m.Role == chat.Assistant && t.of > 1
	return !t.running() && (edited || t.answer != nil && t.m.Unfinished) && t.plain() != ""
}

// hints say what the keys do here and now, the most useful first.
func (r *root) hints(p *pane) []string {
	th := r.th
	newline := r.keys.key(doNewLine) + " new line"
	if r.enhanced && strings.Contains(" "+r.keys.allOf(doNewLine)+" ", " shift+enter ") {
		newline = "shift+enter new line"
	}
	var parts []string
	if n := len(r.targets()); n > 1 {
		to := "to " + plural(n, "pane", "panes")
		if l := r.layout(); len(l.panes) < n {
			to += fmt.Sprintf(", %d in sight", len(l.panes))
		}
		parts = append(parts, th.accentStrong.draw(to))
	}
	switch {
	case r.sheet != nil:
		return th.hints(r.sheet.hints()...)
	case r.focus == focusText:
		return r.textHints(p)
	case r.focus == focusPanel:
		in := func(do action) string { return r.keys.key(do, r.keys.knobs) }
		return th.hints(in(doKnobDown)+" "+in(doKnobUp)+" choose", in(doTurnLess)+" "+in(doTurnMore)+" turn", "0..9 number", in(doKnobReset)+" reset", in(doKnobUndo)+" undo", in(doWrite)+" write")
	case p.editing != nil:
		if p.editing.m.Role != chat.User {
			return th.hints("enter keeps it as a version", "esc leaves it")
		}
		return th.hints("enter answers anew", "esc leaves it")
	case p.conv.running() && p.input.empty():
		return append(parts, th.hints(r.keys.key(doStop)+" stop", r.keys.key(doPanel)+" knobs", "? help")...)
	case p.input.empty():
		return append(parts, th.hints(r.keys.key(doSend)+" send", newline, "? help")...)
	}
	return append(parts, th.hints(r.keys.key(doSend)+" send", newline)...)
}

// hints draws each of them in the manner of the input line.
func (t *theme) hints(parts ...string) []string {
	out := make([]string, len(parts))
	for i, p := range parts {
		out[i] = t.dim.draw(p)
	}
	return out
}

// textHints are for a person who reads: what stands under the cursor, or keys.
func (r *root) textHints(p *pane) []string {
	v := &p.view
	if v.sel.keys() {
		in := func(do action) string { return r.keys.key(do, r.keys.selecting) }
		return append([]string{r.th.accent.draw(plural(utf8.RuneCountInString(v.sel.text(v)), "character", "characters"))},
			r.th.hints(in(doCopy)+" copy", in(doSelectMessage)+" all", in(doSelectRows)+" lines", in(doWordNext)+" word", in(doWrite)+" leave")...)
	}
	t := v.current()
	if t == nil {
		return r.th.hints(r.keys.key(doWrite, r.keys.reading) + " write")
	}
	row := v.rowAt(v.cursor)
	if t.answer != nil {
		switch {
		case len(row.changes) > 0:
			return []string{r.th.accent.draw(t.answer.describe(row.changes))}
		case row.kind == rowLabel:
			return r.th.hints(t.answer.stamp()...)
		}
	}
	in := func(do action) string { return r.keys.key(do, r.keys.reading) }
	var parts []string
	if t.cut() {
		parts = append(parts, in(doContinue)+" continues")
	}
	if row.kind == rowThought || row.folds {
		parts = append(parts, in(doFold)+" folds")
	}
	if t.of > 1 {
		parts = append(parts, in(doVersionPrev)+" "+in(doVersionNext)+" versions")
	}
	if len(r.tab().panes) > 1 {
		parts = append(parts, in(doDiff)+" differences", in(doOnly)+" only this")
	}
	parts = append(parts, in(doCopy)+" copy")
	if t.answer != nil {
		parts = append(parts, in(doRegenerate)+" again", in(doTokens)+" tokens")
	}
	return r.th.hints(append(parts, in(doEdit)+" edit", in(doFork)+" fork", in(doSelect)+" select", in(doWrite)+" write")...)
}
