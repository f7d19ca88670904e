package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/ui/text"
)

// sheet is a view that covers the body and takes the keys until it is left.
type sheet interface {
	// draw gives at most h lines of w cells, and where a cursor stands in them.
	draw(r *root, w, h int) (lines []string, cursor *tea.Cursor)
	// key reports false for keys that it has no use for.
	key(r *root, key string, k tea.KeyPressMsg) (bool, tea.Cmd)
	// hints say what its keys do.
	hints() []string
}

// column is how many of w cells a view sets text in: a terminal without a screen breaks
// the lines itself.
func (r *root) column(w int) int {
	if r.noScreen {
		return w
	}
	return min(w, measure)
}

// lineSheet is a sheet that takes only the line of the input and leaves the
// chats in sight.
type lineSheet interface {
	sheet
	line() (label string, e *editor)
}

// drawLineSheet is the input area while a line is asked for.
func (r *root) drawLineSheet(s lineSheet, l layout) ([]string, *tea.Cursor) {
	label, e := s.line()
	left := "  " + r.th.accentStrong.draw(label) + "  "
	rows := e.rows(1 << 20)
	_, x := e.locate(rows)
	cursor := tea.NewCursor(min(text.Width(left)+x, l.w-1), l.input.y)
	cursor.Shape, cursor.Blink = tea.CursorBar, false
	left += e.draw(rows[0], "", r.th.selected)
	lines := []string{beside(left, r.joinHints(r.th.hints(s.hints()...), l.w-text.Width(left)-4)+"  ", l.w)}
	lines = append(lines, r.messageLines()...)
	for len(lines) < l.input.h {
		lines = append(lines, spaces(l.w))
	}
	return lines[:l.input.h], cursor
}

// writable is a sheet in which text is written.
type writable interface{ paste(string) }

// clickable is a sheet that takes the mouse, in its own coordinates.
type clickable interface {
	click(r *root, x, y int) tea.Cmd
	wheel(r *root, n int)
}

// sheetKey gives a key to the sheet; those that open another view, or leave the
// program, still hold.
func (r *root) sheetKey(key string, k tea.KeyPressMsg) (bool, tea.Cmd) {
	if done, cmd := r.sheet.key(r, key, k); done {
		return true, cmd
	}
	switch key {
	case "esc", "ctrl+c":
		r.sheet = nil
		return true, nil
	}
	if do := r.keys.anywhere(key); do != doNothing {
		if r.sheetOf(do) {
			r.sheet = nil
			return true, nil
		}
		r.sheet = nil
		return true, r.do(do)
	}
	if _, written := r.sheet.(writable); !written {
		r.noUse(key, "esc leaves")
	}
	return true, nil
}

// sheetOf tells whether the sheet is what an action opens, so that its key
// closes it too.
func (r *root) sheetOf(do action) bool {
	switch r.sheet.(type) {
	case *helpSheet:
		return do == doHelp
	case *poolSheet:
		return do == doPool
	case *tokenSheet:
		return do == doTokens
	case *systemSheet:
		return do == doSystem
	case *modelSheet:
		return do == doModels
	case *historySheet:
		return do == doHistory
	}
	return false
}

// listMost is the widest that a list is set, so that its columns stay together.
const listMost = 120

// picker is a list with a filter: what model and chat lists have in common.
type picker struct {
	filter editor
	at     int // the chosen line
	top    int
	n      int // how many lines there are
	shown  int // how many are on the screen
}

// move goes n lines, and stays within the list.
func (p *picker) move(n int) {
	p.at = min(max(p.at+n, 0), max(p.n-1, 0))
}

// scroll keeps the chosen line in sight of h lines.
func (p *picker) scroll(h int) {
	p.shown = max(h, 1)
	p.top = min(p.top, p.at)
	if p.at >= p.top+p.shown {
		p.top = p.at - p.shown + 1
	}
	p.top = max(min(p.top, p.n-p.shown), 0)
}

// key moves, or changes the filter; it reports whether the filter changed.
func (p *picker) key(r *root, key string, k tea.KeyPressMsg) (done, filtered bool, cmd tea.Cmd) {
	switch key {
	case "up", "ctrl+p":
		p.move(-1)
	case "down", "ctrl+n":
		p.move(1)
	case "pgup":
		p.move(-p.shown)
	case "pgdown":
		p.move(p.shown)
	case "home":
		p.move(-p.n)
	case "end":
		p.move(p.n)
	default:
		before := p.filter.s
		done, cmd = r.editKey(&p.filter, key, k)
		return done, p.filter.s != before, cmd
	}
	return true, false, nil
}

func (p *picker) paste(s string) { p.filter.insert(strings.ReplaceAll(s, "\n", " ")) }

// headLine is a sheet's title with the filter, and the cursor in it.
func (p *picker) headLine(r *root, title, empty string, w int) (string, *tea.Cursor) {
	th := r.th
	left := "  " + th.strong.draw(title) + "  "
	x := text.Width(left)
	s := p.filter.s
	if s == "" {
		s = th.dim.draw(empty)
	}
	rows := p.filter.rows(1 << 20)
	_, cx := p.filter.locate(rows)
	c := tea.NewCursor(min(x+cx, w-1), 1)
	c.Shape, c.Blink = tea.CursorBar, false
	return fit(left+s, w), c
}

// matches tells whether all words of the filter stand in s, in any order.
func (p *picker) matches(s string) bool {
	s = strings.ToLower(s)
	for _, word := range strings.Fields(strings.ToLower(p.filter.s)) {
		if !strings.Contains(s, word) {
			return false
		}
	}
	return true
}

// choiceMark begins a line of a list.
func (t *theme) choiceMark(chosen bool) string {
	if chosen {
		return t.accentStrong.draw(t.mark.edge) + " "
	}
	return "  "
}
