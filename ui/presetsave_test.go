package ui

import (
	"os"
	"path/filepath"
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
	if want, got := "[mine]\ntemp = 0.35\ntop-k = 40\ntop-p = 0.95\nmin-p = 0.05\nrepeat-penalty = 1\npresence-penalty = 0\nfrequency-penalty = 0\n", read(t, filepath.Join(dir, presetFile)); got != want {
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
