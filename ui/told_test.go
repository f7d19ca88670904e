package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFaultsAtTheStartStayInSight: what is wrong with the config file is not replaced by
// what the model has to tell when it is open.
func TestFaultsAtTheStartStayInSight(t *testing.T) {
	told := func(o *Options, f *fake) {
		o.Keys = map[string][]string{"send": {"ctrl+k"}}
		f.info.Notices = []string{"The CPU is used: there is no driver."}
	}
	newBench(t, 80, 24, told).shows("ctrl+k is both send and knobs", "The CPU is used")
	newBench(t, 80, 24, told, func(o *Options, _ *fake) {
		o.Notices = []string{"config.toml, line 1: unknown key", "config.toml, line 2: unknown key"}
	}).shows("3 faults in the config files, confab config check lists them", "ctrl+k is both send and knobs", "The CPU is used")
}

// TestPresetFaultsAreChecked: config check knows what the screen tells at its start.
func TestPresetFaultsAreChecked(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, presetFile), []byte("[mine]\nwarmth = 3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(CheckPresets(dir), "\n"); !strings.Contains(got, `[mine] has no knob "warmth"`) {
		t.Errorf("told %q", got)
	}
}

// TestLongMessagesShowThatTheyAreCut: no message seems to end where only its room does.
func TestLongMessagesShowThatTheyAreCut(t *testing.T) {
	b := newBench(t, 80, 24)
	b.r.say(toneBad, strings.Repeat("word ", 200))
	if s := b.screen(); !strings.Contains(s, "word…") && !strings.Contains(s, "word …") {
		t.Errorf("nothing says that there is more:\n%s", s)
	}
	b.r.say(toneBad, "short")
	b.hides("…")
}

// TestLongDraftsLeaveRoomForMessages: what is told, and the line that is being written,
// stand on the screen however much is written and queued.
func TestLongDraftsLeaveRoomForMessages(t *testing.T) {
	b := newBench(t, 80, 24)
	b.write("go")
	b.keys("enter")
	for _, s := range []string{"one", "two"} {
		b.write(s)
		b.keys("enter")
	}
	b.r.say(toneWarn, "this is to be seen")
	b.r.pane().input.set(strings.Repeat("line\n", 11) + "the last line")
	b.shows("queued · one", "queued · two", "the last line", "this is to be seen")
	cursor := b.r.View().Cursor
	if _, y := b.find("the last line"); cursor == nil || cursor.Y != y {
		t.Errorf("the cursor is at %+v, the line at %d", cursor, y)
	}
}

// TestSystemPromptSaysWhose: in a tab of several panes it is told for which of them a
// system prompt is written.
func TestSystemPromptSaysWhose(t *testing.T) {
	b := newBench(t, 120, 30)
	b.keys("ctrl+y")
	b.hides("System prompt of")
	b.keys("esc alt+s ctrl+y")
	b.shows("System prompt of pane 2")
	b.keys("esc alt+a ctrl+y")
	b.shows("System prompt of all 2 panes")
	b.write("You are a poet.")
	b.keys("ctrl+s")
	b.shows("the system prompt of all 2 panes holds from the next answer on")
	b.runCommand("/system none")
	b.shows("no system prompt of all 2 panes any more")
}

// TestCommandsWithoutTheirWord: what is missing is told, not looked for.
func TestCommandsWithoutTheirWord(t *testing.T) {
	b := newBench(t, 120, 30)
	b.runCommand("/continue")
	b.shows("there is no answer to continue yet")
	b.keys("ctrl+u")
	b.runCommand("/preset")
	b.shows("write /preset NAME, one of model, neutral, precise, creative, or /preset save NAME")
}

// TestNarrowPool: what the cells of a chat wait for, and what the marks mean, is whole
// in half a terminal.
func TestNarrowPool(t *testing.T) {
	b := newBench(t, 59, 24)
	b.ask("hello there")
	b.ask("and on")
	b.keys("ctrl+p")
	b.shows("held   ", "cached   ", "free", "idle, goes first")
	b.keys("esc ctrl+k alt+s")
	b.shows("1 pane is what this width holds; without the knobs")
}
