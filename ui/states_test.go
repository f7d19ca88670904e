package ui

import (
	"context"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/engine"
	"github.com/confab-tui/confab/engine/chat"
)

func TestWaitingIsShown(t *testing.T) {
	b := newBench(t, 100, 30)
	b.f.script = func(engine.Request) reply {
		return reply{text: poem, reason: engine.ReasonStop, waitAt: 4, waitFor: time.Second}
	}
	b.write("go")
	b.keys("enter")
	b.frames(12)
	b.shows("⏸", "waiting for 96 cells")
	b.settle()
	b.hides("waiting for")
	b.shows("hear and see.")
}

func TestPasteChip(t *testing.T) {
	b := newBench(t, 100, 30)
	b.f.script = echo
	b.write("look: ")
	long := strings.Repeat("a line of it\n", 40)
	b.send(tea.PasteMsg{Content: long})
	b.shows("look: [pasted 40 lines]")
	b.keys("enter")
	b.settle()
	if got := b.f.asked[0].Messages[0].Content; got != strings.TrimRight("look: "+long, "\n") {
		t.Errorf("sent %q", got)
	}
	b.keys("home")
	b.shows("more lines")
}

func TestScrollStaysWhileStreaming(t *testing.T) {
	b := newBench(t, 80, 24)
	b.f.script = func(engine.Request) reply {
		return reply{text: strings.Repeat("line of text\n\n", 60), reason: engine.ReasonStop}
	}
	b.write("long")
	b.keys("enter")
	b.frames(60)
	b.keys("pgup pgup")
	before := strings.Split(b.screen(), "\n")
	b.frames(30)
	after := strings.Split(b.screen(), "\n")
	for y := 2; y < 15; y++ {
		if before[y] != after[y] {
			t.Fatalf("line %d moved from %q to %q", y, before[y], after[y])
		}
	}
	b.shows("more is being written below")
	b.keys("end")
	b.frames(5)
	if !b.r.pane().view.follow {
		t.Error("end does not follow again")
	}
	b.settle()
}

func TestThinkingFolds(t *testing.T) {
	b := newBench(t, 100, 30)
	b.f.script = func(engine.Request) reply {
		return reply{thinking: strings.Repeat("I think about it.\n", 20), text: "It is so.", reason: engine.ReasonStop}
	}
	b.write("why")
	b.keys("enter")
	b.frames(20)
	b.shows("▾ thinking", "│ I think about it.")
	b.settle()
	b.shows("▸ thought", "It is so.")
	b.hides("I think about it.")
	b.keys("tab space")
	b.shows("▾ thought", "I think about it.")
	b.keys("space")
	b.hides("I think about it.")
}

func TestTokensAndBranch(t *testing.T) {
	b := newBench(t, 120, 32)
	b.ask("poem")
	b.keys("ctrl+t")
	b.shows("Tokens", "perplexity", "token 29 of 29")
	b.keys("home l l j")
	b.shows("token 3 of 29")
	tok := b.r.pane().conv.last().answer.tokens.At(2)
	s := b.r.sheet.(*tokenSheet)
	alt := b.r.pane().conv.last().answer.others.of(tok)[s.alt]
	b.keys("enter")
	b.settle()
	req := b.f.asked[1]
	last := req.Messages[len(req.Messages)-1]
	if !last.Unfinished || len(last.Tokens) != 3 || last.Tokens[2] != alt.ID {
		t.Errorf("the branch was asked for with %+v, want token %d third", last, alt.ID)
	}
	b.shows("‹2/2›")
}

// TestTalkingPastACutAnswer: only the last message of a request may be
// unfinished.
func TestTalkingPastACutAnswer(t *testing.T) {
	b := newBench(t, 100, 30)
	b.write("Write a poem")
	b.keys("enter")
	b.frames(8)
	b.keys("esc")
	b.settle()
	b.ask("Something else")
	m := b.f.asked[1].Messages
	if len(m) != 3 || m[1].Role != chat.Assistant || m[1].Unfinished {
		t.Errorf("the request holds %+v", m)
	}
}

// TestCompareFromAChat: what was said before goes along, and the last prompt is
// asked again.
func TestCompareFromAChat(t *testing.T) {
	b := newBench(t, 200, 50)
	b.f.script = echo
	b.ask("one")
	b.ask("two")
	b.keys("alt+c")
	b.settle()
	if len(b.f.asked) != 6 {
		t.Fatalf("%d requests", len(b.f.asked))
	}
	for _, req := range b.f.asked[2:] {
		if len(req.Messages) != 3 || req.Messages[2].Content != "two" {
			t.Errorf("a pane was asked with %+v", req.Messages)
		}
	}
	if len(b.r.tabs[0].pane().conv.turns) != 4 {
		t.Error("comparing changed the chat that it came from")
	}
}

// TestPanesOutOfSight: a window too narrow for all panes shows those around the
// focus.
func TestPanesOutOfSight(t *testing.T) {
	b := newBench(t, 200, 50)
	for range 5 {
		b.keys("alt+s")
	}
	if n := len(b.r.tab().panes); n != 6 {
		t.Fatalf("%d panes", n)
	}
	b.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	exact(t, b, "six panes")
	b.shows(" 6  T 0.80")
	b.keys("tab 1")
	b.shows(" 1  T 0.80")
	b.hides(" 6  T 0.80")
	exact(t, b, "the first pane")
}

// TestFailedModel: the cure is shown, what was written waits, and another model
// can be chosen.
func TestFailedModel(t *testing.T) {
	b := newBench(t, 100, 30, func(o *Options, _ *fake) { o.Models = func() []modelFile { return demoModels } })
	b.r.back().loading = b.r.back().number
	b.r.back().engine = nil
	b.send(openedMsg{number: b.r.back().number, err: errTest})
	b.shows("lower engine.cells", "ctrl+o", "no model")
	b.write("hello")
	b.keys("enter")
	b.shows("queued · hello")
	b.keys("ctrl+o")
	b.write("llama3.2")
	b.keys("enter")
	b.settle()
	b.hides("lower engine.cells")
	if len(b.f.asked) != 1 {
		t.Errorf("%d requests after another model was opened", len(b.f.asked))
	}
}

// TestNotifiesWhenNobodyLooks: an answer that ends behind another window is told
// to the desktop, and is unread until the window is back.
func TestNotifiesWhenNobodyLooks(t *testing.T) {
	b := newBench(t, 100, 30)
	b.write("poem")
	b.keys("enter")
	b.send(tea.BlurMsg{})
	b.sent = nil
	b.settle()
	told := false
	for _, m := range b.sent {
		if raw, ok := m.(tea.RawMsg); ok && strings.Contains(raw.Msg.(string), "confab has answered: poem") {
			told = true
		}
	}
	if !told || !b.r.tab().unread() {
		t.Errorf("told: %v, unread: %v", told, b.r.tab().unread())
	}
	b.send(tea.FocusMsg{})
	if b.r.tab().unread() {
		t.Error("it is unread in front of the person")
	}
}

// TestBackToTheModelBefore: a model that does not open leaves nobody without one.
func TestBackToTheModelBefore(t *testing.T) {
	broken := true
	b := newBench(t, 100, 30, func(o *Options, f *fake) {
		o.Open = func(_ context.Context, c engine.Config, _ func(engine.Progress)) (Engine, error) {
			if c.Model != "" && broken {
				return nil, errTest
			}
			return f, nil
		}
	})
	b.runCommand("/model " + modelFileAt(t, "big.gguf"))
	b.shows("lower engine.cells", "going back", "confab tiny Q8_0")
	b.ask("still there?")
	b.shows("hear and see.")
}

var errTest = engineError("needs 21.4 GiB, 18.9 free: lower engine.cells to 90000")

type engineError string

func (e engineError) Error() string { return string(e) }
