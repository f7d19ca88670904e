package cpu

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// populate maps a part of a file in one go. That fails where there is nothing to map; the
// reader finds out then.
func populate(part []byte) {
	page := os.Getpagesize()
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(part))) & uintptr(page-1))
	if skip < len(part) {
		_ = unix.Madvise(part[skip:], unix.MADV_POPULATE_READ)
	}
}
