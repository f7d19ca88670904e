package ui

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"testing"
)

func TestCause(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{fmt.Errorf("stat: %w", &fs.PathError{Op: "stat", Path: "/a.gguf", Err: fs.ErrNotExist}), "there is no file /a.gguf"},
		{&fs.PathError{Op: "open", Path: "/b", Err: fs.ErrPermission}, "no permission for /b"},
		{errors.New("a\x1bb"), "a␛b"},
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
