package ui

// rect is a part of the screen, in cells.
type rect struct{ x, y, w, h int }

func (r rect) has(x, y int) bool {
	return x >= r.x && x < r.x+r.w && y >= r.y && y < r.y+r.h
}

// layout says where everything stands. From the top: tabs, a rule, the body with
// its panes and the panel, a rule, the input, a rule, the status.
type layout struct {
	w, h int
	body rect
	// panes are those in sight, with their headers of so many lines; first is the
	// number of the first one.
	panes  []rect
	first  int
	header int
	panel  rect
	input  rect
	status int // the line of the status
}

const (
	// minWidth and minHeight are the smallest screen that is drawn.
	minWidth, minHeight = 56, 16
	// panelWide and panelNarrow are the widths of the knob panel.
	panelWide, panelNarrow = 46, 39
	// inputMost is how tall the input grows.
	inputMost = 8
	// paneLeast is the narrowest pane.
	paneLeast = 24
)

// lay computes the layout for a screen, a number of panes of which one has the
// focus, and an input of some lines. Panes that do not fit are out of sight.
func lay(w, h, panes, focus int, panel bool, inputLines int) layout {
	l := layout{w: w, h: h, status: h - 1}
	inputLines = min(max(inputLines, 1), max(h/3, 1))
	l.input = rect{0, h - 2 - inputLines, w, inputLines}
	l.body = rect{0, 2, w, l.input.y - 1 - 2}
	textWidth := w
	if panel {
		pw := panelWide
		if w < 120 {
			pw = panelNarrow
		}
		l.panel = rect{w - pw, l.body.y, pw, l.body.h}
		textWidth = w - pw - 1
	}
	if panes > 1 {
		l.header = 3
	}
	if most := panesThatFit(textWidth); panes > most {
		panes, l.first = most, max(focus-most+1, 0)
	}
	for i, x := 0, 0; i < panes; i++ {
		right := (textWidth + 1) * (i + 1) / panes
		l.panes = append(l.panes, rect{x, l.body.y, right - x - 1, l.body.h})
		x = right
	}
	return l
}

// least is the width of the narrowest pane.
func (l *layout) least() int {
	w := l.w
	for _, p := range l.panes {
		w = min(w, p.w)
	}
	return w
}

// panesThatFit is how many panes a width holds.
func panesThatFit(w int) int { return min(max((w+1)/(paneLeast+1), 1), maxPanes) }
