package ui

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/engine"
	"github.com/confab-tui/confab/ui/text"
)

// models are those that chats use. Each chat has its own; a second one opens
// beside the first where the memory suffices, else those that are idle make room.
// One opens at a time, so that what is free is known.
type models struct {
	open   Opener
	all    []*backend // all[0] is the one of the start, as long as it is used
	number int
	// current is being opened, queue waits for it, held for the memory of models
	// that answer.
	current     *backend
	queue, held []*backend
}

func (m *models) find(path string) *backend {
	for _, b := range m.all {
		if b.config.Model == path {
			return b
		}
	}
	return nil
}

func (m *models) isOpen(path string) bool {
	b := m.find(path)
	return b != nil && b.engine != nil
}

// loaded is the model that a load was for, nil where nobody waits for it any more.
func (m *models) loaded(number int) *backend {
	for _, b := range m.all {
		if b.loading == number && number != 0 {
			return b
		}
	}
	return nil
}

// opening tells whether any model is on its way.
func (m *models) opening() bool {
	return slices.ContainsFunc(m.all, func(b *backend) bool { return b.loading != 0 })
}

// told takes a picture of an engine in.
func (m *models) told(msg statsMsg) {
	for _, b := range m.all {
		if b.number == msg.number {
			b.asking, b.stats = false, msg.stats
		}
	}
}

// ask fetches the statistics of all engines.
func (m *models) ask() tea.Cmd {
	var cmds []tea.Cmd
	for _, b := range m.all {
		cmds = append(cmds, b.ask())
	}
	return tea.Batch(cmds...)
}

// close ends all engines; it is called when the program has left the screen.
func (m *models) close() error {
	var errs []error
	for _, b := range m.all {
		if b.cancel != nil {
			b.cancel()
		}
		if b.engine != nil {
			errs = append(errs, b.engine.Close())
		}
	}
	return errors.Join(errs...)
}

// backOf is the model of a pane's chat: the one that it had, where it is at hand,
// else that of the chat in focus.
func (r *root) backOf(p *pane) *backend {
	if p.model == nil {
		p.model = r.models.all[0]
		if c := p.conv.chat; c.ModelName != "" {
			if b := r.models.find(c.ModelPath); b != nil {
				p.model = b
			}
		}
	}
	return p.model
}

// back is the model of the focused chat, base what its knobs stand on.
func (r *root) back() *backend { return r.backOf(r.pane()) }
func (r *root) base() *base    { return &r.back().base }

// engineOf is the open model with an ID, else that of the pane's chat.
func (r *root) engineOf(p *pane, id string) Engine {
	for _, b := range r.models.all {
		if b.engine != nil && b.info.ID == id {
			return b.engine
		}
	}
	return r.backOf(p).engine
}

// chooseModel gives the focused chat another model. An answer that is being
// written there is stopped.
func (r *root) chooseModel(path string) tea.Cmd {
	r.sheet = nil
	p := r.pane()
	old := r.backOf(p)
	b := r.models.find(path)
	if b == old && b.engine != nil {
		r.say(toneQuiet, b.name()+" answers here already; /reload opens it again")
		return nil
	}
	p.conv.stop()
	if b = r.backend(path); b != old {
		p.model, p.before = b, old
		r.forget(old)
	}
	return r.want(b)
}

// backend is the model with a path, open or not.
func (r *root) backend(path string) *backend {
	b := r.models.find(path)
	if b == nil {
		b = &backend{config: r.options.Config}
		b.config.Model = path
		b.base = newBase(&r.options, engine.DefaultSampling(), r.base().presets)
		r.models.all = append(r.models.all, b)
	}
	return b
}

// forget gives up a load that no chat waits for any more.
func (r *root) forget(b *backend) {
	if b.loading == 0 || r.usedBy(b, nil) {
		return
	}
	if b.cancel != nil {
		b.cancel()
	}
	b.loading = 0
	r.models.queue = slices.DeleteFunc(r.models.queue, func(x *backend) bool { return x == b })
	r.models.held = slices.DeleteFunc(r.models.held, func(x *backend) bool { return x == b })
	if r.models.current == b {
		r.models.current = nil
	}
}

// usedBy tells whether a chat on the screen uses a model; and, where busy is
// given, whether it satisfies it.
func (r *root) usedBy(b *backend, busy func(*pane) bool) bool {
	for _, t := range r.tabs {
		for _, p := range t.panes {
			if r.backOf(p) == b && (busy == nil || busy(p)) {
				return true
			}
		}
	}
	return false
}

// reopen opens the focused chat's model again: its device may have failed. Answers
// that it is writing end.
func (r *root) reopen() tea.Cmd {
	b := r.back()
	if b.engine == nil {
		return r.want(b)
	}
	old, want := b.take(), r.want(b)
	return func() tea.Msg {
		old.Close()
		return tea.BatchMsg{want}
	}
}

// want begins to open a model that is not open yet, or puts it into the queue.
func (r *root) want(b *backend) tea.Cmd {
	m := &r.models
	if b.engine != nil || b.loading != 0 {
		return nil
	}
	if !slices.Contains(m.all, b) {
		m.all = append(m.all, b)
	}
	m.number++
	b.number, b.loading, b.err, b.asking = m.number, m.number, "", false
	b.stats, b.progress = engine.Stats{}, new(atomic.Pointer[engine.Progress])
	if m.current != nil && m.current.loading != 0 {
		m.queue = append(m.queue, b)
		return r.tick()
	}
	m.current = b
	return tea.Batch(r.measure(b), r.tick())
}

// onOpened goes on when a model is there, with what was sent meanwhile, or when
// it could not be opened. An engine that nobody waits for any more is closed.
func (r *root) onOpened(msg openedMsg) tea.Cmd {
	b := r.models.loaded(msg.number)
	if b == nil {
		if msg.engine == nil {
			return nil
		}
		return closeAll([]Engine{msg.engine})
	}
	cmds := []tea.Cmd{b.opened(msg)}
	if b.err != "" {
		cmds = append(cmds, r.goBack(b))
	} else {
		b.base = newBase(&r.options, b.info.Sampling, b.base.presets)
		r.notice(b.info.Notices)
		cmds = append(cmds, r.tidy())
		for _, p := range r.panes() {
			if p.model == b {
				p.before = nil
				if len(p.conv.waiting) > 0 && !p.conv.running() {
					cmds = append(cmds, r.ended(p))
				}
			}
		}
	}
	return tea.Batch(append(cmds, r.next())...)
}

// next opens the model that has waited longest.
func (r *root) next() tea.Cmd {
	m := &r.models
	m.current = nil
	if len(m.queue) == 0 {
		return nil
	}
	m.current = m.queue[0]
	m.queue = m.queue[1:]
	return tea.Batch(r.measure(m.current), r.tick())
}

// goBack gives chats whose new model did not open the one from before.
func (r *root) goBack(b *backend) tea.Cmd {
	var cmds []tea.Cmd
	back := false
	for _, p := range r.panes() {
		if p.model == b && p.before != nil {
			p.model, p.before, back = p.before, nil, true
			cmds = append(cmds, r.want(p.model))
		}
	}
	if back {
		r.say(toneBad, b.err+"  (going back to the model from before; "+r.keys.key(doModels)+" chooses another)")
		r.models.all = slices.DeleteFunc(r.models.all, func(x *backend) bool { return x == b })
	}
	return tea.Batch(cmds...)
}

// tidy closes what no chat on the screen uses any more.
func (r *root) tidy() tea.Cmd {
	var gone []Engine
	first := r.models.all[0]
	r.models.all = slices.DeleteFunc(r.models.all, func(b *backend) bool {
		unused := b.loading == 0 && !r.usedBy(b, nil) && !slices.ContainsFunc(r.leaving, func(p *pane) bool { return p.model == b })
		if unused && b.engine != nil {
			gone = append(gone, b.take())
		}
		return unused
	})
	if len(r.models.all) == 0 { // every chat was closed meanwhile
		r.models.all = []*backend{first}
	}
	return closeAll(gone)
}

// panes are all on the screen.
func (r *root) panes() []*pane {
	var all []*pane
	for _, t := range r.tabs {
		all = append(all, t.panes...)
	}
	return all
}

// several tells whether chats of the program use different models at the moment.
func (m *models) several() bool {
	n := 0
	for _, b := range m.all {
		n += b2i(b.engine != nil)
	}
	return n > 1
}

// otherModel is the model that a chat had before, where it is not the one that
// answers now.
func (r *root) otherModel(p *pane) (path, name string) {
	c := p.conv.chat
	if c.ModelName == "" || c.Len() == 0 || c.ModelPath == r.backOf(p).config.Model {
		return "", ""
	}
	return c.ModelPath, text.CleanLine(c.ModelName)
}

// ownModel opens the model that the focused chat had before.
func (r *root) ownModel() tea.Cmd {
	path, name := r.otherModel(r.pane())
	if name == "" {
		r.say(toneQuiet, "this chat has had no other model")
		return nil
	}
	return r.chooseModel(path)
}

// modelName is a file's name for people.
func modelName(path string) string {
	if path == "" {
		return "the built-in model"
	}
	return text.CleanLine(strings.TrimSuffix(filepath.Base(path), ".gguf"))
}
