package ui

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"github.com/confab-tui/confab/engine"
	"github.com/confab-tui/confab/ui/screen"
)

// terminal is an emulator that a whole program runs on: what the program writes
// is drawn, the modes that it sets are noted.
type terminal struct {
	mu    sync.Mutex
	em    *vt.Emulator
	modes map[ansi.Mode]bool
	alt   bool
	raw   bytes.Buffer
	keys  *io.PipeWriter
	w, h  int
}

func newTerminal(w, h int) (*terminal, io.Reader) {
	t := &terminal{em: vt.NewEmulator(w, h), modes: map[ansi.Mode]bool{}, w: w, h: h}
	t.em.SetCallbacks(vt.Callbacks{
		AltScreen:   func(on bool) { t.alt = on },
		EnableMode:  func(m ansi.Mode) { t.modes[m] = true },
		DisableMode: func(m ansi.Mode) { t.modes[m] = false },
	})
	go io.Copy(io.Discard, t.em) // answers to queries
	r, w2 := io.Pipe()
	t.keys = w2
	return t, r
}

func (t *terminal) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.raw.Write(p)
	return t.em.Write(p)
}

func (t *terminal) screen() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return cells(t.em, t.w, t.h)
}

// patience is how many hundredths of a second a program may take to show something, on
// a machine with much else to do.
const patience = 6000

// waitFor fails when the text does not come.
func (t *terminal) waitFor(tb testing.TB, s string) {
	tb.Helper()
	for range patience {
		if strings.Contains(t.screen(), s) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	tb.Fatalf("the terminal never shows %q:\n%s", s, t.screen())
}

// start runs the program on the terminal as Run does, up to the store.
func (t *terminal) start(tb testing.TB, in io.Reader, f *fake, profile colorprofile.Profile) (*root, chan error) {
	tb.Helper()
	env := []string{"TERM=xterm-256color", "LANG=C.UTF-8"}
	r := newRoot(context.Background(), Options{Open: f.open}, env)
	closeStore, err := r.openStore()
	if err != nil {
		tb.Fatal(err)
	}
	r.restore(context.Background())
	done := make(chan error, 1)
	go func() {
		err := screen.Run(context.Background(), r, screen.Options{In: in, Out: t, Env: env, Profile: profile, Width: t.w, Height: t.h})
		r.leave()
		closeStore()
		done <- err
	}()
	return r, done
}

func TestProgramOnATerminal(t *testing.T) {
	term, in := newTerminal(100, 30)
	f := newFake(&clock{})
	_, done := term.start(t, in, f, colorprofile.TrueColor)
	term.waitFor(t, "answers here")
	if !term.alt {
		t.Error("the program does not use the alternate screen")
	}
	io.WriteString(term.keys, "Write a poem\r")
	term.waitFor(t, "hear and see.")
	io.WriteString(term.keys, "\x04")
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	term.mu.Lock()
	defer term.mu.Unlock()
	if term.alt {
		t.Error("the alternate screen is still on")
	}
	for m, on := range term.modes {
		if on && m != ansi.ModeTextCursorEnable && m != ansi.ModeAutoWrap {
			t.Errorf("mode %v is still on", m.Mode())
		}
	}
	if !f.closed {
		t.Error("the engine was not closed")
	}
}

// TestNoColour: without colours no colour is written, and what was focused or
// bold is still told apart.
func TestNoColour(t *testing.T) {
	term, in := newTerminal(100, 30)
	_, done := term.start(t, in, newFake(&clock{}), colorprofile.ASCII)
	term.waitFor(t, "answers here")
	io.WriteString(term.keys, "\x04")
	<-done
	for _, seq := range []string{"\x1b[3", "\x1b[9", "\x1b[1;3"} {
		for _, part := range strings.Split(term.raw.String(), seq)[1:] {
			if i := strings.IndexFunc(part, func(r rune) bool { return r >= '@' && r <= '~' }); i >= 0 && part[i] == 'm' && part[0] >= '0' && part[0] <= '7' {
				t.Fatalf("a colour was written: %q", seq+part[:i+1])
			}
		}
	}
	if !noColour([]string{"NO_COLOR=yes"}) || noColour([]string{"NO_COLOR="}) || noColour(nil) {
		t.Error("NO_COLOR is any value but an empty one")
	}
	for term, want := range map[string]bool{"vt100": true, "vt220": true, "vte-256color": false, "vt525": false, "vt": false, "linux": false} {
		if noColour([]string{"TERM=" + term}) != want {
			t.Errorf("%s has no colours: %v", term, !want)
		}
	}
}

// TestHostileText: nothing that a model writes reaches the terminal as a control.
func TestHostileText(t *testing.T) {
	b := newBench(t, 100, 30)
	evil := "\x1b]0;owned\x07\x1b]52;c;aGk=\x07\x9b31m\x1b[2J\u202eabc\r\x08x"
	b.f.info.Name = "model" + evil
	b.r.back().info.Name = b.f.info.Name
	b.f.script = func(engine.Request) reply { return reply{text: "text" + evil + " end", thinking: evil, reason: "stop"} }
	b.write("ask")
	b.send(tea.PasteMsg{Content: evil})
	b.keys("enter")
	b.settle()
	for _, keys := range []string{"", "ctrl+t", "esc ctrl+k", "esc ctrl+p", "esc ctrl+s", "esc"} {
		b.keys(keys)
		v := b.r.View()
		if !utf8.ValidString(v.Content) {
			t.Errorf("after %q the view holds bytes that are no text", keys)
		}
		for _, bad := range []string{"\x1b]", "\x07", "\u009b", "\x1b[2J", "\u202e", "\r", "\x08"} {
			if strings.Contains(v.Content, bad) || strings.Contains(v.WindowTitle, bad) {
				t.Errorf("after %q the view holds %q", keys, bad)
			}
		}
	}
}

// TestLinesStandAlone: no style runs from one line of a view into the next, so that
// package screen may draw those that changed.
func TestLinesStandAlone(t *testing.T) {
	for _, g := range goldens {
		b := goldenBench(t, g.sizes[0], g.build)
		for y, line := range strings.Split(b.r.View().Content, "\n") {
			em := vt.NewEmulator(b.r.w, 2)
			em.WriteString(line + "\r\nx")
			if c := em.CellAt(0, 1); c == nil || c.Content != "x" || !c.Style.IsZero() {
				t.Errorf("%s: line %d leaves its style to the next: %q", g.name, y, line)
			}
		}
	}
}
