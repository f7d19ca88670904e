package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/ui/text"
)

// View puts the screen together from the parts' lines.
func (r *root) View() tea.View {
	v := tea.View{AltScreen: true, ReportFocus: true}
	if r.term.strings {
		v.WindowTitle = r.windowTitle()
	}
	v.BackgroundColor, v.ForegroundColor = r.th.ground()
	if !r.mouseOff {
		v.MouseMode = tea.MouseModeCellMotion
	}
	if r.term.progress {
		v.ProgressBar = r.progressBar()
	}
	if r.w < 1 || r.h < 1 || len(r.tabs) == 0 {
		return v
	}
	if r.w < minWidth || r.h < minHeight {
		v.Content = r.tooSmall()
		return v
	}
	l := r.layout()
	lines := make([]string, 0, r.h)
	title, spans := r.drawTitle(r.w)
	r.spans = spans
	lines = append(lines, title, r.topRule(l))
	body, cursor := r.drawBody(l)
	lines = append(lines, body...)
	lines = append(lines, r.bodyRule(l))
	input, inputCursor := r.drawInput(l)
	if cursor == nil {
		cursor = inputCursor
	}
	lines = append(lines, input...)
	lines = append(lines, r.th.rule(r.w), r.drawStatus(r.w))
	v.Content = strings.Join(lines, "\n")
	if r.th.mark.rule == plainMarks.rule {
		v.Content = asASCII.Replace(v.Content)
	}
	v.Cursor = cursor
	return v
}

// progressBar is what the terminal shows outside of its text: how far a load or
// the reading of a prompt is, and, to who looks elsewhere, that an answer is being
// written.
func (r *root) progressBar() *tea.ProgressBar {
	if r.back().loading != 0 {
		if _, f := r.back().fraction(); f >= 0 {
			return tea.NewProgressBar(tea.ProgressBarDefault, int(f*100))
		}
		return tea.NewProgressBar(tea.ProgressBarIndeterminate, 0)
	}
	for _, p := range r.panes() {
		if !p.conv.running() {
			continue
		}
		c := &p.conv.live.answer.counts
		switch done := c.Cached + c.Evaluated; {
		case c.Prompt > 0 && done < c.Prompt && c.Generated == 0:
			return tea.NewProgressBar(tea.ProgressBarDefault, done*100/c.Prompt)
		case !r.focused:
			return tea.NewProgressBar(tea.ProgressBarIndeterminate, 0)
		}
	}
	return nil
}

func (r *root) layout() layout {
	panel := r.panel.open && r.sheetless()
	return lay(r.w, r.h, len(r.tab().panes), r.tab().focus, panel, r.inputLines())
}

// sheetless tells whether the body shows the chats.
func (r *root) sheetless() bool {
	_, line := r.sheet.(lineSheet)
	return r.sheet == nil || line
}

func (r *root) windowTitle() string {
	return r.tab().mark(true, &plainMarks) + " " + r.tab().title() + " - confab"
}

// tooSmall is what a window shows that has no room for the program.
func (r *root) tooSmall() string {
	out := make([]string, 0, r.h)
	for _, s := range text.Wrap(fmt.Sprintf("confab needs a window of %d x %d; this one has %d x %d.", minWidth, minHeight, r.w, r.h), max(r.w-2, 1)) {
		out = append(out, text.Truncate(" "+s, r.w, ""))
	}
	for _, s := range text.Wrap("Make it larger and everything is there again. ctrl+c quits.", max(r.w-2, 1)) {
		out = append(out, text.Truncate(" "+r.th.dim.draw(s), r.w, ""))
	}
	return strings.Join(out[:min(len(out), r.h)], "\n")
}

// topRule is the line under the tabs, with a joint where a divider begins.
func (r *root) topRule(l layout) string { return r.ruleWith(l, r.th.mark.tee) }

// bodyRule is the line above the input.
func (r *root) bodyRule(l layout) string {
	joint := r.th.mark.joint
	return r.ruleWith(l, joint)
}

func (r *root) ruleWith(l layout, joint string) string {
	if !r.sheetless() {
		return r.th.rule(l.w)
	}
	var b strings.Builder
	x := 0
	for _, d := range l.dividers() {
		b.WriteString(strings.Repeat(r.th.mark.rule, d-x))
		b.WriteString(joint)
		x = d + 1
	}
	b.WriteString(strings.Repeat(r.th.mark.rule, max(l.w-x, 0)))
	return r.th.faint.draw(b.String())
}

// dividers are the columns between panes and before the panel.
func (l *layout) dividers() []int {
	var out []int
	for i := 1; i < len(l.panes); i++ {
		out = append(out, l.panes[i].x-1)
	}
	if l.panel.w > 0 {
		out = append(out, l.panel.x-1)
	}
	return out
}

// drawBody gives the lines between the rules: a sheet, or the chats side by
// side with the panel.
func (r *root) drawBody(l layout) ([]string, *tea.Cursor) {
	h := l.body.h
	var lines []string
	var cursor *tea.Cursor
	if !r.sheetless() {
		lines, cursor = r.sheet.draw(r, l.w, h)
		if cursor != nil {
			cursor.Y += l.body.y
		}
		if len(lines) > h {
			lines = lines[:h]
		}
		for len(lines) < h {
			lines = append(lines, spaces(l.w))
		}
	} else {
		lines = r.drawChats(l)
	}
	if offers := r.drawComplete(l.w); len(offers) > 0 && len(offers) < h {
		copy(lines[h-len(offers):], offers)
	}
	return lines, cursor
}

func (r *root) drawChats(l layout) []string {
	t := r.tab()
	shown := t.panes[l.first : l.first+len(l.panes)]
	columns := make([][]string, 0, len(shown)+1)
	for i, p := range shown {
		p.view.w = l.panes[i].w
		p.view.diff.cells = nil
	}
	for i, p := range shown {
		if t.diff && p != t.pane() {
			p.view.compareWith(&t.pane().view, r.frame%len(shown) == i)
		}
	}
	for i, p := range shown {
		columns = append(columns, r.drawPane(p, l.panes[i], l.header, l.first+i, l.least()))
	}
	if l.panel.w > 0 {
		columns = append(columns, r.drawPanel(l.panel.w, l.panel.h))
	}
	divider := r.th.faint.draw(r.th.mark.divider)
	cross, end := r.th.faint.draw(r.th.mark.cross), r.th.faint.draw(r.th.mark.end)
	lines := make([]string, 0, l.body.h)
	var b strings.Builder
	for y := range l.body.h {
		b.Reset()
		for i, c := range columns {
			switch underHeads := l.header > 0 && y == l.header-1; {
			case i == 0:
			case underHeads && i < len(shown):
				b.WriteString(cross)
			case underHeads:
				b.WriteString(end)
			default:
				b.WriteString(divider)
			}
			b.WriteString(c[y])
		}
		lines = append(lines, b.String())
	}
	return lines
}

// drawPane gives the lines of one chat in its rectangle; least is the width of the
// narrowest pane, so that all headers are of one form.
func (r *root) drawPane(p *pane, area rect, header, number, least int) []string {
	lines := make([]string, 0, area.h)
	if header > 0 {
		a, b := p.header(r, area.w, number, least)
		lines = append(lines, a, b, r.th.rule(area.w))
	}
	v := &p.view
	v.w, v.h, v.frame = area.w, area.h-header-1, r.frame
	if len(p.conv.turns) == 0 {
		return append(lines, r.welcome(p, area.w, area.h-header)...)
	}
	lines = v.draw(lines)
	return append(lines, spaces(area.w))
}

// welcome is what an empty chat says: what this is, that a larger model is one
// key away, and where the keys are.
func (r *root) welcome(p *pane, w, h int) []string {
	th := r.th
	lines := []string{spaces(w)}
	if p.conv.chat.System != "" {
		lines = append(lines, fit("  "+th.dim.draw(text.Truncate("system "+th.mark.dot+" "+text.CleanLine(p.conv.chat.System), w-4, th.mark.ellipsis)), w), spaces(w))
	}
	back, first := r.backOf(p), len(lines)
	name := back.name()
	switch {
	case back.engine != nil:
		lines = append(lines, r.welcomeLines("", name+" answers here, inside this program.", w)...)
		lines[first] = strings.Replace(lines[first], name, th.strong.draw(name), 1)
	case back.loading != 0:
		lines = append(lines, r.welcomeLines("", "The model is being loaded; you can write already.", w)...)
	default:
		lines = append(lines, r.welcomeLines("", "No model is open.", w)...)
	}
	lines = append(lines, r.welcomeLines(r.keys.key(doModels), "opens another model of this machine", w)...)
	lines = append(lines, r.welcomeLines("?", "shows every key", w)...)
	for len(lines) < h {
		lines = append(lines, spaces(w))
	}
	return lines[:h]
}

// welcomeLines are a sentence, or what a key does, in lines of w cells.
func (r *root) welcomeLines(key, s string, w int) []string {
	const column = 6 // cells for a key
	words, hang := pen(""), 0
	if key != "" {
		words, hang = r.th.dim, max(text.Width(key), column)+1
	}
	var out []string
	for _, l := range text.Wrap(s, max(w-2*gutter-hang, 1)) {
		out = append(out, fit(spaces(gutter)+r.th.accent.draw(fit(key, hang))+words.draw(l), w))
		key = ""
	}
	return out
}
