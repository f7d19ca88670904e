package ui

import (
	"strings"
	"testing"

	"github.com/confab-tui/confab/engine"
	"github.com/confab-tui/confab/ui/store"
)

// TestFindLooksThroughFoldsAndLineEnds: what is folded, or broken over two lines, is in
// the chat, and is found.
func TestFindLooksThroughFoldsAndLineEnds(t *testing.T) {
	b := newBench(t, 80, 30)
	b.f.script = func(engine.Request) reply {
		return reply{thinking: "a secret zebra", text: strings.Repeat("word ", 14) + "north wind, " + strings.Repeat("漢字", 38) + "と風", reason: engine.ReasonStop}
	}
	b.r.pane().input.set(strings.Repeat("a line\n", 30) + "the needle")
	b.keys("enter")
	b.settle()
	find := func(term string) {
		b.keys("ctrl+f ctrl+u")
		b.write(term)
		b.keys("enter")
	}
	find("zebra")
	b.shows(`line 1 of 1 with "zebra" · folded: space opens it`)
	b.keys("space n")
	b.shows("a secret zebra", `line 1 of 1 with "zebra"`)
	b.hides("folded: ")
	find("needle")
	b.shows(`line 1 of 1 with "needle" · folded`)
	for i, broken := range []string{"word north wind", "漢字漢字と風"} {
		if strings.Contains(b.screen(), broken) {
			t.Fatalf("%d: %q stands on one line", i, broken)
		}
		find(broken)
		b.shows(`line 1 of 1 with "` + broken + `"`)
	}
	find("word word")
	b.hides("not in this chat")
	find(`an "owl" 👩‍👧`)
	b.shows(`"an "owl" 👩‍👧" is not in this chat`)
}

// TestFoundInAllChats: a chat that a search found opens where it was found, in the
// version that has it, whatever the case and accents; what was looked for is marked, and
// n goes on from there.
func TestFoundInAllChats(t *testing.T) {
	b := newBench(t, 100, 24)
	n := 0
	b.f.script = func(engine.Request) reply {
		n++
		text := "an answer without it"
		if n == 1 || n == 5 {
			text = "the Café du Théâtre " + strings.Repeat("and more ", 20)
		}
		return reply{text: text, reason: engine.ReasonStop}
	}
	b.ask("first")
	b.keys("ctrl+r")
	b.settle()
	for range 6 {
		b.ask(strings.Repeat("a line of the talk\n", 6))
	}
	search := func(words string) {
		b.keys("ctrl+n ctrl+s")
		b.write(words)
		b.keys("enter")
	}
	search("cafe du the")
	if v := &b.r.pane().view; v.cursor.turn != 7 || !v.reading {
		t.Errorf("the cursor is in turn %d", v.cursor.turn)
	}
	b.shows("the Café du Théâtre", `line 1 of 1 with "cafe du the"`)
	if s := b.r.View().Content; !strings.Contains(s, b.r.th.selected.draw("Café du Thé")) {
		t.Errorf("what was found is not marked: %q", s)
	}
	b.keys("esc")
	first := b.r.pane().conv.turns[1]
	b.r.openChat(b.r.pane().conv.chat.ID, target{firstVersion(b.r.pane().conv, first), "theatre more"})
	b.shows("first", "‹1/2›", "the Café du Théâtre", `line 1 of 1 with "theatre"`)
}

// firstVersion is the message that a turn stands beside.
func firstVersion(c *conversation, t *turn) store.ID {
	ids, _ := c.chat.Versions(t.m.ID)
	return ids[0]
}

// TestFindFolds: find in a chat takes letters of either case, with or without accents,
// for the same, as the search over all chats does.
func TestFindFolds(t *testing.T) {
	b := newBench(t, 80, 24)
	b.f.script = func(engine.Request) reply {
		return reply{text: "a NAÏVE idea", reason: engine.ReasonStop}
	}
	b.ask("go")
	b.keys("ctrl+f")
	b.write("naive")
	b.keys("enter")
	b.shows(`line 1 of 1 with "naive"`)
	if s := b.r.View().Content; !strings.Contains(s, b.r.th.selected.draw("NAÏVE")) {
		t.Error("what was found is not marked")
	}
}

// TestFindCommand: /find looks in the chat, and asks where nothing stands behind it.
func TestFindCommand(t *testing.T) {
	b := newBench(t, 80, 24)
	b.ask("go")
	b.runCommand("/find THE WIDE")
	b.shows(`line 1 of 1 with "THE WIDE"`)
	b.keys("esc")
	b.runCommand("/find zebra")
	b.shows("/find zebra", `"zebra" is not in this chat`)
	b.keys("ctrl+u")
	b.runCommand("/find")
	b.shows("find ", "enter find")
	s := startPlain(t, true, nil)
	s.hears("you: ")
	s.types("hello")
	s.hears("hear and see.\nyou: ")
	s.types("/find waves")
	s.hears("confab tiny: Its waves are calling me,\nyou: ")
	s.types("/find zebra")
	s.hears(`"zebra" is not in this chat`)
}
