//go:build linux

package ui

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/creack/pty"

	"github.com/confab-tui/confab/engine"
	"github.com/confab-tui/confab/ui/screen"
)

// typist is a terminal, in a process of its own as they are: keys go in, and what comes
// out is seen.
type typist struct {
	testing.TB
	tty    *os.File
	chunks chan chunk
}

// chunk is something that came to the terminal, and when.
type chunk struct {
	bytes []byte
	at    time.Time
}

func (t *typist) read() {
	defer close(t.chunks)
	for b := make([]byte, 1<<16); ; {
		n, err := t.tty.Read(b)
		if err != nil {
			return
		}
		t.chunks <- chunk{slices.Clone(b[:n]), time.Now()}
	}
}

// press types something and gives the time until the terminal has been sent what is
// to be seen of it.
func (t *typist) press(keys, seen string) time.Duration {
	t.Helper()
	for len(t.chunks) > 0 {
		<-t.chunks // from before
	}
	began := time.Now()
	if _, err := t.tty.WriteString(keys); err != nil {
		t.Fatal(err)
	}
	var all []byte
	for {
		select {
		case c := <-t.chunks:
			all = append(all, c.bytes...)
			if bytes.Contains(all, []byte(seen)) {
				return c.at.Sub(began)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%q never shows", seen)
		}
	}
}

// BenchmarkKeyOnTerminal is the time from a key on a terminal to its letter there,
// while six panes at 250 x 60 are each sent 1,000 tokens a second: with -benchtime 500x
// the middle, the slowest twentieth and hundredth, and the slowest of 500 keys. They come at
// random times, as from a person. Beside them stands what the machine takes at the same
// time for a key that the kernel itself echoes, and how late who sleeps 1 ms is woken.
func BenchmarkKeyOnTerminal(b *testing.B) {
	if os.Getenv(onTerminal) != "" {
		b.Skip("the program's own process")
	}
	t := newTypist(b, 250, 60, exec.Command(os.Args[0], "-test.run=^TestOnTerminal$"), "answers here")
	for _, keys := range []string{"/compare 0 0.3 0.6 0.9 1.2 1.5", "\x1b", "\r", "show me", "\r"} {
		t.tty.WriteString(keys)
		time.Sleep(300 * time.Millisecond) // an escape and a key at once would be alt and the key
	}
	echo := newTypist(b, 80, 24, exec.Command("sh", "-c", "echo ready; cat >/dev/null"), "ready")
	keys, kernel, late := make([]time.Duration, b.N), make([]time.Duration, b.N), make([]time.Duration, b.N)
	letters := []rune("ЖЩЮЯЭЫЪЬЦФБГДИЛПУЧШ") // which nobody answers with
	for i := range keys {
		if i%40 == 39 {
			t.tty.WriteString("\x15") // an empty line again
			echo.tty.WriteString("\x15")
		}
		time.Sleep(time.Duration(20+rand.IntN(80)) * time.Millisecond)
		letter := string(letters[i%len(letters)])
		keys[i] = t.press(letter, letter)
		kernel[i] = echo.press("x", "x")
		began := time.Now()
		time.Sleep(time.Millisecond)
		late[i] = time.Since(began) - time.Millisecond
	}
	report(b, "", keys)
	report(b, "-echo", kernel)
	report(b, "-late", late)
	b.ReportMetric(0, "ns/op") // the pauses between the keys
}

func report(b *testing.B, what string, all []time.Duration) {
	slices.Sort(all)
	for name, at := range map[string]int{"p50": b.N / 2, "p95": b.N * 95 / 100, "p99": b.N * 99 / 100, "max": b.N - 1} {
		b.ReportMetric(float64(all[at])/1e6, name+what+"-ms")
	}
}

// newTypist runs a program on a terminal of its own until it says something.
func newTypist(b *testing.B, w, h uint16, program *exec.Cmd, says string) *typist {
	master, slave, err := pty.Open()
	if err != nil {
		b.Skipf("no terminal to be had: %v", err)
	}
	defer slave.Close()
	if err := pty.Setsize(slave, &pty.Winsize{Rows: h, Cols: w}); err != nil {
		b.Fatal(err)
	}
	program.Env = append(os.Environ(), onTerminal+"=1")
	program.Stdin, program.Stdout, program.Stderr = slave, slave, slave
	program.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := program.Start(); err != nil {
		b.Fatal(err)
	}
	defer master.Close()
	fd, err := syscall.Dup(int(master.Fd()))
	if err != nil {
		b.Fatal(err)
	}
	_ = syscall.SetNonblock(fd, true) // so that no processor is kept by who reads
	t := &typist{TB: b, tty: os.NewFile(uintptr(fd), "terminal"), chunks: make(chan chunk, 4096)}
	go t.read()
	b.Cleanup(func() {
		t.tty.Close()
		_ = program.Wait() // it was hung up on
	})
	t.press("", says)
	return t
}

// onTerminal names the variable that makes the test below the program itself.
const onTerminal = "CONFAB_TEST_ON_TERMINAL"

// TestOnTerminal is the program that BenchmarkKeyOnTerminal measures: it is answered by
// a script.
func TestOnTerminal(t *testing.T) {
	if os.Getenv(onTerminal) == "" {
		t.Skip("BenchmarkKeyOnTerminal runs it")
	}
	f := newFake(&clock{})
	f.every, f.first = time.Millisecond, time.Millisecond
	f.script = func(engine.Request) reply {
		return reply{text: strings.Repeat(demoMarkdown+"\n", 400), reason: engine.ReasonStop}
	}
	env := []string{"TERM=xterm-256color", "LANG=C.UTF-8"}
	r := newRoot(context.Background(), Options{Open: f.open}, env)
	closeStore, err := r.openStore()
	if err != nil {
		t.Fatal(err)
	}
	defer closeStore()
	r.restore(context.Background())
	_ = show(context.Background(), r, screen.Options{In: os.Stdin, Out: os.Stdout, Env: env, Profile: colorprofile.TrueColor})
	r.leave()
}
