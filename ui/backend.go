package ui

import (
	"context"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/engine"
	"github.com/confab-tui/confab/ui/text"
)

// Opener opens a model. It may take long; progress may be called from any
// goroutine.
type Opener func(context.Context, engine.Config, func(engine.Progress)) (Engine, error)

// backend is one model: open, being opened, closed to make room, or one that
// could not be opened.
type backend struct {
	config engine.Config
	engine Engine
	info   engine.Info
	base   base
	err    string
	// closed says that it was open, and made room for another.
	closed bool
	// loading is the load under way or in the queue, 0 for none; number is the
	// last one. No two loads of the program have the same.
	loading  int
	number   int
	progress *atomic.Pointer[engine.Progress]
	cancel   context.CancelFunc
	used     time.Time // when an answer was last asked of it
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

// open is the command that opens the model, when those that make room for it are
// closed.
func (b *backend) open(ctx context.Context, open Opener, room []Engine) tea.Cmd {
	ctx, b.cancel = context.WithCancel(ctx)
	number, cfg, progress := b.number, b.config, b.progress
	return func() tea.Msg {
		for _, e := range room {
			e.Close()
		}
		e, err := open(ctx, cfg, func(p engine.Progress) { progress.Store(&p) })
		return openedMsg{number, e, err}
	}
}

// opened takes the end of the load that b waited for.
func (b *backend) opened(msg openedMsg) tea.Cmd {
	b.loading = 0
	if msg.err != nil {
		b.err, b.closed = text.Clean(Cause(msg.err)), false
		if b.info.ID != "" && b.config.Backend == "cuda" { // so it is not the model's fault
			b.err += "; everything written is kept, /reload cpu opens the model on the CPU"
		}
		return nil
	}
	b.engine, b.info, b.closed = msg.engine, msg.engine.Info(), false
	return b.ask()
}

// take gives the engine away, to be closed.
func (b *backend) take() Engine {
	e := b.engine
	b.engine, b.stats, b.closed = nil, engine.Stats{}, true
	return e
}

// bytes are what an open model takes.
func (b *backend) bytes() int64 { return b.info.FileBytes + int64(b.info.Cells)*b.info.CellBytes }

// name is the model's for people, also before it is open.
func (b *backend) name() string {
	if b.info.Name != "" {
		return text.CleanLine(b.info.Name)
	}
	return modelName(b.config.Model)
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

// fraction is how far the load is, from 0 to 1; negative where it is not known.
func (b *backend) fraction() (engine.Progress, float64) {
	p := b.progress.Load()
	if p == nil {
		return engine.Progress{Stage: "opening " + b.name()}, -1
	}
	if p.Total <= 0 {
		return *p, -1
	}
	return *p, min(max(float64(p.Done)/float64(p.Total), 0), 1)
}
