//go:build linux || darwin

package library

import (
	"os"

	"golang.org/x/sys/unix"
)

// freeBytes is the room that a person has left on the disk of a folder.
func freeBytes(dir string) (int64, bool) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, false
	}
	return int64(st.Bavail) * int64(st.Bsize), true
}

// lock keeps other processes off a file until it is closed.
func lock(f *os.File) bool {
	return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil
}
