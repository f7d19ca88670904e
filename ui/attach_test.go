package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// TestAttachFiles: a text file becomes a chip with its size, a path that is dropped
// too; what is binary or too long is refused with the numbers.
func TestAttachFiles(t *testing.T) {
	b := newBench(t, 120, 32)
	b.f.script = echo
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	notes := write("my notes.txt", strings.Repeat("A line with ``` in it.\n", 60))
	b.runCommand("/read " + notes)
	b.shows("[my notes.txt · 1 KiB · about 345 tokens]")
	b.write("What is it?")
	b.send(tea.PasteMsg{Content: "'" + write("other.md", "# Other\n") + "'"})
	b.shows("[other.md · 8 B")
	b.keys("enter")
	b.settle()
	got := b.f.asked[0].Messages[0].Content
	if !strings.HasPrefix(got, "my notes.txt:\n\n````\nA line") || !strings.Contains(got, "````\nWhat is it?\n\nother.md:\n\n```\n# Other\n```") {
		t.Errorf("sent %q", got)
	}
	b.runCommand("/read " + write("image.png", "\x89PNG\x00\x01"))
	b.shows("image.png is a binary file")
	b.keys("ctrl+u")
	b.runCommand("/read " + write("long.txt", strings.Repeat("word ", 4000)))
	b.shows("long.txt has about 5,000 tokens; the context of 2,048 tokens has")
	b.keys("ctrl+u")
	b.send(tea.PasteMsg{Content: write("half.txt", strings.Repeat("word ", 600))})
	b.shows("[half.txt · 3 KiB · about 750 tokens]")
	b.send(tea.PasteMsg{Content: write("other half.txt", strings.Repeat("word ", 600))})
	b.shows("other half.txt has about 750 tokens; the context of 2,048 tokens has")
	b.keys("ctrl+u")
	b.runCommand("/read " + dir)
	b.shows("is no file that can be read as text")
	b.keys("ctrl+u")
	b.runCommand("/read " + filepath.Join(dir, "nothing"))
	b.shows("there is no file")
	b.keys("ctrl+u")
	b.send(tea.PasteMsg{Content: "/no/such/path here"})
	if got := b.r.pane().input.value(); got != "/no/such/path here" {
		t.Errorf("a path that is none became %q", got)
	}
	if _, ok := droppedPath("/quit"); ok {
		t.Error("a command counts as a path")
	}
}
