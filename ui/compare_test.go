package ui

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/confab-tui/confab/engine/library"
)

// TestComparedChatsHaveTheirNames: in the list of chats, those of a comparison are told
// apart, whether they had a title before or not.
func TestComparedChatsHaveTheirNames(t *testing.T) {
	b := newBench(t, 200, 50)
	b.ask("Capital of Japan?")
	b.runCommand("/compare 0 0.7 creative")
	b.settle()
	b.keys("ctrl+s")
	b.shows("Capital of Japan? · T 0 ", "Capital of Japan? · T 0.7 ", "Capital of Japan? · creative ", "compare · Capital of Japan?")
	b.keys("esc ctrl+n")
	b.runCommand("/compare precise creative")
	b.shows("● compare   +")
	b.ask("Capital of France?")
	b.shows("○ compare · Capital of Japan?", "● compare · Capital of France?")
	b.ask("And of Peru?")
	b.keys("ctrl+s")
	b.shows("Capital of France? · precise ", "Capital of France? · creative ")
	var ts []float32
	for _, r := range b.f.asked[len(b.f.asked)-2:] {
		ts = append(ts, r.Sampling.Temperature)
	}
	if want := ownPresets; len(ts) != 2 || float64(ts[0]) != want[2].values[knobTemperature] && ts[0] == ts[1] {
		t.Errorf("the presets gave the temperatures %v", ts)
	}
}

// TestExportsOfOtherForms: for other programs, and of everything.
func TestExportsOfOtherForms(t *testing.T) {
	b := newBench(t, 120, 32)
	dir := t.TempDir()
	b.runCommand("/export all " + filepath.Join(dir, "all.md"))
	b.shows("give a name that ends in .json")
	b.keys("ctrl+u")
	b.ask("Write a poem")
	b.keys("ctrl+n")
	b.ask("And another")
	for form, want := range map[string]string{"sharegpt": `"from": "human"`, "llama-server": `"currNode"`, "open-webui": `"currentId"`} {
		path := filepath.Join(dir, form+".json")
		b.runCommand("/export " + form + " " + path)
		b.shows("written to")
		if got := read(t, path); !strings.Contains(got, want) || !strings.Contains(got, "And another") {
			t.Errorf("%s: %s", form, got)
		}
		b.runCommand("/import " + path)
		b.shows("imported from "+form, "hear and see.")
		b.keys("ctrl+w")
	}
	path := filepath.Join(dir, "all.json")
	b.runCommand("/export all " + path)
	b.shows("chats written to ")
	if got := read(t, path); !strings.Contains(got, "Write a poem") || !strings.Contains(got, "And another") {
		t.Errorf("a chat is missing: %s", got)
	}
	t.Chdir(dir)
	b.runCommand("/export sharegpt")
	b.shows("and-another.json")
	if _, err := os.Stat("and-another.json"); err != nil {
		t.Error(err)
	}
}

// TestModelFoldersInOrder: by name, whatever letters it begins with.
func TestModelFoldersInOrder(t *testing.T) {
	b := newBench(t, 120, 32, func(o *Options, _ *fake) {
		o.Models = func() []library.Model {
			return []library.Model{{Name: "c", Path: "/c", Source: "LM Studio"}, {Name: "b", Path: "/b", Source: "llama.cpp"}, {Name: "a", Path: "/a", Source: "confab"}}
		}
	})
	b.keys("ctrl+o")
	s := b.screen()
	if x, y, z := strings.Index(s, "  confab\n"), strings.Index(s, "llama.cpp"), strings.Index(s, "LM Studio"); x > y || y > z {
		t.Errorf("the folders stand at %d, %d and %d:\n%s", x, y, z, s)
	}
}

// TestPanesThatAreAlike: one prompt to several panes is answered with the same dice
// where they differ in something else, and with others where they do not.
func TestPanesThatAreAlike(t *testing.T) {
	b := newBench(t, 200, 50)
	next := int64(0)
	b.r.dice = func() int64 { next++; return next }
	b.keys("alt+s alt+s alt+s")
	b.runCommand("/set parameter top_k 7")
	b.keys("alt+a")
	b.ask("Capital of Japan?")
	var seeds []int64
	for _, r := range b.f.asked {
		seeds = append(seeds, r.Sampling.Seed)
	}
	if want := []int64{1, 2, 3, 1}; !slices.Equal(seeds, want) {
		t.Errorf("three panes that are alike and a fourth have the seeds %v, want %v", seeds, want)
	}
	b.keys("alt+s alt+s alt+s")
	b.shows("6 panes are the most")
}

// TestQueuedPromptKeepsItsDice: what was written to a comparison while it could not be
// answered yet is answered with one set of dice all the same.
func TestQueuedPromptKeepsItsDice(t *testing.T) {
	b := newBench(t, 200, 50)
	next := int64(0)
	b.r.dice = func() int64 { next++; return next }
	b.keys("alt+c")
	b.write("Capital of Japan?")
	b.keys("enter")
	b.frames(3)
	b.ask("And of Peru?")
	b.settle()
	var seeds []int64
	for _, r := range b.f.asked {
		seeds = append(seeds, r.Sampling.Seed)
	}
	if want := []int64{1, 1, 1, 1, 2, 2, 2, 2}; !slices.Equal(seeds, want) {
		t.Errorf("the seeds are %v, want %v", seeds, want)
	}
}

// TestNoTemperatureIsBent: a number that is none is refused, not changed.
func TestNoTemperatureIsBent(t *testing.T) {
	b := newBench(t, 120, 32)
	b.runCommand("/compare 0 3")
	b.shows("/compare 0 3", "temperature goes from 0 to 2, not 3")
	if len(b.r.tabs) != 1 {
		t.Errorf("%d tabs", len(b.r.tabs))
	}
}

// TestTargetsOutOfSight: where a window has not room for all panes that are written to,
// the input says how many are in sight.
func TestTargetsOutOfSight(t *testing.T) {
	b := newBench(t, 120, 32)
	b.write("Capital of Japan?")
	b.keys("alt+c")
	b.settle()
	b.shows("to 4 panes")
	b.hides("in sight")
	b.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	b.shows("to 4 panes, 3 in sight")
}
