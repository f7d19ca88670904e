package ui

import (
	"strings"

	"github.com/confab-tui/confab/ui/text"
)

// tabSpan is where a tab stands in the title line.
type tabSpan struct{ from, to, tab int }

const (
	tabLeast = 6  // the shortest that a title is cut to
	tabShort = 12 // the shortest for which the model's name gives way
	tabMost  = 40 // the longest title
	newTab   = -1 // the tab of a tabSpan that makes a new one
)

// drawTitle is the first line: tabs at the left, the model at the right. spans
// tells where the tabs stand, for the mouse.
func (r *root) drawTitle(w int) (line string, spans []tabSpan) {
	titles, most := make([]string, len(r.tabs)), tabMost
	right := r.modelLine(true)
	rw := text.Width(right)
	for {
		total := 4
		for i, t := range r.tabs {
			titles[i] = text.Truncate(t.title(), most, r.th.mark.ellipsis)
			total += text.Width(titles[i]) + 5
		}
		if total+rw+2 <= w || most <= tabLeast {
			break
		}
		switch brief := r.modelLine(false); {
		case most == 2*tabShort && rw > text.Width(brief):
			right, rw = brief, text.Width(brief)
		case most == tabShort && rw > 0:
			right, rw = "", 0
		default:
			most--
		}
	}
	var b strings.Builder
	x := 1
	b.WriteByte(' ')
	first := r.firstTab(titles, w-rw)
	if first > 0 {
		b.WriteString(r.th.dim.draw(r.th.mark.prev + " "))
		x += 2
	}
	for i := first; i < len(r.tabs); i++ {
		tw := text.Width(titles[i]) + 2
		if x+tw+6 > w-rw {
			b.WriteString(r.th.dim.draw(r.th.mark.next))
			x++
			break
		}
		b.WriteString(r.tabLabel(i, titles[i]) + "   ")
		spans = append(spans, tabSpan{x, x + tw, i})
		x += tw + 3
	}
	b.WriteString(r.th.dim.draw("+"))
	spans = append(spans, tabSpan{x, x + 1, newTab})
	return beside(b.String(), right+" ", w), spans
}

// firstTab is the first that is shown, so that the active one is in sight.
func (r *root) firstTab(titles []string, w int) int {
	first, used := r.active, 4
	for i := r.active; i >= 0; i-- {
		used += text.Width(titles[i]) + 5
		if used+2*b2i(i > 0) > w && i < r.active {
			break
		}
		first = i
	}
	return first
}

func (r *root) tabLabel(i int, title string) string {
	t := r.tabs[i]
	mark := t.mark(i == r.active, &r.th.mark)
	switch {
	case i == r.active:
		return r.th.accentStrong.draw(mark + " " + title)
	case mark == r.th.mark.idle:
		return r.th.dim.draw(mark + " " + title)
	case mark == r.th.mark.wait:
		return r.th.warn.draw(mark) + " " + r.th.dim.draw(title)
	}
	return r.th.accent.draw(mark) + " " + title
}

// modelLine names the model and what it runs on, all that is known of that or in a
// word.
func (r *root) modelLine(all bool) string {
	if r.back().engine == nil {
		if r.back().loading != 0 {
			return r.th.dim.draw("loading a model")
		}
		if r.back().closed {
			return r.th.dim.draw(text.Truncate(r.back().name(), 32, r.th.mark.ellipsis) + " (closed)")
		}
		return r.th.bad.draw("no model")
	}
	i := &r.back().info
	s := text.CleanLine(i.Name)
	if i.Quant != "" && !strings.Contains(strings.ToUpper(s), strings.ToUpper(i.Quant)) {
		s += " " + text.CleanLine(i.Quant)
	}
	s = text.Truncate(s, 32, r.th.mark.ellipsis)
	backend := text.Truncate(text.CleanLine(i.Backend), 32, r.th.mark.ellipsis)
	if !all {
		backend, _, _ = strings.Cut(backend, ",")
	}
	return r.th.strong.draw(s) + r.th.dim.draw(" "+r.th.mark.dot+" "+backend)
}
