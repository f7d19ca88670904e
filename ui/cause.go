package ui

import (
	"errors"
	"io/fs"
	"strings"
)

// Cause says what went wrong with a file: what happens most in plain words, instead of
// what the system calls it. It is still to be cleaned.
func Cause(err error) string {
	var path *fs.PathError
	if !errors.As(err, &path) {
		return err.Error()
	}
	s := path.Err.Error() + ": " + path.Path // the reason first: the name may be longer than its place
	switch {
	case errors.Is(path, fs.ErrNotExist):
		s = "there is no file " + path.Path
	case errors.Is(path, fs.ErrPermission):
		s = "no permission for " + path.Path
	}
	return strings.Replace(err.Error(), path.Error(), s, 1)
}
