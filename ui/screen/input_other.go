//go:build !linux

package screen

import (
	"io"

	uv "github.com/charmbracelet/ultraviolet"
)

// newInput makes a reader that Cancel can interrupt.
func newInput(in io.Reader) (input, error) { return uv.NewCancelReader(in) }
