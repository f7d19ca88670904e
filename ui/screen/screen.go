// Package screen runs a Bubble Tea program on a terminal and draws a frame when a
// message has changed the view, at once, and at no other time. Bubble Tea's own
// renderer looks for changes on a clock, which keeps an idle program awake and a key
// waiting; here the messages, commands and views are Bubble Tea's, the cells that differ
// are ultraviolet's, and what this package adds is when and by whom they are written.
//
// Invariants: the event loop never waits for the terminal, one goroutine writes to it,
// and a view that was overtaken, or is going to be by a key that waits, is not drawn.
// Garbage is collected between frames. While nothing happens nothing runs. A
// terminal that is gone ends the program. Whatever ends it, and whatever panics, the
// terminal is given back first.
//
// Of a view's fields it draws those that a program in the alternate screen needs: not
// AltScreen, which is always on, nor OnMouse, ProgramStatus, KeyboardEnhancements and
// DisableBracketedPasteMode. To write to the terminal directly there is tea.Raw; the
// other commands by which a program talks to Bubble Tea's renderer have no effect.
package screen

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// Options say where a program runs.
type Options struct {
	In      io.Reader // a terminal, or what a test types
	Out     io.Writer
	Env     []string
	Profile colorprofile.Profile
	// Width and Height, in cells, hold where Out is no terminal that knows its size.
	Width, Height int
	// AsksModes: the terminal is asked once whether it shows frames at once, and how it
	// measures text. Some print the question.
	AsksModes bool
	// Keys, where it is not nil, counts those that were pressed and wait for the model.
	Keys *atomic.Int32
	// Filter sees every message before the model, as tea.WithFilter has it.
	Filter func(tea.Model, tea.Msg) tea.Msg
}

// errGone is why a program ends whose terminal is not there any more.
var errGone = errors.New("the terminal is gone")

// Run shows the model until it quits, the context ends, or the terminal goes away,
// none of which is an error.
func Run(ctx context.Context, m tea.Model, o Options) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	if o.Keys == nil {
		o.Keys = new(atomic.Int32)
	}
	t := &terminal{Options: o, end: end, wake: make(chan struct{}, 1), over: make(chan struct{})}
	s := &shown{model: m, term: t}
	w, h := t.size()
	// Bubble Tea would write a tea.Raw too, and beside our own frames.
	p := tea.NewProgram(s, tea.WithContext(ctx), tea.WithInput(nil), tea.WithOutput(io.Discard), tea.WithoutRenderer(),
		tea.WithoutSignalHandler(), tea.WithEnvironment(o.Env), tea.WithColorProfile(o.Profile),
		tea.WithFilter(t.filter), tea.WithWindowSize(w, h))
	t.send, s.program = p.Send, p
	if err := t.take(); err != nil {
		return fmt.Errorf("the terminal: %w", err)
	}
	go t.drawing()
	go t.watch()
	defer t.close()
	_, err := p.Run()
	if errors.Is(err, tea.ErrProgramPanic) || ctx.Err() == nil {
		return err
	}
	return nil
}

// shown is a model whose views go to a terminal.
type shown struct {
	model   tea.Model
	term    *terminal
	program *tea.Program
	frame   frame     // the newest
	since   time.Time // views are not drawn for keys that wait
}

// Init begins the model, and takes the terminal from Bubble Tea, which did not use it:
// that stops the clock that its renderer would need.
func (s *shown) Init() tea.Cmd {
	return tea.Batch(s.guard(s.model.Init()), func() tea.Msg {
		_ = s.program.ReleaseTerminal()
		return nil
	})
}

// mostSkipped is for how long keys may keep the screen from being drawn. Tests, which a busy
// machine may hold up, wait longer.
var mostSkipped = 30 * time.Millisecond

// View hands the model's view to the terminal, unless a key waits for the model: then the
// view would be overtaken at once, and to draw it would hold the key up.
func (s *shown) View() tea.View {
	defer s.term.crash()
	if s.term.Keys.Load() > 0 {
		if s.since.IsZero() {
			s.since = time.Now()
		}
		if time.Since(s.since) < mostSkipped {
			return s.frame.view
		}
	}
	s.since = time.Time{}
	s.frame.view = s.model.View()
	if s.frame.w > 0 && s.frame.h > 0 {
		s.term.show(s.frame)
	}
	return s.frame.view
}

// Update does what messages ask of the terminal, and gives the others to the model.
func (s *shown) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	defer s.term.crash()
	switch msg := msg.(type) {
	case tea.RawMsg:
		s.term.write(fmt.Sprint(msg.Msg))
		return s, nil
	case redrawMsg:
		s.frame.erased++
		return s, nil
	case asideMsg:
		return s, s.guard(func() tea.Msg { return msg.then(s.term.aside(msg.run)) })
	case tea.KeyPressMsg:
		s.frame.keys++
	case tea.WindowSizeMsg:
		s.frame.w, s.frame.h = msg.Width, msg.Height
		s.frame.erased++ // it may have moved what it showed
	case tea.ModeReportMsg:
		s.frame.atOnce = s.frame.atOnce || msg.Mode == ansi.ModeSynchronizedOutput && msg.Value == ansi.ModeReset
		s.frame.clusters = s.frame.clusters || msg.Mode == ansi.ModeUnicodeCore && (msg.Value == ansi.ModeReset || msg.Value.IsSet())
	}
	m, cmd := s.model.Update(msg)
	s.model = m
	return s, s.guard(cmd)
}

// guard has a command that panics give back the terminal before Bubble Tea reports it.
func (s *shown) guard(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() tea.Msg {
		defer s.term.crash()
		msg := cmd()
		if all, ok := msg.(tea.BatchMsg); ok {
			for i := range all {
				all[i] = s.guard(all[i])
			}
		}
		return msg
	}
}

type redrawMsg struct{}

// Redraw is a command that draws everything anew.
func Redraw() tea.Msg { return redrawMsg{} }

// asideMsg has a function run on the terminal as it was found.
type asideMsg struct {
	run  func() error
	then func(error) tea.Msg
}

// Exec is a message that leaves the terminal to another program until that ends, and
// then gives its error to a message. The model goes on meanwhile, unseen.
func Exec(c *exec.Cmd, then func(error) tea.Msg) tea.Msg {
	return asideMsg{func() error {
		c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
		return c.Run()
	}, then}
}

// stopTime is enough for a signal to oneself to be felt.
const stopTime = 100 * time.Millisecond

// Suspend is a command that stops the process as ctrl+z does, until a shell lets it go
// on. Where no shell could, the system stops nothing.
func Suspend() tea.Msg {
	return asideMsg{func() error {
		err := syscall.Kill(0, syscall.SIGTSTP)
		time.Sleep(stopTime)
		return err
	}, func(error) tea.Msg { return nil }}
}
