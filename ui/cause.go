package ui

import (
	"errors"
	"io/fs"
	"net"

	"github.com/confab-tui/confab/ui/text"
)

// cause says what went wrong with a file or the network: what happens most in plain
// words, instead of what the system calls it.
func cause(err error) string {
	var path *fs.PathError
	var dns *net.DNSError
	s := err.Error()
	switch {
	case errors.As(err, &path) && errors.Is(err, fs.ErrNotExist):
		s = "there is no file " + path.Path
	case errors.As(err, &path) && errors.Is(err, fs.ErrPermission):
		s = "no permission for " + path.Path
	case errors.As(err, &dns):
		s = dns.Name + " is not found: is this machine on the network?"
	}
	return text.Clean(s)
}
