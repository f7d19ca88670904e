package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/engine/chat"
)

// submit sends what stands in the input: as a command, as a new version of a
// message, or as a prompt to the chats it is meant for.
func (r *root) submit() tea.Cmd {
	p := r.pane()
	if e := &p.input; e.at == len(e.s) && !e.pasted && strings.HasSuffix(e.s, `\`) && !strings.HasSuffix(e.s, `\\`) {
		e.backspace() // a line that ends so goes on
		e.insert("\n")
		return nil
	}
	value := strings.TrimRight(p.input.value(), " \n\t")
	typed := !p.input.pasted
	r.complete.close()
	if strings.TrimSpace(value) == "" {
		return r.submitEmpty(p)
	}
	if p.editing != nil {
		return r.submitEdit(p, value)
	}
	if typed && strings.HasPrefix(value, "/") && !strings.HasPrefix(value, "//") {
		return r.command(value)
	}
	if typed && strings.HasPrefix(value, "//") {
		value = value[1:] // two strokes are how a message begins with one
	}
	r.noteHistory(value)
	p.input.reset()
	p.recall = 0
	p.view.follow = true
	return r.send(value)
}

// send gives a prompt to every chat it is meant for.
func (r *root) send(value string) tea.Cmd {
	targets := r.targets()
	seeds := r.seeds(targets)
	var cmds []tea.Cmd
	for i, p := range targets {
		b := r.backOf(p)
		if p.conv.running() || b.engine == nil {
			p.conv.waiting = append(p.conv.waiting, queued{value, seeds[i]})
			if b.closed && b.err == "" {
				cmds = append(cmds, r.want(b))
			}
			continue
		}
		p.conv.say(value)
		cmds = append(cmds, r.start(p, seeds[i]))
	}
	if r.back().engine == nil && r.back().loading == 0 && len(cmds) == 0 {
		r.say(toneBad, "no model is loaded: the message waits until one is ("+r.keys.key(doModels)+")")
	}
	return tea.Batch(cmds...)
}

// seeds are the dice of several answers to one prompt, -1 for an answer alone. They
// are the same for all that differ in something else, and for chats that are alike
// each its own, so that these do not say the same.
func (r *root) seeds(targets []*pane) []int64 {
	if len(targets) == 1 {
		return []int64{-1}
	}
	out := make([]int64, len(targets))
	shared := r.dice()
	for i, p := range targets {
		out[i] = shared
		if slices.ContainsFunc(targets[:i], func(q *pane) bool { return r.alike(p, q) }) {
			out[i] = r.dice()
		}
	}
	return out
}

// alike tells whether two chats would answer the same.
func (r *root) alike(p, q *pane) bool {
	a, b := p.conv, q.conv
	return r.backOf(p) == r.backOf(q) && a.chat.System == b.chat.System &&
		a.layers.settings(&r.backOf(p).base) == b.layers.settings(&r.backOf(q).base) &&
		(a.think == nil) == (b.think == nil) && (a.think == nil || *a.think == *b.think) &&
		slices.EqualFunc(a.turns, b.turns, func(x, y *turn) bool { return x.m.Role == y.m.Role && x.m.Content == y.m.Content })
}

// submitEmpty continues a cut answer, or leaves an edit without a change.
func (r *root) submitEmpty(p *pane) tea.Cmd {
	if p.editing != nil {
		p.leaveEdit()
		return nil
	}
	p.input.reset()
	if t := p.conv.last(); t != nil && t.cut() {
		return r.goOn(p, t)
	}
	return nil
}

// submitEdit puts the new version of a message beside the old one; that of a
// person's message is answered anew.
func (r *root) submitEdit(p *pane, value string) tea.Cmd {
	t := p.editing
	if value != t.plain() && p.conv.running() { // what was sent to several chats began one here
		r.say(toneWarn, "an answer is being written: "+r.keys.key(doStop)+" stops it, then edit")
		return nil
	}
	p.leaveEdit()
	if value == t.plain() {
		return nil
	}
	p.conv.edit(t, value)
	p.view.follow = true
	if t.m.Role != chat.User {
		return nil
	}
	r.noteHistory(value)
	return r.start(p, -1)
}

func (p *pane) leaveEdit() {
	p.editing, p.readFrom = nil, nil
	p.input, p.kept = p.kept, editor{col: -1}
}

// beginEdit takes a message into the input.
func (r *root) beginEdit(p *pane, t *turn) {
	if p.editing == nil {
		p.kept = p.input
	}
	if p.view.reading {
		from := p.view.sight()
		p.readFrom = &from
	}
	p.editing = t
	p.input.reset()
	p.input.set(t.m.Content)
	r.focus = focusInput
	p.view.reading = false
}

// giveUpEdit leaves an edit for where it was begun: the input, or a place in the text.
func (r *root) giveUpEdit(p *pane) {
	from := p.readFrom
	p.leaveEdit()
	if from != nil {
		r.focus, p.view.reading = focusText, true
		p.view.goBack(*from)
		p.view.clamp()
	}
}

// noteHistory keeps a prompt for recall, newest first, each once.
func (r *root) noteHistory(s string) {
	kept := []string{s}
	for _, h := range r.history {
		if h != s && len(kept) < promptHistory {
			kept = append(kept, h)
		}
	}
	r.history = kept
}

// inputVertical moves the cursor; over the first line it recalls: the last
// message to edit, then older prompts.
func (r *root) inputVertical(key string) tea.Cmd {
	p := r.pane()
	step := map[string]int{"up": -1, "down": 1}[key]
	if p.recall == 0 && p.input.vertical(step, r.inputWidth()) {
		return nil
	}
	switch {
	case step < 0 && p.editing == nil && p.recall == 0 && p.input.empty():
		if t := p.conv.lastOf(chat.User); t != nil && !p.conv.running() {
			r.beginEdit(p, t)
			return nil
		}
		r.recallPrompt(p, 1)
	case step < 0 && (p.editing != nil || p.recall > 0 || len(r.history) > 0 && p.input.empty()):
		r.recallPrompt(p, p.recall+1)
	case step > 0 && p.recall > 0:
		r.recallPrompt(p, p.recall-1)
	case step > 0 && p.editing != nil && p.input.value() == p.editing.m.Content:
		p.leaveEdit()
	}
	return nil
}

// recallPrompt shows the nth of the prompts written before, 0 being what was
// being written.
func (r *root) recallPrompt(p *pane, n int) {
	if p.editing != nil {
		if p.input.value() != p.editing.m.Content {
			return // an edit is not thrown away
		}
		if len(r.history) > 0 && r.history[0] == p.editing.m.Content {
			n++ // it was just shown
		}
		p.leaveEdit()
	}
	if p.recall == 0 {
		p.kept = p.input
	}
	if n > len(r.history) {
		return
	}
	p.recall = n
	if n == 0 {
		p.input, p.kept = p.kept, editor{col: -1}
		return
	}
	p.input.reset()
	p.input.set(r.history[n-1])
}
