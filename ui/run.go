package ui

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/ui/store"
	"github.com/confab-tui/confab/ui/text"
)

var errNoTerm = errors.New("the chat needs a terminal, and the output is none: confab ask answers into a pipe or a file, --accessible talks in lines")

// errHangup is the cause of a program that ends because its terminal went away
// or it was asked to.
var errHangup = errors.New("the terminal was closed")

// hangup ends the program on SIGHUP and SIGTERM, so that what is written is
// saved. Bubble Tea itself knows only the latter.
func hangup(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGHUP, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		select {
		case <-c:
			cancel(errHangup)
		case <-done:
		}
	}()
	return ctx, func() { signal.Stop(c); close(done); cancel(nil) }
}

// runError makes an ordinary end of what Bubble Tea reports as one by force.
func runError(err error) error {
	if errors.Is(err, tea.ErrProgramPanic) || err == nil {
		return err
	}
	if errors.Is(err, tea.ErrProgramKilled) || errors.Is(err, tea.ErrInterrupted) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// calm drops wheel and drag events that come faster than a frame, so that keys
// never queue up behind them.
func calm() func(tea.Model, tea.Msg) tea.Msg {
	var last time.Time
	return func(_ tea.Model, msg tea.Msg) tea.Msg {
		switch msg.(type) {
		case tea.MouseMotionMsg, tea.MouseWheelMsg:
			now := time.Now()
			if now.Sub(last) < 12*time.Millisecond {
				return nil
			}
			last = now
		}
		return msg
	}
}

// leave saves what is on the screen and ends what runs. It is called when the
// terminal is already restored.
func (r *root) leave() {
	for _, t := range r.tabs {
		for _, p := range t.panes {
			p.conv.stop()
		}
	}
	deadline := time.Now().Add(2 * time.Second)
	for r.anyRunning() && time.Now().Before(deadline) {
		time.Sleep(5 * time.Millisecond)
		for _, t := range r.tabs {
			for _, p := range t.panes {
				p.conv.drain(time.Now())
			}
		}
	}
	r.remember()
	for _, f := range r.fetches {
		f.cancel() // what came is kept
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = r.store.Flush(ctx) // Close, by who opened it, reports what could not be written
	_ = r.models.close()
}

func (r *root) anyRunning() bool {
	for _, t := range r.tabs {
		for _, p := range t.panes {
			if p.conv.running() {
				return true
			}
		}
	}
	return false
}

// openStore opens the conversations of the data folder. Damaged ones are moved aside;
// where nothing can be kept, the program goes on without a disk. Both are told.
func (r *root) openStore() (closeStore func() error, err error) {
	o := store.Options{AppVersion: r.options.Version}
	if dir := r.options.DataDir; dir != "" {
		var aside string
		if r.store, aside, err = store.OpenOrBegin(dir, o); err == nil {
			if aside != "" {
				r.saveFailed = "the conversations could not be read and lie in " + text.Clean(aside) + " now; a new file was begun"
			}
			return r.store.Close, nil
		}
		r.saveFailed = err.Error() + "; this time nothing is kept"
	}
	if r.store, err = store.OpenMemory(o); err != nil {
		return nil, err
	}
	return r.store.Close, nil
}
