package ui

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	tea "charm.land/bubbletea/v2"
)

func TestCause(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{&fs.PathError{Op: "stat", Path: "/a.gguf", Err: fs.ErrNotExist}, "there is no file /a.gguf"},
		{fmt.Errorf("config file: %w", &fs.PathError{Op: "read", Path: "/etc", Err: syscall.EISDIR}), "config file: is a directory: /etc"},
		{&fs.PathError{Op: "open", Path: "/b", Err: fs.ErrPermission}, "no permission for /b"},
		{&fs.PathError{Op: "open", Path: "/c", Err: syscall.ENAMETOOLONG}, "file name too long: /c"},
		{errors.New("out of memory"), "out of memory"},
	} {
		if got := Cause(c.err); got != c.want {
			t.Errorf("%v is told as %q, not %q", c.err, got, c.want)
		}
	}
}

// TestMissingFiles holds commands to saying in plain words that a file is not there,
// and to giving back what was typed.
func TestMissingFiles(t *testing.T) {
	for _, name := range []string{"/read ", "/import ", "/model "} {
		b := newBench(t, 120, 32)
		path := filepath.Join(t.TempDir(), "x")
		b.runCommand(name + path)
		b.settle()
		b.shows("there is no file " + path[:20])
		if got := b.r.pane().input.value(); got != name+path {
			t.Errorf("the input holds %q, not the command that failed", got)
		}
	}
}

// TestLateFailureGivesBack holds commands whose end comes late to giving back what was
// typed, but not over what was written meanwhile.
func TestLateFailureGivesBack(t *testing.T) {
	b := newBench(t, 120, 32)
	b.ask("hello")
	path := filepath.Join(t.TempDir(), "taken.md")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"/export " + path, "/compare nosuch neither", "/read " + filepath.Dir(path)} {
		b.runCommand(line)
		if got := b.r.pane().input.value(); got != line {
			t.Errorf("the input holds %q, not %q", got, line)
		}
		b.keys("ctrl+u")
	}
	end := b.r.command("/read " + path + "x")()
	b.write("quite another thing")
	b.send(end)
	b.shows("there is no file", "quite another thing")
}

// TestCausesAreOneLine: names of files and answers of hubs may hold anything.
func TestCausesAreOneLine(t *testing.T) {
	err := &fs.PathError{Op: "open", Path: "/a\nb\x1bc", Err: fs.ErrNotExist}
	for _, msg := range []interface{ apply(*root) tea.Cmd }{
		attachedMsg{path: err.Path, err: err},
		exportedMsg{path: err.Path, err: err},
		importedMsg{path: err.Path, err: err},
		fetchedMsg{f: &fetching{name: "x"}, err: err},
	} {
		b := newBench(t, 120, 32)
		msg.apply(b.r)
		if said := b.r.toast.text; strings.ContainsAny(said, "\n\x1b") || !strings.Contains(said, "there is no file /a") {
			t.Errorf("%T says %q", msg, said)
		}
	}
}

// TestNamesAreSaidOnce: an error that names what was fetched is not named again.
func TestNamesAreSaidOnce(t *testing.T) {
	for _, said := range []string{"a/b: not found", "not found"} {
		b := newBench(t, 120, 32)
		fetchedMsg{f: &fetching{name: "a/b"}, err: errors.New(said)}.apply(b.r)
		if got := b.r.toast.text; got != "a/b: not found" {
			t.Errorf("%q is told as %q", said, got)
		}
	}
}

// TestEditorFaults: an editor that cannot be run, or that fails, is told in plain words.
func TestEditorFaults(t *testing.T) {
	for _, c := range []struct{ argv, want string }{
		{"/no/such/editor", "the editor: there is no file /no/such/editor: $VISUAL or $EDITOR names another"},
		{"no-such-editor", "there is no editor no-such-editor: $VISUAL or $EDITOR names another"},
		{"false", "the editor ended with exit status 1: the message stays as it was"},
	} {
		b := newBench(t, 120, 32)
		b.write("a draft")
		b.send(writtenMsg{pane: b.r.pane(), err: exec.Command(c.argv).Run()})
		b.shows("a draft", c.want)
	}
}
