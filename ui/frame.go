package ui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
)

// frameMsg begins a frame, in which every pane takes once what its stream brought.
type frameMsg struct{}

// restMsg goes on with a frame in which a key went first.
type restMsg struct{}

func (restMsg) apply(r *root) tea.Cmd { return r.takeTurns() }

const frameTime = time.Second / 30

// alive tells whether anything moves by itself.
func (r *root) alive() bool {
	if r.models.opening() {
		return true
	}
	for _, p := range r.panes() {
		if p.conv.moving() {
			return true
		}
	}
	return len(r.leaving) > 0 || r.isFetching() || r.replayed.running() || !r.toast.until.IsZero()
}

// tick starts the frames, if something moves and they do not run already.
func (r *root) tick() tea.Cmd {
	if r.ticking || !r.alive() {
		return nil
	}
	r.ticking = true
	return r.options.frame()
}

func nextFrame() tea.Cmd {
	return tea.Tick(frameTime, func(time.Time) tea.Msg { return frameMsg{} })
}

// restTime is enough for a key to reach the screen.
const restTime = 4 * time.Millisecond

func restOfFrame() tea.Cmd {
	return tea.Tick(restTime, func(time.Time) tea.Msg { return restMsg{} })
}

func (r *root) onFrame() tea.Cmd {
	r.frame++
	r.news = false
	return r.takeTurns()
}

// takeTurns gives the panes that had none in this frame their turns. A key that is pressed
// meanwhile does not wait for all of them: it is shown first, and then the frame goes on.
func (r *root) takeTurns() tea.Cmd {
	var cmds []tea.Cmd
	var l layout
	if !r.noScreen && r.sheetless() && r.w >= minWidth && r.h >= minHeight {
		l = r.layout()
	}
	for _, t := range r.tabs {
		for i, p := range t.panes {
			if p.conv.frame == r.frame {
				continue
			}
			p.conv.frame = r.frame
			ran := p.conv.moving()
			cmds = append(cmds, r.takeTurn(t, p))
			if !ran {
				continue
			}
			if at := i - l.first; t == r.tab() && at >= 0 && at < len(l.panes) {
				p.view.set(l.panes[at].w, r.frame)
			}
			if r.options.waits() {
				return tea.Batch(append(cmds, restOfFrame())...)
			}
		}
	}
	return tea.Batch(append(cmds, r.endFrame())...)
}

// takeTurn has a pane of a tab take what its stream brought.
func (r *root) takeTurn(t *tab, p *pane) tea.Cmd {
	c := p.conv
	c.settle()
	if !c.running() {
		return nil
	}
	if c.live.answer.counts.Generated == 0 {
		c.live.touch() // its spinner turns
	}
	came, ended := c.drain(r.now())
	r.news = r.news || came
	if !ended {
		return nil
	}
	c.unread = t != r.tab() || !r.focused
	return tea.Batch(r.ended(p), r.notify(t), r.models.ask())
}

// endFrame does what there is to do once a frame, and asks for the next one.
func (r *root) endFrame() tea.Cmd {
	var cmds []tea.Cmd
	now := r.now()
	r.leaving = slices.DeleteFunc(r.leaving, func(p *pane) bool {
		p.conv.settle()
		p.conv.drain(now)
		return !p.conv.moving()
	})
	if r.replayed != nil && r.replayed.drain() {
		if _, shown := r.sheet.(*replaySheet); !shown {
			v, t := r.replayed.verdict()
			r.say(t, "replay: "+v)
		}
	}
	if !r.toast.until.IsZero() && now.After(r.toast.until) {
		r.toast = toast{}
	}
	if r.news && r.frame%8 == 0 {
		cmds = append(cmds, r.models.ask())
	}
	r.checkSaving()
	cmds = append(cmds, r.tryHeld())
	if !r.alive() {
		r.ticking = false
		return tea.Batch(cmds...)
	}
	return tea.Batch(append(cmds, r.options.frame())...)
}
