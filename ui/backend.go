package ui

import (
	"context"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/engine"
	"github.com/confab-tui/confab/ui/text"
)

// Opener opens a model. It may take long; progress may be called from any
// goroutine.
type Opener func(context.Context, engine.Config, func(engine.Progress)) (Engine, error)

// models are those that answer, or are being loaded.
type models struct {
	open Opener
	all  []*backend
}

// backend is one model.
type backend struct {
	config engine.Config
	engine Engine
	info   engine.Info
	base   base
	err    string
	// before is the model that was open when the load began, to go back to.
	before *engine.Config
	// loading is the load under way; one that was given up is told by its number.
	loading  int
	number   int
	progress *atomic.Pointer[engine.Progress]
	cancel   context.CancelFunc
	// stats is the last picture of the engine, asked for now and then while
	// something streams.
	stats  engine.Stats
	asking bool
}

// openedMsg is the end of a load.
type openedMsg struct {
	number int
	engine Engine
	err    error
}

// statsMsg is a fresh picture of the engine with the given number.
type statsMsg struct {
	number int
	stats  engine.Stats
}

// engineOf is the open model with an ID, else the one of the pane's chat.
func (r *root) engineOf(_ *pane, _ string) Engine { return r.back().engine }

// load begins to open a model; the one before it is closed first, since two may
// not fit the memory together.
func (b *backend) load(ctx context.Context, cfg engine.Config, open Opener) tea.Cmd {
	if b.cancel != nil {
		b.cancel()
	}
	ctx, b.cancel = context.WithCancel(ctx)
	b.number++
	b.loading = b.number
	old := b.engine
	if old != nil {
		b.before = &engine.Config{}
		*b.before = b.config
	}
	b.config, b.err = cfg, ""
	b.engine, b.stats = nil, engine.Stats{}
	progress := new(atomic.Pointer[engine.Progress])
	b.progress = progress
	number := b.number
	return func() tea.Msg {
		if old != nil {
			old.Close()
		}
		e, err := open(ctx, cfg, func(p engine.Progress) { progress.Store(&p) })
		return openedMsg{number, e, err}
	}
}

// back begins to open the model from before a load that failed.
func (b *backend) back(ctx context.Context, open Opener) tea.Cmd {
	cfg := *b.before
	b.before = nil
	return b.load(ctx, cfg, open)
}

// opened takes the end of a load; an engine that nobody waits for any more is
// closed by the returned command.
func (b *backend) opened(msg openedMsg) tea.Cmd {
	if msg.number != b.loading {
		if msg.engine == nil {
			return nil
		}
		return func() tea.Msg { msg.engine.Close(); return nil }
	}
	b.loading = 0
	if msg.err != nil {
		b.err = text.Clean(msg.err.Error())
		return nil
	}
	b.engine, b.info, b.before = msg.engine, msg.engine.Info(), nil
	return b.ask()
}

// ask fetches the engine's statistics, one request at a time.
func (b *backend) ask() tea.Cmd {
	if b.engine == nil || b.asking {
		return nil
	}
	b.asking = true
	e, number := b.engine, b.number
	return func() tea.Msg { return statsMsg{number, e.Stats()} }
}

func (b *backend) told(msg statsMsg) {
	b.asking = false
	if msg.number == b.number {
		b.stats = msg.stats
	}
}

// fraction is how far the load is, from 0 to 1; negative where it is not known.
func (b *backend) fraction() (engine.Progress, float64) {
	p := b.progress.Load()
	if p == nil {
		return engine.Progress{Stage: "opening"}, -1
	}
	if p.Total <= 0 {
		return *p, -1
	}
	return *p, min(max(float64(p.Done)/float64(p.Total), 0), 1)
}

// close ends the engine; it is called when the program has left the screen.
func (b *backend) close() error {
	if b.cancel != nil {
		b.cancel()
	}
	if b.engine == nil {
		return nil
	}
	return b.engine.Close()
}
