package ui

import (
	"os"
	"path/filepath"
	"testing"
)

// TestCopyWithinTmux: tmux passes no text of a program on by itself, so it is given
// the text by its own command, whatever the desktop has.
func TestCopyWithinTmux(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\necho \"$@\" > " + dir + "/args\ncat > " + dir + "/text\n"
	if err := os.WriteFile(filepath.Join(dir, "tmux"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("TMUX", "/tmp/tmux-0/default,1,0")
	b := newBench(t, 120, 32)
	b.ask("poem")
	b.keys("tab y")
	b.shows("copied the message")
	if got := read(t, filepath.Join(dir, "text")); got != poem {
		t.Errorf("tmux was given %q", got)
	}
	if got := read(t, filepath.Join(dir, "args")); got != "load-buffer -w -\n" {
		t.Errorf("tmux was called with %q", got)
	}
}
