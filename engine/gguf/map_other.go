//go:build !(linux || darwin || freebsd || netbsd || openbsd)

package gguf

import (
	"io"
	"os"
)

// mapFile reads the file where this program does not know how to map it.
func mapFile(file *os.File, size int) ([]byte, bool, error) {
	data := make([]byte, size)
	_, err := io.ReadFull(file, data)
	return data, false, err
}

func unmap([]byte) error { return nil }

func forget([]byte) {}
