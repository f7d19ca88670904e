package ui

import (
	"testing"

	"github.com/confab-tui/confab/engine"
)

// TestFullContext: a chat that is full says so with its numbers and what can be done,
// and /drop on does it.
func TestFullContext(t *testing.T) {
	b := newBench(t, 120, 32)
	b.f.info.Context = 64
	b.f.script = func(engine.Request) reply { return reply{text: "a b c", reason: engine.ReasonContext} }
	b.ask("one two three")
	b.shows("the context is full: 10 tokens · /drop on leaves out old turns, or /new", "The context is full")
	b.hides("enter to continue")
	b.keys("enter")
	b.settle()
	b.shows("the context is full: ")
	b.runCommand("/drop maybe")
	b.shows("write /drop on or /drop off")
	b.keys("ctrl+u")
	b.runCommand("/drop on")
	b.shows("a full chat goes on without its oldest turns", "enter to continue")
	b.ask("four")
	b.shows("the context is full: 24 tokens · the next message leaves out old turns, or /new")
	if n := len(b.f.asked); n == 0 || !b.f.asked[n-1].DropOldest || b.f.asked[0].DropOldest {
		t.Error("the engine was not told to leave out old turns, or was before")
	}
	b.runCommand("/drop off")
	b.ask("five")
	if b.f.asked[len(b.f.asked)-1].DropOldest {
		t.Error("old turns are left out though nobody wants it")
	}
	b.f.info.Context, b.r.back().info.Context = 8, 8
	b.ask("six")
	b.shows("tokens, and the context holds 8 · /drop on leaves out old turns, or /new")
	b.runCommand("/drop on")
	b.ask("seven")
	b.shows("tokens, and the context holds 8 · only a shorter message fits")
	b.runCommand("/drop off")
	b.keys("ctrl+n")
	b.ask("a first message that is too long for so small a context")
	b.shows("tokens, and the context holds 8 · only a shorter message fits")
	b.runCommand("/drop on")
	b.ask("five")
	before := b.screen()
	stored, err := b.r.store.Load(t.Context(), b.r.pane().conv.chat.ID)
	if err != nil {
		t.Fatal(err)
	}
	p := b.r.pane()
	p.conv = newConversation(stored) // as after another start
	p.view.c = p.conv
	if after := b.screen(); after != before {
		t.Errorf("after another start the screen is\n%s\nbefore\n%s", after, before)
	}
}
