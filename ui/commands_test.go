package ui

import (
	"encoding/base64"
	"os"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/engine"
	"github.com/confab-tui/confab/engine/chat"
)

// run types a command and presses enter.
func (b *bench) runCommand(line string) {
	b.Helper()
	b.write(line)
	b.keys("esc") // the offers
	b.keys("enter")
}

func TestChatCommands(t *testing.T) {
	b := newBench(t, 120, 32)
	b.f.script = echo
	b.ask("one")
	b.ask("two")
	b.runCommand("/undo")
	if n := len(b.r.pane().conv.turns); n != 2 {
		t.Errorf("%d messages after /undo", n)
	}
	b.keys("alt+z")
	b.runCommand("/undo 9")
	b.shows("this chat has 2 turns to take back")
	b.keys("ctrl+u")
	b.runCommand("/rename A new name")
	b.shows("● A new name")
	b.runCommand("/system Be brief.")
	b.ask("three")
	if m := b.f.asked[2].Messages; m[0].Role != "system" || m[0].Content != "Be brief." {
		t.Errorf("the request begins with %+v", m[0])
	}
	b.keys("home")
	b.shows("system · Be brief.")
	b.runCommand("/system none")
	b.runCommand("/seed 42")
	b.ask("four")
	if got := b.f.asked[3].Sampling.Seed; got != 42 {
		t.Errorf("seed %d was asked for", got)
	}
	b.runCommand("/seed random")
	b.runCommand("/think off")
	b.ask("five")
	if th := b.f.asked[4].Think; th == nil || *th {
		t.Errorf("think is %v", th)
	}
	b.runCommand("/think maybe")
	b.shows("write /think on, off or auto")
	b.keys("ctrl+u")
	b.runCommand("/continue")
	b.shows("nothing to continue")
	b.keys("ctrl+u")
	b.runCommand("/set parameter volume 11")
	b.shows(`there is no parameter "volume"`)
	b.keys("ctrl+u")
	b.runCommand("/clear")
	if n := len(b.r.pane().conv.turns); n != 0 {
		t.Errorf("%d messages after /clear", n)
	}
	b.keys("alt+z")
	b.runCommand("/fork")
	if len(b.r.tabs) != 2 || len(b.r.pane().conv.turns) != 10 {
		t.Errorf("%d tabs, %d messages in the fork", len(b.r.tabs), len(b.r.pane().conv.turns))
	}
	b.shows("A new name · copy")
	b.runCommand("/reload")
	b.shows("confab tiny Q8_0")
}

func TestCopyCommands(t *testing.T) {
	b := newBench(t, 120, 32)
	b.f.script = func(engine.Request) reply {
		return reply{text: "Two:\n\n```\nfirst\n```\n\n```\nsecond\n```\n", reason: engine.ReasonStop}
	}
	b.ask("code")
	copied := func() string {
		for _, m := range b.sent {
			if s, ok := clipboardOf(m); ok {
				return s
			}
		}
		return ""
	}
	for _, want := range []string{"first", "second", "first"} {
		b.sent = nil
		b.runCommand("/copy code")
		if got := copied(); got != want {
			t.Errorf("copied %q, want %q", got, want)
		}
	}
	b.shows("code block 1 of 2")
	b.runCommand("/copy cod")
	b.shows("write /copy or /copy code")
	b.keys("ctrl+u")
	b.sent = nil
	b.keys("tab y")
	if got := copied(); !strings.HasPrefix(got, "Two:") {
		t.Errorf("y copied %q", got)
	}
}

// clipboardOf is the text that a message gives to the terminal's clipboard.
func clipboardOf(m tea.Msg) (string, bool) {
	raw, ok := m.(tea.RawMsg)
	if !ok {
		return "", false
	}
	coded, ok := strings.CutPrefix(raw.Msg.(string), "\x1b]52;c;")
	text, err := base64.StdEncoding.DecodeString(strings.TrimSuffix(coded, "\x07"))
	return string(text), ok && err == nil
}

func TestHistoryList(t *testing.T) {
	b := newBench(t, 120, 32)
	b.ask("first of all")
	b.keys("ctrl+n")
	b.ask("second to none")
	b.keys("ctrl+w ctrl+s")
	b.shows("first of all", "second to none")
	b.write("none")
	b.hides("▎ ○ first of all", "  ○ first of all")
	b.keys("enter")
	b.shows("● second to none")
	b.keys("ctrl+s")
	b.write("hear and see")
	b.shows("second to none", "hear")
	b.keys("ctrl+u")
	b.write("first")
	b.keys("alt+p")
	b.shows("◆ first of all")
	b.keys("ctrl+d")
	b.hides("◆ first of all")
	b.shows("alt+z brings it back")
	b.keys("alt+z")
	b.shows("first of all")
	b.keys("esc")
}

func TestSystemSheet(t *testing.T) {
	b := newBench(t, 120, 32)
	b.keys("ctrl+y")
	b.write("You are")
	b.keys("enter")
	b.send(tea.PasteMsg{Content: "a poet."})
	b.keys("ctrl+s")
	if got := b.r.pane().conv.chat.System; got != "You are\na poet." {
		t.Errorf("the system prompt is %q", got)
	}
	b.keys("ctrl+y ctrl+u esc")
	if got := b.r.pane().conv.chat.System; got != "You are\na poet." {
		t.Errorf("leaving changed it to %q", got)
	}
}

func TestFindInChat(t *testing.T) {
	b := newBench(t, 100, 30)
	b.ask("poem")
	b.ask("poem")
	b.keys("ctrl+f")
	b.write("waves")
	b.shows(`line 2 of 2 with "waves"`)
	b.keys("enter N")
	b.shows(`line 1 of 2 with "waves"`)
	b.keys("n")
	b.shows(`line 2 of 2 with "waves"`)
	b.keys("/ ctrl+u")
	b.write("whales")
	b.shows(`"whales" is not in this chat`)
	b.keys("esc")
	if b.r.find.term != "" {
		t.Error("leaving keeps the term")
	}
}

// TestExternalEditor: what comes back from the editor stands in the input, and is
// no command.
func TestExternalEditor(t *testing.T) {
	b := newBench(t, 100, 30)
	path, err := draftFile("draft")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "draft" {
		t.Fatalf("the file holds %q, %v", got, err)
	}
	if err := os.WriteFile(path, []byte("/quit is no command\nhere\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.send(readBack(b.r.pane(), path, nil))
	b.shows("/quit is no command")
	b.keys("enter")
	b.settle()
	if len(b.f.asked) != 1 || b.f.asked[0].Messages[0].Content != "/quit is no command\nhere" {
		t.Errorf("sent %+v", b.f.asked)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the file is still there")
	}
	b.send(readBack(b.r.pane(), path, errTest))
	b.shows("the editor:")
}

// TestPace: who reads along sets how fast answers come; it is asked of the engine
// and kept for next time.
func TestPace(t *testing.T) {
	dir := onDisk(t)
	b := newBench(t, 100, 30, dir)
	b.runCommand("/pace fast")
	b.shows("write /pace N")
	b.keys("ctrl+u")
	b.runCommand("/pace 12.5")
	b.ask("one")
	b.r.remember()
	if err := b.r.store.Flush(b.r.ctx); err != nil {
		t.Fatal(err)
	}
	again := newBench(t, 100, 30, dir)
	again.ask("two")
	again.runCommand("/pace 0")
	again.ask("three")
	got := []float64{b.f.asked[0].Pace, again.f.asked[0].Pace, again.f.asked[1].Pace}
	if got[0] != 12.5 || got[1] != 12.5 || got[2] != 0 {
		t.Errorf("the engine was asked for %v tokens a second", got)
	}
}

// TestShow: what the model is, and the prompt that a chat becomes.
func TestShow(t *testing.T) {
	b := newBench(t, 100, 30)
	b.runCommand("/show")
	b.shows("confab tiny, llama Q8_0, 3,400,000 parameters", "template a1b2c3d4e5f6", "inside this program")
	b.runCommand("/show prompt")
	b.shows("there is no prompt yet")
	b.keys("ctrl+u")
	b.r.back().engine = rendering{b.f}
	b.ask("one")
	b.runCommand("/show prompt")
	b.shows("Prompt", "7 tokens", "<|user|>one")
	exact(t, b, "prompt")
	b.keys("y")
	if got := b.copied(); got != "<|user|>one" {
		t.Errorf("copied %q", got)
	}
	b.keys("esc")
	b.runCommand("/show parameters")
	b.shows("top-p")
}

// rendering is a fake engine that shows its prompts.
type rendering struct{ *fake }

func (rendering) Render(msgs []chat.Message, _ *bool) (string, []int32, error) {
	return "<|user|>" + msgs[0].Content, make([]int32, 7), nil
}

// TestBackslashGoesOn: a line that ends in one is not sent yet; two are a text's own.
func TestBackslashGoesOn(t *testing.T) {
	b := newBench(t, 100, 30)
	b.write(`one\`)
	b.keys("enter")
	b.write(`two\\`)
	b.keys("enter")
	b.settle()
	if len(b.f.asked) != 1 || b.f.asked[0].Messages[0].Content != "one\ntwo\\\\" {
		t.Errorf("sent %+v", b.f.asked)
	}
}

// TestCommandsTakeWhatTheyCan holds commands that take nothing to not running when
// a sentence begins with them.
func TestCommandsTakeWhatTheyCan(t *testing.T) {
	b := newBench(t, 120, 32)
	b.ask("hello")
	for _, line := range []string{"/clear the table, please", "/bye for now", "/new ideas"} {
		b.runCommand(line)
		name, _, _ := strings.Cut(line, " ")
		b.shows(name+" takes nothing after it  (// begins a message with a slash)", line)
		b.keys("ctrl+u")
	}
	if n := len(b.r.tabs); n != 1 || len(b.r.pane().conv.turns) != 2 {
		t.Errorf("%d tabs, %d messages", n, len(b.r.pane().conv.turns))
	}
}

func TestThinkOfAModelThatCannot(t *testing.T) {
	b := newBench(t, 120, 32, func(_ *Options, f *fake) { f.info.Thinks = false })
	b.runCommand("/think on")
	b.shows("confab tiny has no thinking to ask for")
}

func TestKnobsCommand(t *testing.T) {
	b := newBench(t, 120, 32)
	b.runCommand("/knobs")
	b.shows("temperature", "j k choose")
	b.keys("esc")
	b.runCommand("/models")
	b.shows("type to filter")
}
