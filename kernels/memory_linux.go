package kernels

import (
	"golang.org/x/sys/unix"
)

// adviseHuge asks for huge pages; without them everything works, slower.
func adviseHuge(b []byte) { _ = unix.Madvise(b, unix.MADV_HUGEPAGE) }
