package screen

import (
	"cmp"
	"context"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
)

// terminal is what the person sits at. Between take and giveBack it is ours: keys come
// in, and one goroutine draws the newest frame as soon as there is one. Nobody else
// waits for what is written.
type terminal struct {
	Options
	send func(tea.Msg)
	end  func(cause error) // ends the program

	handed struct {
		sync.Mutex
		frame    *frame
		commands strings.Builder
	}
	wake chan struct{} // has a value where something was handed over
	over chan struct{} // closed when nothing is drawn any more

	mu      sync.Mutex // of what follows, and of writing
	painter *painter   // nil while the terminal is not ours
	back    time.Time  // when somebody else had it last
	stop    func()     // ends the reading
	cooked  *term.State
}

// take makes the terminal ours, and shows what was shown last.
func (t *terminal) take() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case <-t.over:
		return nil
	default:
	}
	if f, ok := t.In.(term.File); ok && term.IsTerminal(f.Fd()) {
		var err error
		if t.cooked, err = term.MakeRaw(f.Fd()); err != nil {
			return err
		}
	}
	var err error
	if t.stop, err = t.read(); err != nil {
		t.restore()
		return err
	}
	questions := ""
	if t.AsksModes {
		questions = ansi.RequestModeSynchronizedOutput + ansi.RequestModeUnicodeCore
		t.AsksModes = false // an answer that comes late would be somebody else's input
	}
	t.painter = newPainter(t.Env, t.Profile, questions)
	t.nudge()
	return nil
}

// giveBack puts the terminal into the state in which it was found.
func (t *terminal) giveBack() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.painter == nil {
		return
	}
	t.stop()
	_, _ = t.Out.Write(append(t.commands(), t.painter.end()...))
	t.painter = nil
	t.restore()
}

// restore is for line input again.
func (t *terminal) restore() {
	if f, ok := t.In.(term.File); ok && t.cooked != nil {
		_ = term.Restore(f.Fd(), t.cooked)
	}
}

// aside gives the terminal to somebody else for a while.
func (t *terminal) aside(run func() error) error {
	t.giveBack()
	err := run()
	t.mu.Lock()
	t.back = time.Now()
	t.mu.Unlock()
	if t.take() != nil {
		t.end(errGone)
	}
	t.sendSize()
	return err
}

// close gives the terminal back for good. One that takes nothing any more must not
// keep the program from ending, so there is a limit to what is waited for.
func (t *terminal) close() {
	close(t.over)
	done := make(chan struct{})
	go func() {
		t.giveBack()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(time.Second):
		t.restore()
	}
}

// crash is deferred where our own code may panic.
func (t *terminal) crash() {
	if e := recover(); e != nil {
		t.giveBack()
		panic(e)
	}
}

// input is what is typed, until it is cancelled.
type input interface {
	io.ReadCloser
	Cancel() bool
}

// readTime is enough for a reader to notice that it shall end.
const readTime = 100 * time.Millisecond

// read sends what is typed until the function that it returns is called. An input that
// ends before is a terminal that is gone: in raw mode no key ends it.
func (t *terminal) read() (stop func(), err error) {
	r, err := newInput(t.In)
	if err != nil {
		return func() {}, err
	}
	events := make(chan uv.Event)
	go func() {
		for e := range events {
			t.hand(e)
		}
	}()
	var stopped atomic.Bool
	ended := make(chan struct{})
	go func() {
		_ = uv.NewTerminalReader(r, uv.Environ(t.Env).Getenv("TERM")).StreamEvents(context.Background(), events)
		close(ended)
		close(events)
		if !stopped.Load() {
			t.end(errGone)
		}
		_ = r.Close()
	}()
	return func() {
		stopped.Store(true)
		if !r.Cancel() {
			return
		}
		// What is typed from here on is for whoever has the terminal next.
		select {
		case <-ended:
		case <-time.After(readTime):
		}
	}, nil
}

// hand gives the program something that was typed, when it takes it.
func (t *terminal) hand(e uv.Event) {
	if _, key := e.(uv.KeyPressEvent); key {
		t.Keys.Add(1)
	}
	t.send(e)
}

// filter sees what the program takes.
func (t *terminal) filter(m tea.Model, msg tea.Msg) tea.Msg {
	if _, key := msg.(tea.KeyPressMsg); key {
		t.Keys.Add(-1)
	}
	if t.Filter != nil {
		return t.Filter(m, msg)
	}
	return msg
}

// show hands over a frame in place of the last one, write a command for the terminal.
func (t *terminal) show(f frame) {
	t.handed.Lock()
	t.handed.frame = &f
	t.handed.Unlock()
	t.nudge()
}

func (t *terminal) write(command string) {
	t.handed.Lock()
	t.handed.commands.WriteString(command)
	t.handed.Unlock()
	t.nudge()
}

func (t *terminal) nudge() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// drawing draws what is handed over until the end.
func (t *terminal) drawing() {
	defer t.crash()
	rest := newGarbage()
	for {
		select {
		case <-t.wake:
			if key := t.draw(); len(t.wake) == 0 {
				rest.collect(key)
			}
		case <-t.over:
			return
		}
	}
}

// draw writes what was handed over, and reports whether there was a key in it.
func (t *terminal) draw() (key bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.painter == nil {
		return false
	}
	out := t.commands()
	t.handed.Lock()
	f := t.handed.frame
	t.handed.Unlock()
	if f != nil {
		key = f.keys != t.painter.last.keys
		out = append(out, t.painter.paint(f)...)
	}
	if len(out) == 0 {
		return key
	}
	if _, err := t.Out.Write(out); err != nil {
		t.end(errGone)
	}
	return key
}

// commands takes those that wait to be written.
func (t *terminal) commands() []byte {
	t.handed.Lock()
	defer t.handed.Unlock()
	out := []byte(t.handed.commands.String())
	t.handed.commands.Reset()
	return out
}

// watch tells of the window's size, and ends the program on an interrupt from outside.
// One that is meant for who has the terminal now does not.
func (t *terminal) watch() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGWINCH, os.Interrupt)
	defer signal.Stop(c)
	for {
		select {
		case s := <-c:
			if s == syscall.SIGWINCH {
				t.sendSize()
			} else if t.ours() {
				t.end(context.Canceled)
			}
		case <-t.over:
			return
		}
	}
}

// feltTime is enough for a signal to be felt here that others had at the same time.
const feltTime = time.Second

func (t *terminal) ours() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.painter != nil && time.Since(t.back) > feltTime
}

func (t *terminal) sendSize() {
	w, h := t.size()
	t.send(tea.WindowSizeMsg{Width: w, Height: h})
}

// size is the window's. A line to a terminal from of old does not know it.
func (t *terminal) size() (w, h int) {
	if f, ok := t.Out.(term.File); ok {
		w, h, _ = term.GetSize(f.Fd())
	}
	if w <= 0 || h <= 0 {
		return cmp.Or(t.Width, 80), cmp.Or(t.Height, 24)
	}
	return w, h
}
