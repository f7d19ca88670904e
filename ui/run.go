package ui

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"

	"github.com/confab-tui/confab/ui/screen"
	"github.com/confab-tui/confab/ui/store"
	"github.com/confab-tui/confab/ui/text"
)

var errNoTerm = errors.New("the chat needs a terminal, and the input or the output is none: confab ask answers into a pipe or a file, --accessible talks in lines")

// Run shows the program until the person leaves it, the terminal goes away or a signal
// ends it. The terminal is restored and what was written is saved whatever ends it.
func Run(ctx context.Context, o Options) error {
	env := os.Environ()
	bare := wantsPlain(&o, env)
	if !bare && !(term.IsTerminal(os.Stdin.Fd()) && term.IsTerminal(os.Stdout.Fd())) {
		return errNoTerm
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP, syscall.SIGTERM)
	defer stop()
	r := newRoot(ctx, o, env)
	closeStore, err := r.openStore()
	if err != nil {
		return err
	}
	r.restore(ctx)
	text.SetApart(!bare) // until the terminal says otherwise
	if bare {
		runPlain(ctx, r, os.Stdin, &rows{out: os.Stdout, width: terminalWidth}, term.IsTerminal(os.Stdin.Fd()))
	} else {
		profile := colorprofile.ASCII
		if r.th.colour {
			profile = colorprofile.Detect(os.Stdout, env)
		}
		err = show(ctx, r, screen.Options{In: os.Stdin, Out: os.Stdout, Env: env, Profile: profile,
			AsksModes: r.term.strings && answersModes(env), Filter: calm()})
	}
	r.leave()
	return errors.Join(err, closeStore())
}

// show has the program on the screen until it ends.
func show(ctx context.Context, r *root, o screen.Options) error {
	o.Keys = new(atomic.Int32)
	r.options.waits = func() bool { return o.Keys.Load() > 0 }
	return screen.Run(ctx, r, o)
}

// terminalWidth is how many cells a row has, 0 where the output is no terminal.
func terminalWidth() int {
	w, _, err := term.GetSize(os.Stdout.Fd())
	if err != nil {
		return 0
	}
	return w
}

// answersModes tells whether a terminal may be asked for its modes. Over ssh that is
// only done where it is known to answer, since an answer may come when the program is
// over; Apple's prints the question.
func answersModes(env []string) bool {
	for _, known := range []string{"ghostty", "wezterm", "alacritty", "kitty", "rio"} {
		if strings.Contains(lookup(env, "TERM"), known) {
			return true
		}
	}
	if lookup(env, "WT_SESSION") != "" {
		return true
	}
	return lookup(env, "SSH_TTY") == "" && lookup(env, "TERM_PROGRAM") != "Apple_Terminal"
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
