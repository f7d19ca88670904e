package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/engine"
)

// measure finds out whether there is room beside what is open.
func (r *root) measure(b *backend) tea.Cmd {
	if !slices.ContainsFunc(r.models.all, func(x *backend) bool { return x.engine != nil }) {
		return b.open(r.ctx, r.models.open, nil)
	}
	number, cfg, room, need := b.number, b.config, r.options.room, r.options.need
	return func() tea.Msg {
		free, known := room(cfg)
		return roomMsg{number: number, need: need(cfg), free: free, known: known}
	}
}

// roomMsg says how many bytes a model needs, and how many there are.
type roomMsg struct {
	number     int
	need, free int64
	known      bool
}

// apply closes what is in the way, if it is idle, and opens the model.
func (msg roomMsg) apply(r *root) tea.Cmd {
	b := r.models.loaded(msg.number)
	if b == nil {
		return nil
	}
	var idle []*backend
	running := func(p *pane) bool { return p.conv.running() }
	free, busy := msg.free, ""
	for _, x := range r.models.all {
		switch {
		case x.engine == nil:
		case r.usedBy(x, running):
			busy = x.name()
		default:
			idle = append(idle, x)
		}
	}
	if most := msg.free + bytesOf(idle); msg.known && most < msg.need && busy != "" {
		if !slices.ContainsFunc(r.panes(), func(p *pane) bool { return p.model == b && p.before != nil }) {
			return r.hold(b, busy)
		}
		err := fmt.Errorf("%s needs %s, %s free, and %s is answering: wait for it or stop it", b.name(), size(msg.need), size(most), busy)
		return r.onOpened(openedMsg{number: msg.number, err: err})
	}
	slices.SortFunc(idle, func(a, b *backend) int { return a.used.Compare(b.used) })
	var room []Engine
	var names []string
	for _, x := range idle {
		if !msg.known || free >= msg.need {
			break
		}
		free += x.bytes()
		names = append(names, x.name())
		room = append(room, x.take())
	}
	if len(names) > 0 {
		r.say(toneQuiet, strings.Join(names, " and ")+" is closed to make room for "+b.name()+"; a message to its chats opens it again")
	}
	return b.open(r.ctx, r.models.open, room)
}

// bytesOf is what some models take together.
func bytesOf(all []*backend) int64 {
	n := int64(0)
	for _, b := range all {
		n += b.bytes()
	}
	return n
}

// hold puts off a model for which there is no memory while another answers.
func (r *root) hold(b *backend, busy string) tea.Cmd {
	b.progress.Store(&engine.Progress{Stage: b.name() + " waits for memory: " + busy + " is answering"})
	r.models.held = append(r.models.held, b)
	return r.next()
}

// holdFrames is after how many frames it is seen whether there is memory now.
const holdFrames = 30

// tryHeld measures again for the model that was put off longest.
func (r *root) tryHeld() tea.Cmd {
	m := &r.models
	if len(m.held) == 0 || m.current != nil || r.frame%holdFrames != 0 {
		return nil
	}
	m.current = m.held[0]
	m.held = m.held[1:]
	return r.measure(m.current)
}

func closeAll(engines []Engine) tea.Cmd {
	if len(engines) == 0 {
		return nil
	}
	return func() tea.Msg {
		for _, e := range engines {
			e.Close()
		}
		return nil
	}
}

// longChat is for how many tokens a model should have cells at least, where
// nobody said how many and its conversations may be longer.
const longChat = 8192

// modelNeed is about what a model takes: its weights, cells for as many tokens
// as are configured or a long chat has, and buffers. It is 0 for a file that
// cannot be read, for opening that says why.
func modelNeed(c engine.Config) int64 {
	in, err := engine.Inspect(c.Model)
	if err != nil {
		return 0
	}
	cells, bytes := c.Cells, in.CellBytes
	if cells == 0 {
		cells = min(cmp.Or(c.Context, in.Context), longChat)
	}
	if c.CellType == "f32" {
		bytes *= 2
	}
	return in.Bytes + in.Bytes/roomOver + int64(cells)*bytes
}
