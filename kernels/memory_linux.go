package kernels

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// adviseHuge asks for huge pages; without them everything works, slower.
func adviseHuge(b []byte) { _ = unix.Madvise(b, unix.MADV_HUGEPAGE) }

// Populate has the system find the memory under b, which HugeBytes allocated, now instead of at the
// first write to it. What b holds stays, also what others write meanwhile. It says whether the
// system can do that.
func Populate(b []byte) bool {
	over := int(uintptr(unsafe.Pointer(&b[0])) & uintptr(os.Getpagesize()-1))
	pages := unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(&b[0]), -over)), over+len(b))
	return unix.Madvise(pages, unix.MADV_POPULATE_WRITE) == nil
}
