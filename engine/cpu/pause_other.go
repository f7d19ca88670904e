//go:build !amd64

package cpu

// pause is nothing on processors where no hint is known.
func pause() {}
