//go:build linux

package ui

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/creack/pty"

	"github.com/confab-tui/confab/engine"
	"github.com/confab-tui/confab/ui/screen"
)

// typist types on a program's terminal and sees what it writes.
type typist struct {
	testing.TB
	tty    *os.File
	chunks chan chunk
}

// chunk is something that the program wrote, and when.
type chunk struct {
	bytes []byte
	at    time.Time
}

func (t *typist) read() {
	defer close(t.chunks)
	for {
		b := make([]byte, 1<<16)
		n, err := t.tty.Read(b)
		if err != nil {
			return
		}
		t.chunks <- chunk{b[:n], time.Now()}
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
// the middle, the slowest twentieth and the slowest of 500 keys. The keys come at
// random times, as from a person.
func BenchmarkKeyOnTerminal(b *testing.B) {
	t := onTerminal(b)
	took := make([]time.Duration, b.N)
	letters := []rune("ЖЩЮЯЭЫЪЬЦФБГДИЛПУЧШ") // which nobody answers with
	for i := range took {
		if i%40 == 39 {
			t.tty.WriteString("\x15") // an empty line again
		}
		time.Sleep(time.Duration(20+rand.IntN(80)) * time.Millisecond)
		letter := string(letters[i%len(letters)])
		took[i] = t.press(letter, letter)
	}
	slices.Sort(took)
	for name, at := range map[string]int{"p50": b.N / 2, "p95": b.N * 95 / 100, "max": b.N - 1} {
		b.ReportMetric(float64(took[at])/1e6, name+"-ms")
	}
	b.ReportMetric(0, "ns/op") // the pauses between the keys
}

// onTerminal runs the program on a terminal, with six panes that are being answered.
func onTerminal(b *testing.B) *typist {
	master, slave, err := pty.Open()
	if err != nil {
		b.Skipf("no terminal to be had: %v", err)
	}
	if err := pty.Setsize(master, &pty.Winsize{Rows: 60, Cols: 250}); err != nil {
		b.Fatal(err)
	}
	f := newFake(&clock{})
	f.every, f.first = time.Millisecond, time.Millisecond
	f.script = func(engine.Request) reply {
		return reply{text: strings.Repeat(demoMarkdown+"\n", 400), reason: engine.ReasonStop}
	}
	env := []string{"TERM=xterm-256color", "LANG=C.UTF-8"}
	r := newRoot(b.Context(), Options{Open: f.open}, env)
	closeStore, err := r.openStore()
	if err != nil {
		b.Fatal(err)
	}
	r.restore(b.Context())
	ctx, stop := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- screen.Run(ctx, r, screen.Options{In: slave, Out: slave, Env: env, Profile: colorprofile.TrueColor})
	}()
	t := &typist{TB: b, tty: master, chunks: make(chan chunk, 4096)}
	go t.read()
	b.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			b.Error(err)
		}
		r.leave()
		closeStore()
		master.Close()
		slave.Close()
	})
	t.press("", "answers here")
	for _, keys := range []string{"/compare 0 0.3 0.6 0.9 1.2 1.5", "\x1b", "\r", "show me", "\r"} {
		t.tty.WriteString(keys)
		time.Sleep(300 * time.Millisecond) // an escape and a key at once would be alt and the key
	}
	return t
}
