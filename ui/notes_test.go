package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// TestNotes: an answer that ends while nobody looks is told in the way that the terminal
// takes, and only then.
func TestNotes(t *testing.T) {
	for n, want := range map[notes]string{
		notesNone: "", notes9: "\x1b]9;confab has answered: one; two\x07",
		notes777: "\x1b]777;notify;confab;confab has answered: one, two\x07", notesBell: "\a",
	} {
		b := newBench(t, 80, 24)
		b.r.term.notes = n
		told := func() (all string) {
			for _, m := range b.sent {
				if raw, ok := m.(tea.RawMsg); ok && !strings.Contains(raw.Msg.(string), "\x1b]1") { // but for colours
					all += raw.Msg.(string)
				}
			}
			b.sent = nil
			return all
		}
		b.ask("one; two")
		if got := told(); got != "" {
			t.Errorf("who looks at it is told %q", got)
		}
		b.send(tea.BlurMsg{})
		b.ask("three")
		if got := told(); got != want {
			t.Errorf("who looks elsewhere is told %q, want %q", got, want)
		}
	}
}
