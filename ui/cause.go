package ui

import (
	"errors"
	"io/fs"
)

// Cause says what went wrong with a file: what happens most in plain words, instead of
// what the system calls it. It is still to be cleaned.
func Cause(err error) string {
	var path *fs.PathError
	s := err.Error()
	switch {
	case errors.As(err, &path) && errors.Is(err, fs.ErrNotExist):
		s = "there is no file " + path.Path
	case errors.As(err, &path) && errors.Is(err, fs.ErrPermission):
		s = "no permission for " + path.Path
	case errors.As(err, &path): // the reason first: the name may be longer than its place
		s = path.Err.Error() + ": " + path.Path
	}
	return s
}
