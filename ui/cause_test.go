package ui

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

func TestCause(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{fmt.Errorf("stat: %w", &fs.PathError{Op: "stat", Path: "/a.gguf", Err: fs.ErrNotExist}), "there is no file /a.gguf"},
		{&fs.PathError{Op: "open", Path: "/b", Err: fs.ErrPermission}, "no permission for /b"},
		{errors.New("out of memory"), "out of memory"},
	} {
		if got := cause(c.err); got != c.want {
			t.Errorf("%v is told as %q, not %q", c.err, got, c.want)
		}
	}
}

// TestMissingFiles holds commands to saying in plain words that a file is not there.
func TestMissingFiles(t *testing.T) {
	for _, name := range []string{"/read ", "/import "} {
		b := newBench(t, 120, 32)
		path := filepath.Join(t.TempDir(), "x")
		b.runCommand(name + path)
		b.settle()
		b.shows("there is no file " + path[:20])
	}
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
