package ui

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/confab-tui/confab/engine"
	"github.com/confab-tui/confab/ui/screen"
)

// TestTerminals runs the program as it would on each terminal: consoles get no
// operating system commands, terminals without UTF-8 get nothing but ASCII.
func TestTerminals(t *testing.T) {
	for _, c := range []struct {
		env              []string
		commands, unicod bool
	}{
		{[]string{"TERM=xterm-256color", "LANG=C.UTF-8"}, true, true},
		{[]string{"TERM=tmux-256color", "TMUX=/tmp/t,1,0", "LANG=en_GB.UTF-8"}, true, true},
		{[]string{"TERM=screen", "LANG=en_GB.UTF-8"}, true, true},
		{[]string{"TERM=xterm-256color", "LANG=C"}, true, false},
		{[]string{"TERM=xterm", "LC_ALL=POSIX", "LANG=de_DE.UTF-8"}, true, false},
		{[]string{"TERM=vt100", "LANG=C"}, false, false},
		{[]string{"TERM=linux", "LANG=C.UTF-8"}, false, false},
	} {
		term, in := newTerminal(100, 30)
		var ours bytes.Buffer
		f := newFake(&clock{})
		f.every = time.Microsecond
		f.script = answerWith("- one\n\n> two\n\n---\n" + demoMarkdown)
		r := newRoot(context.Background(), Options{Open: f.open}, c.env)
		closeStore, err := r.openStore()
		if err != nil {
			t.Fatal(err)
		}
		r.restore(context.Background())
		done := make(chan error, 1)
		go func() {
			done <- screen.Run(context.Background(), r, screen.Options{In: in, Out: io.MultiWriter(term, &ours), Env: c.env,
				Profile: colorprofile.Env(c.env), Width: 100, Height: 30})
		}()
		term.waitFor(t, "answers here")
		io.WriteString(term.keys, "Write a poem\r")
		term.waitFor(t, "fewer words")
		io.WriteString(term.keys, "\x04")
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		r.leave()
		closeStore()
		raw := ours.String()
		if strings.Contains(raw, "\x1b]") != c.commands {
			i := strings.Index(raw, "\x1b]")
			t.Errorf("%v: operating system commands are written: %v: %q", c.env, !c.commands, raw[max(i, 0):min(max(i, 0)+40, len(raw))])
		}
		for _, x := range raw {
			if x >= 0x80 && !c.unicod {
				t.Errorf("%v: writes %q", c.env, x)
				break
			}
		}
		if !strings.Contains(raw, "\x1b[?1049l") || !strings.Contains(raw, "\x1b[?25h") {
			t.Errorf("%v: the screen is not given back", c.env)
		}
	}
}

func TestAbilities(t *testing.T) {
	for _, c := range []struct {
		env  string
		want ability
	}{
		{"TERM=xterm-256color", ability{strings: true, clipboard: true, notes: notes9, name: "xterm-256color"}},
		{"TERM=xterm-ghostty", ability{strings: true, clipboard: true, notes: notes9, progress: true, name: "xterm-ghostty"}},
		{"TERM=screen TERM_PROGRAM=iTerm.app", ability{strings: true, notes: notesBell, name: "screen"}},
		{"TERM=screen TMUX=x", ability{strings: true, clipboard: true, notes: notesBell, name: "screen"}},
		{"TERM=tmux-256color TMUX=x TERM_PROGRAM=ghostty VTE_VERSION=1", ability{strings: true, clipboard: true, notes: notesBell, name: "tmux-256color"}},
		{"TERM=xterm-256color VTE_VERSION=7600", ability{strings: true, clipboard: true, notes: notes777, name: "xterm-256color"}},
		{"TERM=foot", ability{strings: true, clipboard: true, notes: notes777, name: "foot"}},
		{"TERM=vt220", ability{name: "vt220"}}, {"TERM=linux", ability{name: "linux"}}, {"", ability{}},
		{"TERM=vte-256color", ability{strings: true, clipboard: true, notes: notes777, name: "vte-256color"}},
	} {
		if got := abilityOf(strings.Fields(c.env)); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.env, got, c.want)
		}
	}
}

func answerWith(s string) func(engine.Request) reply {
	return func(engine.Request) reply { return reply{text: s, reason: engine.ReasonStop} }
}

// TestProgressBar: a prompt that is being read shows how far it is; who looks
// elsewhere sees that an answer is written.
func TestProgressBar(t *testing.T) {
	b := newBench(t, 100, 30)
	b.r.term.progress = true
	bar := func() *tea.ProgressBar { return b.r.View().ProgressBar }
	b.write("go")
	b.keys("enter")
	b.frames(2)
	if bar() != nil {
		t.Errorf("a short prompt shows %+v", bar())
	}
	a := b.r.pane().conv.live.answer
	a.counts.Prompt, a.counts.Cached, a.counts.Evaluated = 4000, 500, 500
	b.r.pane().conv.live.touch()
	b.shows("reading 4,000 tokens · 25 %")
	if p := bar(); p == nil || p.Value != 25 {
		t.Errorf("while it reads, the bar is %+v", p)
	}
	b.send(tea.BlurMsg{})
	b.frames(8)
	if p := bar(); p == nil || p.State != tea.ProgressBarIndeterminate {
		t.Errorf("while it answers unseen, the bar is %+v", p)
	}
	b.settle()
	if bar() != nil {
		t.Error("the bar stays")
	}
}
