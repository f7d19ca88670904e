package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// dragging is what the pressed button holds.
type dragging int

const (
	dragNothing dragging = iota
	dragText             // selecting in the transcript of pane dragPane
	dragKnob             // a slider
	dragInput            // selecting in the input
)

// clicks counts clicks that follow each other at one place: the second takes the
// word, the third the line.
type clicks struct {
	x, y, n int
	at      time.Time
}

// clickGap is how soon a click belongs to the one before.
const clickGap = 400 * time.Millisecond

func (c *clicks) add(x, y int, now time.Time) {
	if c.x != x || c.y != y || now.Sub(c.at) > clickGap || c.n == 3 {
		c.n = 0
	}
	*c = clicks{x, y, c.n + 1, now}
}

// wheelLines is how far one notch of the wheel scrolls.
const wheelLines = 3

// onMouse routes the mouse by where it is.
func (r *root) onMouse(msg tea.MouseMsg) tea.Cmd {
	if r.w < minWidth || r.h < minHeight {
		return nil
	}
	m := msg.Mouse()
	l := r.layout()
	switch msg.(type) {
	case tea.MouseWheelMsg:
		r.onWheel(m, l)
	case tea.MouseClickMsg:
		if m.Button == tea.MouseLeft {
			defer r.remember()
			return r.onClick(m, l)
		}
	case tea.MouseMotionMsg:
		r.onDrag(m, l)
	case tea.MouseReleaseMsg:
		return r.onRelease()
	}
	return nil
}

func (r *root) onWheel(m tea.Mouse, l layout) {
	n := wheelLines
	if m.Button == tea.MouseWheelUp {
		n = -n
	} else if m.Button != tea.MouseWheelDown {
		return
	}
	if !r.sheetless() {
		if s, ok := r.sheet.(clickable); ok {
			s.wheel(r, n/wheelLines)
		}
		return
	}
	if l.panel.has(m.X, m.Y) {
		if k, ok := panelRow(m.Y - l.panel.y + r.panel.top); ok {
			r.panel.knob = k
			r.turn(k, -float64(n/wheelLines)*knobs[k].step)
			r.remember()
		}
		return
	}
	over := r.tab().focus
	for i, area := range l.panes {
		if area.has(m.X, m.Y) {
			over = l.first + i
		}
	}
	v := &r.tab().panes[over].view
	v.scroll(n)
	r.keepCursor(v)
}

// panelRow tells which knob stands on a line of the panel.
func panelRow(y int) (knobIndex, bool) {
	k := knobIndex(y - panelLine(0))
	return k, k >= 0 && k < knobCount
}

func (r *root) onClick(m tea.Mouse, l layout) tea.Cmd {
	r.toast = toast{}
	r.clicks.add(m.X, m.Y, r.now())
	switch {
	case m.Y == 0:
		return r.clickTitle(m.X)
	case l.panel.has(m.X, m.Y):
		r.clickPanel(m, l)
	case l.body.has(m.X, m.Y) && !r.sheetless():
		if s, ok := r.sheet.(clickable); ok {
			return s.click(r, m.X, m.Y-l.body.y)
		}
	case l.body.has(m.X, m.Y):
		return r.clickPane(m, l)
	case l.input.has(m.X, m.Y):
		r.clickInput(m, l)
	case m.Y == l.status && m.X > l.w/2:
		return r.do(doPool)
	}
	return nil
}

func (r *root) clickTitle(x int) tea.Cmd {
	for _, s := range r.spans {
		if x >= s.from && x < s.to {
			if s.tab == newTab {
				return r.do(doNewChat)
			}
			r.goTab(s.tab)
			return nil
		}
	}
	if len(r.spans) > 0 && x > r.spans[len(r.spans)-1].to+2 {
		return r.do(doModels)
	}
	return nil
}

// clickPanel chooses a knob, and on its slider turns it there.
func (r *root) clickPanel(m tea.Mouse, l layout) {
	r.sheet = nil
	r.focus = focusPanel
	r.pane().view.reading = false
	y := m.Y - l.panel.y + r.panel.top
	if k, ok := panelRow(y); ok {
		r.panel.knob, r.panel.typing = k, false
		if knobs[k].toggle {
			r.toggleKnob(k)
			return
		}
		if !knobs[k].entry && r.slide(m.X-l.panel.x, l.panel.w) {
			r.drag = dragKnob
		}
		return
	}
	r.clickPreset(m.X-l.panel.x, y-presetTop(l.panel.h), l.panel.w)
}

// slide turns the chosen knob to a column of its slider.
func (r *root) slide(x, w int) bool {
	x -= 2 + panelLabel
	track := panelTrack(w)
	if x < -1 || x > track {
		return false
	}
	r.setKnob(r.panel.knob, knobs[r.panel.knob].at(min(max(float64(x)/float64(track-1), 0), 1)))
	return true
}

// clickPane focuses a pane, opens and closes what is folded under the pointer,
// and begins a selection. A second click selects the word, a third the line.
func (r *root) clickPane(m tea.Mouse, l layout) tea.Cmd {
	for i, area := range l.panes {
		if !area.has(m.X, m.Y) {
			continue
		}
		i += l.first
		if i != r.tab().focus {
			r.focusPane(i)
		}
		if r.focus == focusPanel {
			r.focus = focusInput
		}
		p := r.tab().panes[i]
		at, ok := p.view.spotAt(m.X-area.x, m.Y-area.y-l.header)
		if !ok {
			return nil
		}
		row := p.view.rowAt(at.place)
		if foldable(row, &p.conv.turns[at.turn].cache) {
			p.conv.turns[at.turn].toggleFold()
			p.view.clamp()
			return nil
		}
		if r.focus == focusText {
			p.view.cursor = at.place
		}
		if r.clicks.n > 1 {
			p.view.selectAround(at, r.clicks.n == 3)
			return r.copySelection(&p.view)
		}
		p.view.sel.begin(at)
		r.drag, r.dragPane = dragText, i
	}
	return nil
}

// copySelection copies what was selected with the mouse.
func (r *root) copySelection(v *transcript) tea.Cmd {
	if v.sel.empty() {
		v.sel = selection{}
		return nil
	}
	return r.copy(v.sel.text(v), "the selection")
}

// foldable tells the rows that open and close what belongs to them.
func foldable(r *row, c *rendered) bool {
	if r.kind == rowThought {
		for _, s := range c.rows.All() {
			if s.kind == rowThought {
				return s == r
			}
		}
	}
	return r.kind == rowNote && r.folds
}

// spotAt is the row and column of the text at a place of the rectangle.
func (v *transcript) spotAt(x, y int) (spot, bool) {
	if y < 0 || y >= v.h || len(v.c.turns) == 0 {
		return spot{}, false
	}
	p := v.first()
	last := v.up(v.end(), 1)
	p = v.down(p, y)
	return spot{p, max(x-gutter, 0)}, !last.before(p)
}

// clickInput places the cursor, and begins a selection. A second click selects
// the word, a third the line.
func (r *root) clickInput(m tea.Mouse, l layout) {
	r.sheet = nil
	r.focus = focusInput
	r.pane().view.reading = false
	e := &r.pane().input
	at, ok := r.inputByte(m, l)
	if !ok {
		return
	}
	e.goTo(at)
	switch r.clicks.n {
	case 2:
		e.selectWord()
	case 3:
		e.selectRange(e.lineStart(), e.lineEnd())
	default:
		r.drag = dragInput
	}
}

// inputByte is the byte of the input under the pointer; it reports false above
// and below its rows.
func (r *root) inputByte(m tea.Mouse, l layout) (int, bool) {
	p := r.pane()
	rows := p.input.rows(r.inputWidth())
	y, _ := p.input.locate(rows)
	top, show := r.rowsShown(p, len(rows), y, l)
	line := m.Y - l.input.y - min(len(p.conv.waiting), 2)
	return p.input.byteAt(rows, top+line, m.X-gutter), line >= 0 && line < show
}

func (r *root) onDrag(m tea.Mouse, l layout) {
	switch r.drag {
	case dragKnob:
		x := min(max(m.X-l.panel.x, 2+panelLabel), 2+panelLabel+panelTrack(l.panel.w)-1)
		r.slide(x, l.panel.w)
	case dragInput:
		if at, ok := r.inputByte(m, l); ok {
			e := &r.pane().input
			e.selecting(func() { e.goTo(at) })
		}
	case dragText:
		if r.dragPane < l.first || r.dragPane >= l.first+len(l.panes) {
			return
		}
		area := l.panes[r.dragPane-l.first]
		v := &r.tab().panes[r.dragPane].view
		y := m.Y - area.y - l.header
		if y < 0 {
			v.scroll(-1)
			y = 0
		} else if y >= v.h {
			v.scroll(1)
			y = v.h - 1
		}
		if at, ok := v.spotAt(min(max(m.X-area.x, 0), area.w-1), y); ok {
			v.sel.to = at
		}
	}
}

// onRelease ends a drag; selected text is copied.
func (r *root) onRelease() tea.Cmd {
	was := r.drag
	r.drag = dragNothing
	if was == dragKnob {
		r.remember()
	}
	if was != dragText || r.dragPane >= len(r.tab().panes) {
		return nil
	}
	return r.copySelection(&r.tab().panes[r.dragPane].view)
}
