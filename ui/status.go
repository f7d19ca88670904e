package ui

import (
	"fmt"
	"strings"
	"time"

	"github.com/confab-tui/confab/ui/text"
)

// drawStatus is the last line: how fast the focused chat is, what its prompt
// cost, and how full the pool is. Every number has a place of fixed width.
func (r *root) drawStatus(w int) string {
	right := r.cells()
	room := w - text.Width(right) - 6
	left := r.loadingLine(room)
	if left == "" {
		left = r.speed(room)
	}
	return " " + beside(left, right+" ", w-1)
}

// speed are the numbers of the focused chat's last answer. Those that do not
// fit the width are left out, the least important first.
func (r *root) speed(w int) string {
	a := r.pane().lastAnswer()
	if t := r.pane().view.current(); r.focus == focusText && t != nil && t.answer != nil {
		a = t.answer // the one under the reader's cursor
	}
	if a == nil {
		return r.th.dim.draw("ready")
	}
	rate, first := right(perSecond(a.now()), 6)+" tok/s", fmt.Sprintf("first %7s", "-")
	if d := a.counts.FirstToken; d > 0 {
		first = fmt.Sprintf("first %7s", brief(d))
	}
	cost := fmt.Sprintf("%6s cached + %s new", group(a.counts.Cached), group(a.counts.Evaluated))
	s := rate
	if a.running() {
		s = r.th.accent.draw(rate)
	} else {
		s = r.th.dim.draw(rate)
	}
	used := len(rate)
	parts := []string{first, cost}
	if n := a.used(); a.context > 0 && n > 0 {
		parts = append(parts, fmt.Sprintf("context %3d %%", min(n*100/a.context, 999)))
	}
	for _, part := range append(parts, fmt.Sprintf("seed %d", a.seed)) {
		if used += 3 + len(part); used > w {
			break
		}
		s += "   " + r.th.dim.draw(part)
	}
	return s
}

// cells is the pool at a glance.
func (r *root) cells() string {
	p := r.back().stats.Pool
	if r.back().engine == nil || p.Total == 0 {
		return ""
	}
	used := p.Total - p.Free
	share := float64(used) / float64(p.Total)
	label, bar := "cells ", 4
	if r.w >= roomyStatus {
		label, bar = fmt.Sprintf("cells %*s of %s  ", len(group(p.Total)), group(used), group(p.Total)), 10
	}
	if r.models.several() && r.w >= roomyStatus+modelShort {
		label = text.Truncate(r.back().name(), modelShort, r.th.mark.ellipsis) + "  " + label
	}
	return r.th.dim.draw(label) + r.th.meter(share, bar) + r.th.dim.draw(fmt.Sprintf(" %3.0f %%", share*100))
}

// meter is a bar of w cells, filled in eighths.
func (t *theme) meter(share float64, w int) string {
	full, rest := t.bars(share, w)
	return t.accent.draw(full) + t.faint.draw(strings.Repeat(t.mark.empty, max(rest, 0)))
}

// bars gives the filled part of a bar and how many cells are left.
func (t *theme) bars(share float64, w int) (string, int) {
	n := int(min(max(share, 0), 1)*float64(w*8) + 0.5)
	if n == 0 && share > 0 {
		n = 1
	}
	s := strings.Repeat(t.mark.eighths[7], n/8)
	rest := w - n/8
	if n%8 != 0 {
		s += t.mark.eighths[n%8-1]
		rest--
	}
	return s, rest
}

// loadingLine says how far a model's load is, or that there is no model.
func (r *root) loadingLine(w int) string {
	switch {
	case r.back().loading != 0:
		p, f := r.back().fraction()
		name := text.CleanLine(p.Stage)
		if f < 0 {
			return r.th.accent.draw(spinner(r.th, r.frame)) + " " + r.th.dim.draw(text.Truncate(name, w, ""))
		}
		line := fmt.Sprintf(" %3.0f %%  %s", f*100, name)
		if p.Total > 1<<20 {
			line += fmt.Sprintf("  %s of %s", size(p.Done), size(p.Total))
		}
		return r.th.dim.draw("loading ") + r.th.meter(f, 16) + r.th.dim.draw(text.Truncate(line, max(w-24, 0), ""))
	case r.back().engine == nil && r.back().closed:
		return r.th.warn.draw(text.Truncate(r.back().name()+" is closed: a message opens it", w, ""))
	case r.back().engine == nil:
		return r.th.bad.draw("no model") + r.th.dim.draw("  "+r.keys.key(doModels)+" chooses one")
	}
	return ""
}

// tone is how urgent a message to the person is.
type tone int

const (
	toneQuiet tone = iota
	toneWarn
	toneBad
)

// roomyStatus is the width from which the status line says everything.
const roomyStatus = 104

// modelShort is the longest that a model's name is set beside numbers.
const modelShort = 18

// toast is a message that the next key takes away.
type toast struct {
	text string
	tone tone
	// until is when it goes by itself, zero for never.
	until time.Time
}

// messageLines are the lines of the input area that speak to the person.
func (r *root) messageLines() []string {
	var out []string
	put := func(s string, tn tone, most int) {
		pen := [...]pen{r.th.dim, r.th.warn, r.th.bad}[tn]
		lines := text.Wrap(s, max(r.w-2*gutter, 8))
		if len(lines) > most {
			lines = lines[:most]
			lines[most-1] = text.Truncate(lines[most-1], max(r.w-2*gutter-1, 7), "") + r.th.mark.ellipsis
		}
		for _, l := range lines {
			out = append(out, fit("  "+pen.draw(l), r.w))
		}
	}
	if r.back().err != "" {
		put(r.back().err+"  ("+r.keys.key(doModels)+" chooses another model)", toneBad, 4)
	}
	if _, name := r.otherModel(r.pane()); name != "" {
		put("this chat was written with "+name+" "+r.th.mark.dot+" "+r.keys.key(doOwnModel)+" opens it again, or "+r.back().name()+" goes on", toneQuiet, 1)
	}
	if r.saveErr != "" {
		put(r.saveErr, toneBad, 3)
	}
	if r.toast.text != "" {
		put(r.toast.text, r.toast.tone, 4)
	}
	return out
}
