package ui

import (
	"context"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/confab-tui/confab/engine"
	"github.com/confab-tui/confab/engine/library"
)

// speech is the program without a screen in the hands of a test.
type speech struct {
	testing.TB
	mu         sync.Mutex
	out        strings.Builder
	in         *io.PipeWriter
	interrupts chan os.Signal
	done       chan struct{}
	f          *fake
	read       int // of out, by hears
}

func (s *speech) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.Write(b)
}

func (s *speech) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.String()
}

func startPlain(t testing.TB, tty bool, in io.Reader, change ...func(*Options, *fake)) *speech {
	s := &speech{TB: t, interrupts: make(chan os.Signal, 1), done: make(chan struct{}), f: newFake(&clock{})}
	s.f.every, s.f.first = time.Millisecond, time.Millisecond
	o := Options{Open: s.f.open, Accessible: true}
	for _, c := range change {
		c(&o, s.f)
	}
	if in == nil {
		in, s.in = io.Pipe()
	}
	r := newRoot(context.Background(), o, []string{"TERM=dumb"})
	closeStore, err := r.openStore()
	if err != nil {
		t.Fatal(err)
	}
	r.restore(context.Background())
	p := newPlain(r, &rows{out: s, width: func() int { return 0 }}, tty)
	go func() {
		defer close(s.done)
		p.loop(context.Background(), readLines(in), s.interrupts)
		r.leave()
		closeStore()
	}()
	t.Cleanup(func() {
		if s.in != nil {
			s.in.Close()
		}
		<-s.done
	})
	return s
}

// hears waits for words behind those it heard before.
func (s *speech) hears(words string) {
	s.Helper()
	for range patience {
		if i := strings.Index(s.text()[s.read:], words); i >= 0 {
			s.read += i + len(words)
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	s.Fatalf("never says %q after %q:\n%s", words, s.text()[:s.read], s.text())
}

func (s *speech) types(line string) { io.WriteString(s.in, line+"\n") }

func TestPlainConversation(t *testing.T) {
	s := startPlain(t, true, nil)
	s.hears("confab tiny answers, on CPU, 2 threads.")
	s.hears("you: ")
	s.types("Write a poem")
	s.hears("confab tiny: I hear the wide blue sea,\nIts waves")
	s.hears("hear and see.\nyou: ")
	s.types("/set parameter temperature 0.3")
	s.hears("temperature is 0.30\nyou: ")
	s.types("/sett")
	s.hears("did you mean /set?")
	s.hears("you: ")
	s.types("one\ntwo") // at once: a paste, one message
	s.hears("hear and see.\nyou: ")
	s.f.mu.Lock()
	last := s.f.asked[len(s.f.asked)-1]
	s.f.mu.Unlock()
	if got := last.Messages[len(last.Messages)-1].Content; got != "one\ntwo" {
		t.Errorf("the paste arrives as %q", got)
	}
	s.types("/help")
	s.hears("/regen: answer again")
	s.hears("you: ")
	s.types("/pool")
	s.hears("cells")
	s.types("/transcript")
	s.hears("you: Write a poem\n")
	s.types("/reload") // closes, then opens: one after the other
	s.hears("loading the model")
	s.hears("answers, on")
	s.types("/quit")
	<-s.done
	for _, c := range s.text() {
		if c < 0x20 && c != '\n' || c >= 0x2500 && c < 0x2600 {
			t.Fatalf("says %q in %q", c, s.text())
		}
	}
}

func TestPlainStopAndQueue(t *testing.T) {
	s := startPlain(t, true, nil, func(_ *Options, f *fake) { f.every = 30 * time.Millisecond })
	s.hears("you: ")
	s.types("Write a poem")
	s.hears("I hear")
	s.types("and another")
	s.hears("queued")
	s.interrupts <- os.Interrupt
	s.hears("stopped by you after")
	s.hears("confab tiny: ")
	s.hears("hear and see.\nyou: ")
	s.interrupts <- os.Interrupt
	s.hears("again quits")
	s.interrupts <- os.Interrupt
	<-s.done
}

func TestPlainThinkingAndErrors(t *testing.T) {
	s := startPlain(t, true, nil, func(_ *Options, f *fake) {
		f.script = func(r engine.Request) reply {
			if len(r.Messages) > 1 {
				return reply{text: "Half", reason: engine.ReasonError, err: errTest}
			}
			return reply{thinking: "secret ways", text: "\x1b[31mred", reason: engine.ReasonStop}
		}
	})
	s.hears("you: ")
	s.types("why")
	s.hears("confab tiny: thinking.\n␛[31mred\nyou: ")
	s.types("again")
	s.hears("Half\n(failed: " + errTest.Error() + ")")
	if strings.Contains(s.text(), "secret") {
		t.Error("the thoughts are read out")
	}
}

// TestPlainLists: a line of a list is chosen by its number.
func TestPlainLists(t *testing.T) {
	s := startPlain(t, true, nil, func(o *Options, _ *fake) { o.Models = func() []library.Model { return demoModels } })
	s.hears("you: ")
	s.types("/model")
	s.hears("1. the built-in model, in this program")
	s.hears("qwen3:8b, ollama, Q4_K_M, ")
	s.hears("you: ")
	s.types("99")
	s.hears("there is no line 99; there are 5.")
	s.types("2")
	s.hears("loading the model")
	s.hears("answers, on")
}

// TestPlainScript: a script's lines are a turn each, and its end ends the program.
func TestPlainScript(t *testing.T) {
	s := startPlain(t, false, strings.NewReader("first\n/seed 7\nsecond"))
	<-s.done
	if got := s.text(); strings.Count(got, "hear and see.") != 2 || !strings.Contains(got, "you: /seed 7\n") || !strings.Contains(got, "seed is 7") {
		t.Errorf("says\n%s", got)
	}
}

func TestPlainIsWanted(t *testing.T) {
	for term, want := range map[string]bool{"dumb": true, "xterm-256color": false, "": false} {
		if got := wantsPlain(&Options{}, []string{"TERM=" + term}); got != want {
			t.Errorf("TERM=%s: %v", term, got)
		}
	}
}
