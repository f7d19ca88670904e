package ui

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSavePreset: the knobs in force are kept under a name, beside what the file holds,
// and are there after a restart.
func TestSavePreset(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "confab")
	config := func(o *Options, _ *fake) { o.ConfigDir = dir }
	b := newBench(t, 120, 40, config)
	b.runCommand("/set parameter temperature 0.35")
	b.runCommand("/preset save mine")
	b.shows("preset mine is kept in " + dir)
	if want, got := "[mine]\ntemp = 0.35\ntop-k = 40\ntop-p = 0.95\nmin-p = 0.05\nrepeat-penalty = 1\npresence-penalty = 0\nfrequency-penalty = 0\nrepeat-last-n = 64\ntemp-last = false\n", read(t, filepath.Join(dir, presetFile)); got != want {
		t.Errorf("the file holds %q, want %q", got, want)
	}
	for arg, why := range map[string]string{"mine": "a preset mine already", "neutral": "a preset neutral already", "Two words": "a word of small letters", "save": "a word of small letters"} {
		b.runCommand("/preset save " + arg)
		b.shows(why)
		b.keys("ctrl+u")
	}
	b.runCommand("/preset neutral")
	b.runCommand("/set parameter top_k 3")
	b.runCommand("/preset save other")
	got := read(t, filepath.Join(dir, presetFile))
	if !strings.HasPrefix(got, "[mine]\n") || !strings.Contains(got, "\n\n[other]\ntemp = 1\ntop-k = 3\n") {
		t.Errorf("the file holds %q", got)
	}
	if st, err := os.Stat(filepath.Join(dir, presetFile)); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("the file's mode is %v, %v", st.Mode(), err)
	}
	b = newBench(t, 120, 40, config)
	b.runCommand("/preset mine")
	b.keys("ctrl+k")
	b.shows("0.35  preset", "model  neutral  precise  creative  mine")
	b = newBench(t, 120, 40)
	b.runCommand("/preset save mine")
	b.shows("no config folder")
}

// TestPresetKeepsEveryKnob: what was kept comes back, over what was turned meanwhile.
func TestPresetKeepsEveryKnob(t *testing.T) {
	dir := t.TempDir()
	b := newBench(t, 120, 40, func(o *Options, _ *fake) { o.ConfigDir = dir })
	for _, set := range []string{"temperature_last on", "repeat_last_n 128", "repeat_penalty 1.1"} {
		b.runCommand("/set parameter " + set)
	}
	b.runCommand("/preset save mine")
	for _, set := range []string{"temperature_last off", "repeat_last_n 8", "seed 7"} {
		b.runCommand("/set parameter " + set)
	}
	b.runCommand("/preset mine")
	s := b.r.pane().conv.layers.settings(b.r.base())
	if !s.TemperatureLast || s.RepeatLastN != 128 || s.RepeatPenalty != 1.1 || s.Seed != 7 {
		t.Errorf("the preset gives %+v", s)
	}
	if p, faults := readPresets(dir); len(faults) > 0 || len(p) != len(ownPresets)+1 {
		t.Errorf("read again: %+v, %q", p, faults)
	}
}

// TestEveryPresetIsInReach: those that one row does not hold stand on the next, and a
// click on a name chooses it, whatever the height of the panel is.
func TestEveryPresetIsInReach(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		b := newBench(t, size[0], size[1])
		b.r.back().base.presets = append(slices.Clone(ownPresets), preset{name: "of-mine"}, preset{name: "日本"}, preset{name: "quite-another"})
		b.keys("ctrl+k")
		for _, p := range b.r.base().presets[1:] {
			b.click(b.find(" " + p.name))
			if got := b.r.pane().conv.layers.preset; got == p.name {
				t.Errorf("%v: a click before %s chooses it", size, p.name)
			}
			x, y := b.find(" " + p.name)
			b.click(x+1, y)
			if got := b.r.pane().conv.layers.preset; got != p.name {
				t.Errorf("%v: a click on %s chooses %q", size, p.name, got)
			}
		}
	}
}
