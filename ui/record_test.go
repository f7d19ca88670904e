package ui

import (
	"slices"
	"strings"
	"testing"

	"github.com/confab-tui/confab/engine"
)

// again is the program started anew on the same disk.
func (b *bench) again(w, h int) *bench {
	b.Helper()
	b.r.remember()
	if err := b.r.store.Flush(b.r.ctx); err != nil {
		b.Fatal(err)
	}
	dir := b.r.options.DataDir
	return newBench(b.TB, w, h, func(o *Options, f *fake) {
		o.DataDir = dir
		f.script, f.info = b.f.script, b.f.info
	})
}

func onDisk(t *testing.T) func(*Options, *fake) {
	dir := t.TempDir()
	return func(o *Options, _ *fake) { o.DataDir = dir }
}

// TestTokensAfterARestart: the odds of an answer, and where its knobs were
// turned, are there again, and a branch begins where it should.
func TestTokensAfterARestart(t *testing.T) {
	b := newBench(t, 120, 32, onDisk(t))
	b.f.script = func(engine.Request) reply {
		return reply{thinking: "Let me see.\n", text: poem, reason: engine.ReasonStop}
	}
	b.write("poem")
	b.keys("enter ctrl+k")
	b.frames(12)
	b.keys("H")
	b.settle()
	was := b.r.pane().conv.last()
	text := b.screen()
	b = b.again(120, 32)
	b.keys("ctrl+k esc esc")
	now := b.r.pane().conv.last()
	now.recall()
	if now.answer.tokens.Len() != was.answer.tokens.Len() || now.answer.lead != 0 {
		t.Fatalf("%d tokens came back, lead %d; there were %d", now.answer.tokens.Len(), now.answer.lead, was.answer.tokens.Len())
	}
	for i, a := range now.answer.tokens.All() {
		c := was.answer.tokens.At(i)
		if a.id != c.id || a.start != c.start || a.end != c.end || a.thinking != c.thinking || !slices.EqualFunc(now.answer.others.of(a), was.answer.others.of(c), sameWord) {
			t.Fatalf("token %d came back as %+v, was %+v", i, a, c)
		}
	}
	at := func(s string) string {
		for _, l := range strings.Split(s, "\n") {
			if strings.Contains(l, "T↓") {
				return l[:20]
			}
		}
		return ""
	}
	if got, want := at(b.screen()), at(text); got != want || got == "" {
		t.Errorf("the mark of the knob stands at %q, stood at %q", got, want)
	}
	b.keys("ctrl+t home")
	b.shows("perplexity", "token 5 of 33", "▎")
	b.keys("l l j enter")
	b.settle()
	m := b.f.asked[0].Messages
	last := m[len(m)-1]
	if len(last.Tokens) != 7 || !last.Unfinished || last.Tokens[5] != was.answer.tokens.At(5).id {
		t.Errorf("the branch was asked for with %d tokens", len(last.Tokens))
	}
	if got := b.r.pane().conv.last().answer.given; got != 7 {
		t.Errorf("%d tokens of the branch count as given, want 7", got)
	}
}

// TestContinuedAnswersCount: tokens of a continued answer come on top of those
// before, also after a restart and behind words that a person wrote.
func TestContinuedAnswersCount(t *testing.T) {
	b := newBench(t, 100, 30, onDisk(t))
	b.write("poem")
	b.keys("enter")
	b.frames(8)
	b.keys("esc")
	b.settle()
	cut := b.r.pane().conv.last().answer.tokens.Len()
	b = b.again(100, 30)
	b.keys("enter")
	b.settle()
	a := b.r.pane().conv.last().answer
	if a.tokens.Len() != cut+29 || a.counts.Generated != cut+29 || a.lead != 0 || a.tokens.At(cut).start != a.tokens.At(cut-1).end {
		t.Errorf("%d tokens, %d counted, lead %d: %d were there and 29 came", a.tokens.Len(), a.counts.Generated, a.lead, cut)
	}
	b.r.pane().conv.edit(b.r.pane().conv.last(), "Once upon")
	tn := b.r.pane().conv.last()
	tn.m.Unfinished = true
	b.run(b.r.goOn(b.r.pane(), tn))
	b.settle()
	a = b.r.pane().conv.last().answer
	if got := tn.doc.Source()[a.tokens.At(0).start:a.tokens.At(0).end]; got != "I" || tn.doc.Source()[:a.tokens.At(0).start] != "Once upon" {
		t.Errorf("the first token behind a person's words is %q", got)
	}
}

func sameWord(a, b engine.Alternative) bool { return a.ID == b.ID }
