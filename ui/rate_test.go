package ui

import (
	"strings"
	"testing"
	"time"

	"github.com/confab-tui/confab/engine"
)

// TestSpeedOfAContinuedAnswer: what an answer had before does not count as written in
// the time of what came since, before and after it was stored, and its tokens fill the
// context once.
func TestSpeedOfAContinuedAnswer(t *testing.T) {
	a := &answer{reason: engine.ReasonStop, first: 40, context: 1024}
	a.count(engine.StateEnded, engine.Counts{Prompt: 100, Generated: 11, Decode: time.Second})
	f := a.facts()
	for name, x := range map[string]*answer{"written": a, "stored": restoreAnswer(&f)} {
		if v := x.now(); v != 10 {
			t.Errorf("%s: 11 tokens, the last 10 of them in a second, make %g tokens a second", name, v)
		}
		if n := x.used(); n != 111 {
			t.Errorf("%s: a prompt of 100 tokens, 40 of the answer's among them, and 11 more fill %d", name, n)
		}
	}
	a.count(engine.StateEnded, engine.Counts{Generated: 1, Decode: time.Microsecond})
	if v := a.now(); v != 0 {
		t.Errorf("one token tells nothing of its speed, and %g is said", v)
	}
}

// TestBranchHasNoSpeedOfItsOwn: the header of a pane whose answer goes on from another
// token with one token tells no speed.
func TestBranchHasNoSpeedOfItsOwn(t *testing.T) {
	b := newBench(t, 120, 32)
	b.keys("alt+s")
	b.ask("Write a poem")
	b.f.script = func(engine.Request) reply { return reply{text: "!", reason: engine.ReasonStop} }
	b.keys("ctrl+t down enter")
	b.settle()
	if header := strings.Split(b.screen(), "\n")[3]; !strings.Contains(header, " tok") || strings.Contains(header, "/s") {
		t.Errorf("the headers say %q", header)
	}
}

func TestTokensASecond(t *testing.T) {
	for v, want := range map[float64]string{0: "-", 3.14159: "3.1", 999.9: "999.9", 999.96: "1,000", 12345.6: "12,346"} {
		if got := perSecond(v); got != want {
			t.Errorf("%g is written %q, want %q", v, got, want)
		}
	}
}
