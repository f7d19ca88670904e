//go:build linux || darwin || freebsd || netbsd || openbsd

package gguf

import (
	"os"

	"golang.org/x/sys/unix"
)

func mapFile(file *os.File, size int) ([]byte, bool, error) {
	data, err := unix.Mmap(int(file.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	return data, err == nil, err
}

func unmap(data []byte) error { return unix.Munmap(data) }

// forget is advice: that a system declines it changes nothing that matters.
func forget(pages []byte) { _ = unix.Madvise(pages, unix.MADV_DONTNEED) }
