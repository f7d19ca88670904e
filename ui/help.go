package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/ui/text"
)

// helpSheet lists every key by area, and the commands.
type helpSheet struct {
	top, lines, shown int
}

const (
	helpKey    = 14 // cells for the key
	helpColumn = 46 // cells for a column of the help
)

func (s *helpSheet) draw(r *root, w, h int) ([]string, *tea.Cursor) {
	all := s.page(r, w)
	s.lines, s.shown = len(all), h
	s.top = max(min(s.top, len(all)-h), 0)
	return all[s.top:min(s.top+h, len(all))], nil
}

// page sets the areas into as many columns as fit, each area whole, in the column that
// is the shortest so far; below them stand the commands, in all columns.
func (s *helpSheet) page(r *root, w int) []string {
	columns := make([][]string, max((w-2)/helpColumn, 1))
	width := (w - 2) / len(columns)
	for _, a := range r.keys.all {
		least := 0
		for i := range columns {
			if len(columns[i]) < len(columns[least]) {
				least = i
			}
		}
		columns[least] = append(columns[least], helpBlock(r.th, a, width)...)
	}
	out := append(sideBySide(columns, width, w), spaces(w), fit("  "+r.th.strong.draw("Commands"), w))
	lines := commandLines(r.th, width)
	high := (len(lines) + len(columns) - 1) / len(columns)
	for i := range columns {
		columns[i] = lines[min(i*high, len(lines)):min((i+1)*high, len(lines))]
	}
	return append(out, sideBySide(columns, width, w)...)
}

// sideBySide sets columns of lines of so many cells beside each other, in lines of w.
func sideBySide(columns [][]string, width, w int) []string {
	high := 0
	for _, c := range columns {
		high = max(high, len(c))
	}
	out := make([]string, high)
	for i := range out {
		var b strings.Builder
		b.WriteString("  ")
		for _, c := range columns {
			if i < len(c) {
				b.WriteString(c[i])
			} else {
				b.WriteString(spaces(width))
			}
		}
		out[i] = fit(b.String(), w)
	}
	return out
}

func helpBlock(th *theme, a *area, w int) []string {
	out := []string{spaces(w), fit(th.strong.draw(a.title), w)}
	for _, b := range a.bindings {
		if b.help == "" {
			continue
		}
		out = append(out, fit(th.accent.draw(fit(a.shown(&b), helpKey-2)+"  ")+th.dim.draw(text.Truncate(b.help, w-helpKey-2, th.mark.ellipsis)), w))
	}
	return out
}

func commandLines(th *theme, w int) []string {
	out := make([]string, 0, len(commands))
	for _, c := range commands {
		out = append(out, fit(th.accent.draw(fit("/"+c.name, helpKey))+th.dim.draw(text.Truncate(c.help, w-helpKey-2, th.mark.ellipsis)), w))
	}
	return out
}

func (s *helpSheet) key(r *root, key string, _ tea.KeyPressMsg) (bool, tea.Cmd) {
	switch key {
	case "j", "down":
		s.top++
	case "k", "up":
		s.top--
	case "space", "pgdown", "d":
		s.top += s.shown - 2
	case "pgup", "u", "b":
		s.top -= s.shown - 2
	case "g", "home":
		s.top = 0
	case "G", "end":
		s.top = s.lines
	case "?", "q", "enter":
		r.sheet = nil
	case "e":
		r.openKeys("")
		return true, nil
	default:
		return false, nil
	}
	s.top = max(min(s.top, s.lines-s.shown), 0)
	return true, nil
}

func (s *helpSheet) hints() []string {
	if below := s.lines - s.top - s.shown; below > 0 {
		return []string{"j k scroll, " + plural(below, "line", "lines") + " below", "e change keys", "esc back"}
	}
	if s.lines > s.shown {
		return []string{"j k scroll", "e change keys", "esc back"}
	}
	return []string{"e change keys", "esc back"}
}

func (s *helpSheet) click(*root, int, int) tea.Cmd { return nil }
func (s *helpSheet) wheel(_ *root, n int)          { s.top = max(min(s.top+n, s.lines-s.shown), 0) }
