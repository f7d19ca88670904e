//go:build unix

package main

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/charmbracelet/x/xpty"

	"github.com/confab-tui/confab/ui/picture"
)

var screenshots = flag.String("screenshots", "", "folder to write the README's pictures to")

// screen is the real program in a terminal of its own, with colours for pictures;
// CONFAB_PROGRAM is another one to look at.
type screen struct {
	t    *testing.T
	pty  xpty.Pty
	lock sync.Mutex // of what term shows: the cells that it gives are its own
	term *vt.Emulator
	done chan struct{}
	cmd  *exec.Cmd
	raw  *tail
	w, h int
}

// tail keeps the last bytes that a program wrote.
type tail struct {
	sync.Mutex
	b []byte
}

func (r *tail) add(p []byte) {
	r.Lock()
	defer r.Unlock()
	r.b = append(r.b, p...)
	if len(r.b) > 8192 {
		r.b = bytes.Clone(r.b[len(r.b)-4096:])
	}
}

func (r *tail) String() string {
	r.Lock()
	defer r.Unlock()
	return string(r.b)
}

func openScreen(t *testing.T, env []string, w, h int, args ...string) *screen {
	t.Helper()
	p, err := xpty.NewPty(w, h)
	if err != nil {
		t.Skipf("no terminal to be had: %v", err)
	}
	s := &screen{t: t, pty: p, term: vt.NewEmulator(w, h), done: make(chan struct{}), raw: &tail{}, w: w, h: h}
	path, err := exec.LookPath(cmp.Or(os.Getenv("CONFAB_PROGRAM"), "confab"))
	if err != nil {
		t.Fatal(err)
	}
	s.cmd = exec.Command(path, args...)
	s.cmd.Env = append(env, "COLORTERM=truecolor", "CONFAB_REDUCED_MOTION=false")
	if err := p.Start(s.cmd); err != nil {
		t.Fatal(err)
	}
	go s.read()
	go s.answer()
	t.Cleanup(s.stop)
	return s
}

// read shows what the program writes.
func (s *screen) read() {
	defer close(s.done)
	buf := make([]byte, 32<<10)
	for {
		n, err := s.pty.Read(buf)
		s.raw.add(buf[:n])
		s.lock.Lock()
		_, _ = s.term.Write(buf[:n])
		s.lock.Unlock()
		if err != nil {
			return
		}
	}
}

// answer sends what the terminal replies to the program's questions.
func (s *screen) answer() {
	buf := make([]byte, 4<<10)
	for {
		n, err := s.term.Read(buf)
		if err != nil {
			return
		}
		_, _ = s.pty.Write(buf[:n])
	}
}

func (s *screen) stop() {
	if s.cmd.ProcessState == nil {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
	}
	_ = s.pty.Close()
	<-s.done
}

func (s *screen) keys(keys ...string) {
	s.t.Helper()
	for _, k := range keys {
		if _, err := s.pty.Write([]byte(k)); err != nil {
			s.t.Fatalf("typing %q: %v", k, err)
		}
		time.Sleep(30 * time.Millisecond)
	}
}

// text is the screen without colours.
func (s *screen) text() string {
	s.lock.Lock()
	defer s.lock.Unlock()
	var b strings.Builder
	for y := range s.h {
		for x := 0; x < s.w; x++ {
			c := s.term.CellAt(x, y)
			if c == nil || c.Content == "" {
				b.WriteByte(' ')
				continue
			}
			b.WriteString(c.Content)
			x += max(c.Width-1, 0)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// await waits until the screen shows something, or fails with the screen.
func (s *screen) await(what string, shows func(text string) bool) {
	s.t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if shows(s.text()) {
			return
		}
	}
	s.t.Fatalf("no %s on the screen:\n%s", what, s.text())
}

func (s *screen) awaitText(text string) {
	s.t.Helper()
	s.await("\""+text+"\"", func(all string) bool { return strings.Contains(all, text) })
}

// quit leaves the program by its own key and gives its exit code.
func (s *screen) quit() int {
	s.t.Helper()
	s.keys("\x04")
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	_ = xpty.WaitProcess(ctx, s.cmd)
	if s.cmd.ProcessState == nil {
		s.t.Fatalf("the program does not end:\n%s", s.text())
	}
	return s.cmd.ProcessState.ExitCode()
}

const (
	altA, altC, altS = "\x1ba", "\x1bc", "\x1bs"
	ctrlK, ctrlP     = "\x0b", "\x10"
	ctrlT            = "\x14"
)

// TestChatOfTheBuiltInModel is the README's first two minutes: two chats side by
// side answer at the same time, and both are there after a restart.
func TestChatOfTheBuiltInModel(t *testing.T) {
	env := home(t)
	s := openScreen(t, env, 120, 32, "--temp", "0")
	s.awaitText("Ask anything")
	s.keys(altS)
	s.await("two panes", func(all string) bool { return strings.Count(all, "│") > 20 })
	s.keys(altA)
	s.awaitText("to 2 panes")
	s.keys("what is temperature?", "\r")
	s.await("two answers", func(all string) bool { return strings.Count(all, "sometimes silly.") == 2 })
	if code := s.quit(); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	if raw := s.raw.String(); !strings.Contains(raw, "\x1b[?1049l") || !strings.Contains(raw, "\x1b[?25h") {
		t.Errorf("the terminal is not as it was: %q", raw[max(0, len(raw)-300):])
	}

	again := openScreen(t, env, 120, 32)
	again.await("both answers after a restart", func(all string) bool { return strings.Count(all, "sometimes silly.") == 2 })
	if code := again.quit(); code != 0 {
		t.Fatalf("exit code %d", code)
	}
}

// TestScreenshots draws the README's pictures from the running program.
func TestScreenshots(t *testing.T) {
	if *screenshots == "" {
		t.Skip("only with -screenshots DIR")
	}
	shoot := func(s *screen, name string) {
		t.Helper()
		time.Sleep(300 * time.Millisecond)
		f, err := os.Create(filepath.Join(*screenshots, name+".png"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		s.lock.Lock()
		defer s.lock.Unlock()
		if err := picture.WritePNG(f, s.term, picture.Dark); err != nil {
			t.Fatal(err)
		}
	}
	one := openScreen(t, home(t), 120, 34, "--seed", "417")
	one.awaitText("Ask anything")
	one.keys("What is top-k?", "\r")
	one.awaitText("variety.")
	one.keys("/pace 10", "\r")
	one.awaitText("at most 10")
	one.keys("Tell me a story about the sea.", "\r")
	one.awaitText("there was")
	one.keys(ctrlK, "l", "l", "l", "l", "l", "l")
	one.awaitText("live")
	time.Sleep(2 * time.Second)
	shoot(one, "chat")
	one.awaitText("Ask anything")
	one.keys(ctrlK)
	one.keys(ctrlT)
	one.awaitText("perplexity")
	one.keys("N")
	shoot(one, "tokens")

	four := openScreen(t, home(t), 160, 34)
	four.awaitText("Ask anything")
	four.keys("/pace 30", "\r")
	four.awaitText("at most 30")
	four.keys(altC)
	four.awaitText("to 4 panes")
	four.keys("Tell me a story about a dragon.", "\r")
	four.await("streaming answers", func(all string) bool { return strings.Count(all, "tok/s") >= 4 && strings.Contains(all, "◐") })
	time.Sleep(time.Second)
	shoot(four, "compare")
	four.await("four answers", func(all string) bool { return strings.Count(all, "done") >= 4 })
	four.keys("And a story about a ship.", "\r")
	four.await("streaming answers", func(all string) bool { return strings.Count(all, "◐") >= 4 })
	four.keys(ctrlP)
	four.awaitText("cached")
	time.Sleep(time.Second)
	shoot(four, "pool")
}
