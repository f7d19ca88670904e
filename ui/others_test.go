package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// TestTwoOnOneChat: what another confab adds to a chat that is open in both is shown when
// the person comes back to this one, or presses a key here; a draft stays.
func TestTwoOnOneChat(t *testing.T) {
	dir := t.TempDir()
	at := func(o *Options, _ *fake) { o.DataDir = dir }
	a := newBench(t, 100, 30, at)
	flush := func(b *bench) {
		t.Helper()
		if err := b.r.store.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	a.ask("the first question")
	flush(a)
	b := newBench(t, 100, 30, at)
	b.shows("the first question", "I hear the wide blue sea")
	b.write("my draft")
	a.ask("the second question")
	flush(a)
	b.hides("the second question")
	b.send(tea.FocusMsg{})
	b.shows("the second question", "another confab has added 2 messages", "my draft")
	a.ask("the third question")
	flush(a)
	b.write("s")
	b.hides("the third question")
	b.clock.add(lookAgain)
	b.write("!")
	b.shows("the third question", "my drafts!")
	b.keys("enter")
	b.settle()
	flush(b)
	a.send(tea.FocusMsg{})
	a.shows("my drafts!")
	if got := strings.Join(said(a), "|"); got != strings.Join(said(b), "|") || len(said(a)) != 8 {
		t.Errorf("the one has %q, the other %q", got, said(b))
	}
}

func said(b *bench) (all []string) {
	for _, t := range b.r.pane().conv.turns {
		all = append(all, t.m.Content)
	}
	return all
}
