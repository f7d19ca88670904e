package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/engine"
	"github.com/confab-tui/confab/engine/chat"
)

func TestAskAndAnswer(t *testing.T) {
	b := newBench(t, 100, 30)
	b.shows("confab tiny answers here", "ctrl+o", "? help")
	b.write("Write a poem")
	b.keys("enter")
	b.frames(1)
	b.shows("◐ Write a poem", "reading")
	b.frames(8)
	b.shows("I hear the", "▌")
	b.settle()
	b.shows("There is so much to hear and see.", "● Write a poem", "cached")
	b.hides("▌")
	if b.ticks != 0 {
		t.Errorf("%d ticks are pending while nothing streams", b.ticks)
	}
}

func TestKnobTurnsWhileStreaming(t *testing.T) {
	b := newBench(t, 120, 32)
	b.write("Write a poem")
	b.keys("enter ctrl+k")
	b.frames(10)
	b.keys("H l")
	s := b.f.streams[0]
	if len(s.sets) != 2 || s.sets[1].Temperature != 0.6 {
		t.Fatalf("Set was called with %v", s.sets)
	}
	b.shows("live", "0.60")
	b.settle()
	b.shows("T↓", "chat")
	a := b.r.pane().conv.last().answer
	if len(a.changes) != 1 || a.changes[0].Sampling.Temperature != 0.6 {
		t.Errorf("the answer's log is %v", a.changes)
	}
	b.keys("esc tab")
	for range 5 {
		if strings.Contains(b.screen(), "temperature 0.80 → 0.60 at token") {
			break
		}
		b.keys("k")
	}
	b.shows("temperature 0.80 → 0.60 at token")
	facts := b.r.pane().conv.last().m.Facts
	if facts == nil || len(facts.Changes) != 1 || facts.Reason != "stop" {
		t.Errorf("the stored facts are %+v", facts)
	}
}

func TestStopAndContinue(t *testing.T) {
	b := newBench(t, 100, 30)
	b.write("Write a poem")
	b.keys("enter")
	b.frames(8)
	b.keys("esc")
	b.settle()
	b.shows("stopped by you after", "enter to continue")
	before := b.r.pane().conv.last()
	had := before.plain()
	b.keys("enter")
	b.settle()
	req := b.f.asked[1]
	last := req.Messages[len(req.Messages)-1]
	if !last.Unfinished || last.Role != chat.Assistant || len(last.Tokens) == 0 {
		t.Errorf("the request to continue ends in %+v", last)
	}
	if got := b.r.pane().conv.last().plain(); !strings.HasPrefix(got, had) || len(got) <= len(had) {
		t.Errorf("%q was continued as %q", had, got)
	}
}

func TestRegenerateKeepsBoth(t *testing.T) {
	b := newBench(t, 100, 30)
	n := 0
	b.f.script = func(engine.Request) reply {
		n++
		return reply{text: "Answer number " + group(n) + ".", reason: engine.ReasonStop}
	}
	b.ask("Well?")
	b.keys("ctrl+r")
	b.settle()
	b.shows("Answer number 2.", "‹2/2›")
	b.keys("left")
	b.shows("Answer number 1.", "‹1/2›")
	b.keys("right")
	b.shows("Answer number 2.")
}

func TestEditLastMessage(t *testing.T) {
	b := newBench(t, 100, 30)
	b.f.script = echo
	b.ask("frist")
	b.keys("up")
	b.shows("enter answers anew")
	b.keys("backspace backspace backspace backspace")
	b.write("irst")
	b.keys("enter")
	b.settle()
	b.shows("  first", "‹2/2›")
	b.hides("  frist\n")
	if n := len(b.f.asked[1].Messages); n != 1 {
		t.Errorf("the edited message was sent with %d messages", n)
	}
}

func TestHistoryRecall(t *testing.T) {
	b := newBench(t, 100, 30)
	b.ask("one")
	b.ask("two")
	b.keys("up up")
	if got := b.r.pane().input.value(); got != "one" {
		t.Errorf("twice up gave %q", got)
	}
	b.keys("down down")
	b.write("x")
	if got := b.r.pane().input.value(); got != "x" {
		t.Errorf("back down gave %q", got)
	}
}

func TestQueueWhileStreaming(t *testing.T) {
	b := newBench(t, 100, 30)
	b.f.script = echo
	b.write("first")
	b.keys("enter")
	b.frames(2)
	b.write("second")
	b.keys("enter")
	b.shows("queued · second")
	b.settle()
	if len(b.f.asked) != 2 || len(b.f.asked[1].Messages) != 3 {
		t.Fatalf("%d requests", len(b.f.asked))
	}
	b.hides("queued")
}

func TestSentBeforeTheModelIsThere(t *testing.T) {
	b := newBench(t, 100, 30)
	b.r.back().engine, b.r.back().loading = nil, b.r.back().number
	b.write("early")
	b.keys("enter")
	b.shows("queued · early")
	b.send(openedMsg{number: b.r.back().number, engine: b.f})
	b.settle()
	if len(b.f.asked) != 1 {
		t.Errorf("%d requests after the model was loaded", len(b.f.asked))
	}
}

// What is queued comes back in front of what is written meanwhile.
func TestQueuedComesBack(t *testing.T) {
	b := newBench(t, 100, 30)
	b.r.back().engine, b.r.back().loading = nil, b.r.back().number
	b.write("early")
	b.keys("enter")
	b.write("more")
	b.keys("esc")
	b.hides("queued")
	if got := b.r.pane().input.value(); got != "early\n\nmore" {
		t.Errorf("esc leaves %q to be sent", got)
	}
}

func TestBroadcastSharesTheDice(t *testing.T) {
	b := newBench(t, 200, 50)
	b.write("Capital of Japan?")
	b.keys("alt+c")
	b.settle()
	if len(b.f.asked) != 4 {
		t.Fatalf("%d requests", len(b.f.asked))
	}
	for i, want := range []float32{0, 0.4, 0.8, 1.2} {
		if got := b.f.asked[i].Sampling; got.Temperature != want || got.Seed != b.f.asked[0].Sampling.Seed || got.Seed < 0 {
			t.Errorf("pane %d was asked with temperature %v and seed %d", i, got.Temperature, got.Seed)
		}
	}
	b.shows("to 4 panes", "T 0.00", "T 1.20")
	b.keys("alt+a")
	b.hides("to 4 panes")
	b.keys("tab 3")
	if b.r.tab().focus != 2 {
		t.Errorf("3 focused pane %d", b.r.tab().focus)
	}
	b.keys("o")
	if n := len(b.r.tab().panes); n != 1 {
		t.Errorf("%d panes after o", n)
	}
	b.keys("alt+z")
	if n := len(b.r.tab().panes); n != 4 {
		t.Errorf("%d panes after undo", n)
	}
}

func TestTabs(t *testing.T) {
	b := newBench(t, 100, 30)
	b.ask("one")
	b.keys("ctrl+n")
	b.ask("two")
	b.keys("ctrl+n")
	if len(b.r.tabs) != 3 || b.r.active != 2 {
		t.Fatalf("%d tabs, %d active", len(b.r.tabs), b.r.active)
	}
	b.keys("alt+1")
	b.shows("● one")
	b.keys("ctrl+pgdown alt+.")
	if b.r.tabs[2].title() != "two" {
		t.Errorf("moving gave %q last", b.r.tabs[2].title())
	}
	b.keys("ctrl+w")
	if len(b.r.tabs) != 2 {
		t.Errorf("%d tabs after closing", len(b.r.tabs))
	}
	b.shows("alt+z brings it back")
	b.keys("alt+z")
	b.shows("● two")
	b.keys("f2 ctrl+u")
	b.write("renamed")
	b.keys("enter")
	b.shows("● renamed")
	b.write("some words")
	b.keys("ctrl+w ctrl+w ctrl+w ctrl+w")
	if len(b.r.tabs) != 3 {
		t.Errorf("deleting words closed the tab")
	}
}

func TestUnreadMark(t *testing.T) {
	b := newBench(t, 100, 30)
	b.write("one")
	b.keys("enter ctrl+n")
	b.settle()
	if !b.r.tabs[0].unread() {
		t.Error("an answer that ended out of sight is not unread")
	}
	b.keys("alt+1")
	if b.r.tabs[0].unread() {
		t.Error("a chat in sight is unread")
	}
}

func TestCommands(t *testing.T) {
	b := newBench(t, 100, 30)
	b.write("/forks")
	b.keys("esc enter")
	b.shows("there is no command /forks", "did you mean /fork?")
	if b.r.pane().input.value() != "/forks" {
		t.Error("the draft of an unknown command is gone")
	}
	b.keys("ctrl+u")
	b.write("/set parameter temperature 0.35")
	b.keys("enter")
	if v, from := b.r.pane().conv.layers.get(b.r.base(), knobTemperature); v != 0.35 || from != fromChat {
		t.Errorf("temperature %v from %v", v, from)
	}
	b.write("/set parameter top_p 7")
	b.keys("enter")
	b.shows("top_p goes from 0 to 1, not 7")
	b.keys("ctrl+u")
	b.write("/clearly this is no command")
	b.keys("enter")
	b.shows("there is no command /clearly")
	b.keys("ctrl+u")
	b.send(tea.PasteMsg{Content: "/quit"})
	b.keys("enter")
	b.settle()
	if len(b.f.asked) != 1 || b.f.asked[0].Messages[0].Content != "/quit" {
		t.Error("a pasted slash was taken for a command")
	}
	b.write("//quit")
	b.keys("enter")
	b.settle()
	if m := b.f.asked[1].Messages; m[len(m)-1].Content != "/quit" {
		t.Errorf("two slashes sent %q", m[len(m)-1].Content)
	}
}

func TestCompletion(t *testing.T) {
	b := newBench(t, 100, 30)
	b.write("/pre")
	b.shows("/preset NAME")
	b.keys("enter")
	b.shows("neutral")
	b.keys("down enter")
	if b.r.pane().input.value() != "" && b.r.pane().conv.layers.preset != "neutral" {
		b.keys("enter")
	}
	if got := b.r.pane().conv.layers.preset; got != "neutral" {
		t.Errorf("the preset is %q:\n%s", got, b.screen())
	}
}

func TestQuit(t *testing.T) {
	b := newBench(t, 100, 30)
	quit := func() bool {
		for _, m := range b.sent {
			if _, ok := m.(tea.QuitMsg); ok {
				return true
			}
		}
		return false
	}
	b.write("draft")
	b.keys("ctrl+c")
	if !b.r.pane().input.empty() || quit() {
		t.Error("the first ctrl+c does not clear the input")
	}
	b.keys("ctrl+c")
	b.shows("ctrl+c again quits")
	b.keys("ctrl+c")
	if !quit() {
		t.Error("twice ctrl+c does not quit")
	}
	b.sent = nil
	b.keys("ctrl+d")
	if !quit() {
		t.Error("ctrl+d does not quit")
	}
}

// TestEditAnAnswerAndContinue: words can be put into the model's mouth, and it goes
// on from there.
func TestEditAnAnswerAndContinue(t *testing.T) {
	b := newBench(t, 100, 30)
	b.ask("Write a poem")
	b.keys("tab e ctrl+a ctrl+a")
	b.write("Roses are")
	b.keys("enter")
	b.shows("‹2/2›", "enter to continue the answer")
	b.keys("enter")
	b.settle()
	req := b.f.asked[1]
	if last := req.Messages[len(req.Messages)-1]; !last.Unfinished || last.Content != "Roses are" {
		t.Errorf("the request to continue ends in %+v", last)
	}
	b.shows("Roses are")
}
