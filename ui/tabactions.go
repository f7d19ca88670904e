package ui

import (
	"fmt"
	"slices"
)

func (r *root) newTab(p *pane) {
	at := r.active + 1
	r.tabs = slices.Insert(r.tabs, at, &tab{panes: []*pane{p}})
	r.goTab(at)
}

func (r *root) goTab(i int) {
	r.active = i
	r.focus, r.sheet = focusInput, nil
	r.complete.close()
	r.pane().view.reading = false
	r.clearFind()
	r.seen()
	for _, p := range r.tab().panes {
		p.conv.chat.SetOpened()
	}
}

// closeTab takes a tab off the screen; its chats stay in the list, and undo
// brings the tab back.
func (r *root) closeTab(i int) {
	t := r.tabs[i]
	for _, p := range t.panes {
		p.conv.stop()
		p.saveDraft()
	}
	r.settle(t)
	r.tabs = slices.Delete(r.tabs, i, i+1)
	if len(r.tabs) == 0 {
		r.tabs = []*tab{{panes: []*pane{r.freshPane()}}}
	}
	if r.active > i || r.active >= len(r.tabs) {
		r.active = max(r.active-1, 0)
	}
	r.goTab(r.active)
	r.undoable(func() {
		at := min(i, len(r.tabs))
		r.tabs = slices.Insert(r.tabs, at, t)
		r.goTab(at)
	})
	r.say(toneQuiet, fmt.Sprintf("closed %s %s %s brings it back, %s lists all chats", inQuotes(t.title()), r.th.mark.dot, r.keys.key(doUndo), r.keys.key(doHistory)))
}

// settle takes what streams of a tab that closes already brought; the rest of a
// stopped answer comes with the frames until it ends.
func (r *root) settle(t *tab) {
	for _, p := range t.panes {
		if p.conv.running() {
			r.leaving = append(r.leaving, p)
		}
	}
}

func (r *root) moveTab(step int) {
	to := r.active + step
	if to < 0 || to >= len(r.tabs) {
		return
	}
	r.tabs[r.active], r.tabs[to] = r.tabs[to], r.tabs[r.active]
	r.active = to
}

// split adds a pane with a new chat that has the same knobs and system prompt.
func (r *root) split() {
	t := r.tab()
	switch n := len(t.panes); {
	case n == maxPanes:
		r.say(toneWarn, fmt.Sprintf("%d panes are the most", n))
		return
	case n >= r.roomForPanes():
		more := "a wider window holds more"
		if r.panel.open && n < panesThatFit(r.w) {
			more = "without the knobs (" + r.keys.key(doPanel) + ") it holds more"
		}
		r.say(toneWarn, plural(n, "pane is", "panes are")+" what this width holds; "+more)
		return
	}
	p := r.freshPane()
	p.conv.layers = t.pane().conv.layers
	p.conv.chat.System = t.pane().conv.chat.System
	t.panes = slices.Insert(t.panes, t.focus+1, p)
	r.focusPane(t.focus + 1)
}

// roomForPanes is how many panes the screen holds.
func (r *root) roomForPanes() int {
	if r.noScreen {
		return maxPanes
	}
	return panesThatFit(r.textWidth())
}

// textWidth is what the panes share.
func (r *root) textWidth() int {
	l := lay(r.w, r.h, 1, 0, r.panel.open, 1)
	return l.panes[0].w
}

// closePane takes the focused pane off the screen; undo brings it back.
func (r *root) closePane() {
	t := r.tab()
	if len(t.panes) == 1 {
		r.closeTab(r.active)
		return
	}
	i := t.focus
	p := t.panes[i]
	p.conv.stop()
	p.saveDraft()
	if p.conv.running() {
		r.leaving = append(r.leaving, p)
	}
	t.panes = slices.Delete(t.panes, i, i+1)
	r.focusPane(min(i, len(t.panes)-1))
	r.undoable(func() {
		at := min(i, len(t.panes))
		t.panes = slices.Insert(t.panes, at, p)
		t.focus = at
	})
	r.say(toneQuiet, "pane closed "+r.th.mark.dot+" "+r.keys.key(doUndo)+" brings it back")
}

// focusPane goes to a pane. What is being written goes along while it is meant
// for all of them.
func (r *root) focusPane(i int) {
	t := r.tab()
	if i < 0 || i >= len(t.panes) || i == t.focus && r.focus != focusText {
		if i >= 0 && i < len(t.panes) {
			t.focus = i
		}
		return
	}
	from := t.focus
	t.focus = i
	if from < len(t.panes) && from != i {
		a, b := t.panes[from], t.panes[i]
		a.view.reading = false
		if t.broadcast && b.input.empty() && b.editing == nil && a.editing == nil {
			a.input, b.input = b.input, a.input
		}
	}
	if r.focus == focusText {
		t.panes[i].view.read()
	}
	r.complete.close()
}

func (r *root) toggleBroadcast() {
	t := r.tab()
	if len(t.panes) == 1 {
		r.say(toneQuiet, "there is one pane only; "+r.keys.key(doSplit)+" adds another")
		return
	}
	t.broadcast = !t.broadcast
	if t.broadcast {
		r.say(toneQuiet, "what you write goes to all "+plural(len(t.panes), "pane", "panes"))
	} else {
		r.say(toneQuiet, "what you write goes to the focused pane")
	}
}

// toggleDiff marks the words in which the other panes' answers differ from the
// focused one's.
func (r *root) toggleDiff() {
	t := r.tab()
	if len(t.panes) == 1 {
		r.say(toneQuiet, "differences need a second pane")
		return
	}
	t.diff = !t.diff
}

// onlyThis goes on with the focused pane; undo brings the others back.
func (r *root) onlyThis() {
	t := r.tab()
	if len(t.panes) == 1 {
		r.say(toneQuiet, "there is only this pane")
		return
	}
	all, focus := slices.Clone(t.panes), t.focus
	for i, p := range t.panes {
		if i != focus {
			p.conv.stop()
			if p.conv.running() {
				r.leaving = append(r.leaving, p)
			}
		}
	}
	keep := t.pane()
	compare, broadcast := t.compare, t.broadcast
	t.panes, t.focus, t.compare, t.broadcast, t.diff = []*pane{keep}, 0, false, false, false
	r.undoable(func() {
		t.panes, t.focus, t.compare, t.broadcast = all, focus, compare, broadcast
	})
	r.say(toneQuiet, "only this one goes on "+r.th.mark.dot+" "+r.keys.key(doUndo)+" brings the others back")
}

func (r *root) togglePanel() {
	switch {
	case !r.panel.open:
		r.panel.open = true
		r.focus = focusPanel
		r.pane().view.reading = false
	case r.focus != focusPanel:
		r.focus = focusPanel
		r.pane().view.reading = false
	default:
		r.panel.open, r.panel.typing = false, false
		r.focus = focusInput
	}
}

func (r *root) toggleMouse() {
	r.mouseOff = !r.mouseOff
	if r.mouseOff {
		r.say(toneQuiet, "the mouse is the terminal's: select and copy as anywhere else; "+r.keys.key(doMouse)+" takes it back")
	} else {
		r.say(toneQuiet, "the mouse is confab's again")
	}
}
