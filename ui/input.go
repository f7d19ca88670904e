package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

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

// drawInput gives the input area and where the cursor stands in it.
func (r *root) drawInput(l layout) (lines []string, cursor *tea.Cursor) {
	p, th := r.pane(), r.th
	if _, ok := r.sheet.(*findSheet); ok {
		return r.findLine(l)
	}
	for i, q := range p.conv.waiting {
		if i == 2 {
			break
		}
		s := "queued " + th.mark.dot + " " + text.CleanLine(q)
		if i == 1 && len(p.conv.waiting) > 2 {
			s = plural(len(p.conv.waiting)-1, "more message queued", "more messages queued")
		}
		lines = append(lines, fit("  "+th.dim.draw(text.Truncate(s, l.w-4, th.mark.ellipsis)), l.w))
	}
	rows := p.input.rows(r.inputWidth())
	y, x := p.input.locate(rows)
	show := min(len(rows), inputMost)
	top := min(max(y-show+1, 0), len(rows)-show)
	first := len(lines)
	for i := top; i < top+show; i++ {
		lines = append(lines, fit("  "+p.input.draw(rows[i], th.accent), l.w))
	}
	if len(rows) == 1 {
		lines[first] = r.withHint(p, l.w)
	} else if hint := r.hint(p); hint != "" {
		end := "  " + p.input.draw(rows[top+show-1], th.accent)
		lines[len(lines)-1] = beside(end, hint+"  ", l.w)
	}
	for _, m := range r.messageLines() {
		lines = append(lines, m)
	}
	if len(lines) > l.input.h {
		lines = lines[:l.input.h]
	}
	if r.focus == focusInput && r.sheet == nil {
		cursor = tea.NewCursor(min(gutter+x, l.w-1), l.input.y+first+y-top)
		cursor.Shape, cursor.Blink = tea.CursorBar, false
	}
	return lines, cursor
}

// withHint is the only line of a short input with what can be done at its right.
func (r *root) withHint(p *pane, w int) string {
	th := r.th
	left := "  " + p.input.draw(editRow{0, len(p.input.s)}, th.accent)
	switch {
	case r.sheet != nil:
		left = ""
	case p.input.empty():
		left = "  " + th.dim.draw(r.placeholder(p))
	}
	if hint := r.hint(p); hint != "" {
		return beside(left, hint+"  ", w)
	}
	return fit(left, w)
}

func (r *root) placeholder(p *pane) string {
	switch {
	case p.editing != nil:
		return "an empty message changes nothing"
	case r.back.engine == nil && r.back.loading != 0:
		return "Ask anything; it is sent when the model is loaded"
	case p.conv.running():
		return "Write on; it is queued"
	}
	if t := p.conv.last(); t != nil && t.cut() {
		return "Ask on, or enter to continue the answer"
	}
	return "Ask anything"
}

// cut tells whether the answer can be continued.
func (t *turn) cut() bool {
	return t.answer != nil && !t.running() && t.m.Unfinished && t.plain() != ""
}

// hint says what the keys do here and now.
func (r *root) hint(p *pane) string {
	th := r.th
	dot := th.dim.draw(" " + th.mark.dot + " ")
	var parts []string
	if n := len(r.targets()); n > 1 {
		parts = append(parts, th.accentStrong.draw("to "+plural(n, "pane", "panes")))
	}
	say := func(s string) { parts = append(parts, th.dim.draw(s)) }
	newline := "ctrl+j new line"
	if r.enhanced {
		newline = "shift+enter new line"
	}
	switch {
	case r.sheet != nil:
		return r.sheet.hint(r)
	case r.focus == focusText:
		return r.textHint(p)
	case r.focus == focusPanel:
		say("j k choose")
		say("h l turn")
		say("digits enter")
		say("tab write")
	case p.editing != nil:
		say("enter answers anew")
		say("esc leaves it")
	case p.conv.running() && p.input.empty():
		say("esc stop")
		say("ctrl+k knobs")
		say("? help")
	case p.input.empty():
		say("enter send")
		say(newline)
		say("? help")
	default:
		say("enter send")
		say(newline)
	}
	return strings.Join(parts, dot)
}

// textHint is for a person who reads: what stands under the cursor, then keys.
func (r *root) textHint(p *pane) string {
	th := r.th
	dot := th.dim.draw(" " + th.mark.dot + " ")
	v := &p.view
	row := v.rowAt(v.cursor)
	t := v.current()
	if t == nil {
		return th.dim.draw("tab write")
	}
	if len(row.changes) > 0 && t.answer != nil {
		return th.accent.draw(t.answer.describe(row.changes))
	}
	var parts []string
	say := func(s string) { parts = append(parts, th.dim.draw(s)) }
	if t.of > 1 {
		say("left right versions")
	}
	if t.cut() {
		say("enter continues")
	}
	if t.answer != nil {
		say("y copy")
		say("r again")
		say("t tokens")
	} else {
		say("y copy")
		say("e edit")
	}
	say("f fork")
	say("tab write")
	return strings.Join(parts, dot)
}
