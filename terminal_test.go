//go:build linux

package main

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/confab-tui/confab/ui/store"
)

// session is the real program on a terminal of its own.
type session struct {
	testing.TB
	cmd    *exec.Cmd
	tty    *os.File // the terminal's side
	read   chan struct{}
	exited chan error
	// patience is how long the screen may take to show what is waited for.
	patience time.Duration

	mu    sync.Mutex
	em    *vt.Emulator
	alt   bool
	modes map[ansi.Mode]bool
}

const (
	screenWidth, screenHeight = 120, 34
	// The emulator is as large as any window of these tests: what was drawn for a larger
	// one would end it.
	emulatorWidth, emulatorHeight = 200, 50
)

// openSession starts the program and waits until it can be talked to.
func openSession(t testing.TB, env []string, args ...string) *session {
	t.Helper()
	s := openTerminal(t, env, &syscall.SysProcAttr{Setsid: true, Setctty: true}, append([]string{"confab"}, args...)...)
	s.waitFor("confab tiny Q8_0") // the model is there
	return s
}

// openTerminal starts a command on a terminal of its own.
func openTerminal(t testing.TB, env []string, attr *syscall.SysProcAttr, argv ...string) *session {
	t.Helper()
	path, err := exec.LookPath(argv[0])
	if err != nil {
		t.Fatal(err)
	}
	s := &session{TB: t, cmd: exec.Command(path, argv[1:]...), modes: map[ansi.Mode]bool{},
		read: make(chan struct{}), exited: make(chan error, 1), patience: 20 * time.Second}
	s.cmd.Env = env
	if s.tty, err = pty.StartWithAttrs(s.cmd, &pty.Winsize{Rows: screenHeight, Cols: screenWidth}, attr); err != nil {
		t.Fatal(err)
	}
	s.emulate()
	go s.show()
	go func() { s.exited <- s.cmd.Wait() }()
	t.Cleanup(func() { s.cmd.Process.Kill(); s.tty.Close() })
	return s
}

// show draws what the program writes.
func (s *session) show() {
	defer close(s.read)
	b := make([]byte, 1<<16)
	for {
		n, err := s.tty.Read(b)
		s.mu.Lock()
		s.em.Write(b[:n])
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// emulate begins an empty screen, and gives the program its answers to what programs ask
// of terminals.
func (s *session) emulate() {
	em := vt.NewEmulator(emulatorWidth, emulatorHeight)
	em.SetCallbacks(vt.Callbacks{
		AltScreen:   func(on bool) { s.alt = on },
		EnableMode:  func(m ansi.Mode) { s.modes[m] = true },
		DisableMode: func(m ansi.Mode) { s.modes[m] = false },
	})
	s.mu.Lock()
	if s.alt {
		em.Write([]byte("\x1b[?1049h"))
	}
	s.em = em
	s.mu.Unlock()
	go io.Copy(s.tty, em)
}

// resize gives the window a size, and where it had another one an empty screen, all of
// which the program then draws.
func (s *session) resize(w, h int) {
	s.Helper()
	if oldH, oldW, err := pty.Getsize(s.tty); err == nil && oldH == h && oldW == w {
		return
	}
	s.mu.Lock()
	old := s.em
	s.mu.Unlock()
	s.emulate()
	old.Close()
	if err := pty.Setsize(s.tty, &pty.Winsize{Rows: uint16(h), Cols: uint16(w)}); err != nil {
		s.Fatal(err)
	}
}

// screen is the text on the terminal.
func (s *session) screen() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.em.String()
}

func (s *session) keys(text string) {
	s.Helper()
	if _, err := s.tty.WriteString(text); err != nil {
		s.Fatal(err)
	}
}

// waitFor fails when the text does not come.
func (s *session) waitFor(text string) {
	s.Helper()
	s.until("the screen shows "+text, func(screen string) bool { return strings.Contains(screen, text) })
}

func (s *session) until(what string, holds func(screen string) bool) {
	s.Helper()
	for deadline := time.Now().Add(s.patience); !holds(s.screen()); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.Fatalf("it never comes that %s:\n%s", what, s.screen())
		}
	}
}

// wait waits for the program's end.
func (s *session) wait() error {
	s.Helper()
	select {
	case err := <-s.exited:
		return err
	case <-time.After(time.Minute):
		s.Fatalf("the program does not end:\n%s", s.screen())
		return nil
	}
}

// restored fails unless the terminal is as it was found.
func (s *session) restored() {
	s.Helper()
	select {
	case <-s.read: // the terminal has nothing more to show
	case <-time.After(s.patience):
		s.Error("something still holds the terminal")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.alt {
		s.Error("the alternate screen is still on")
	}
	for m, on := range s.modes {
		if on && m != ansi.ModeTextCursorEnable && m != ansi.ModeAutoWrap {
			s.Errorf("mode %v is still on", m.Mode())
		}
	}
	if on, set := s.modes[ansi.ModeTextCursorEnable]; set && !on {
		s.Error("the cursor is still hidden")
	}
	state, err := unix.IoctlGetTermios(int(s.tty.Fd()), unix.TCGETS)
	if err != nil {
		s.Error(err)
	} else if want := uint32(unix.ECHO | unix.ICANON | unix.ISIG); state.Lflag&want != want {
		s.Errorf("the terminal is still raw: flags %#x", state.Lflag)
	}
}

// dataOf is the data folder of an environment.
func dataOf(env []string) string {
	for _, v := range env {
		if at, ok := strings.CutPrefix(v, "XDG_DATA_HOME="); ok {
			return at + "/confab"
		}
	}
	return ""
}

// saved is what the program has kept: all chats' messages, in order.
func saved(t testing.TB, env []string) [][]*store.Message {
	t.Helper()
	s, err := store.Open(dataOf(env), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	list, err := s.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var all [][]*store.Message
	for _, info := range list {
		c, err := s.Load(t.Context(), info.ID)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c.Path())
	}
	return all
}
