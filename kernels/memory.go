package kernels

import (
	"sync"
	"unsafe"
)

// Packed weights live in large chunks, so that the system can give them huge pages:
// with small ones, the first write to each page takes longer than packing it.
const (
	HugePage  = 2 << 20
	chunkSize = 8 * HugePage
)

var chunk struct {
	sync.Mutex
	rest []byte
}

// WeightBytes allocates n zero bytes on a cache line, out of a chunk where it is
// small. A chunk is freed when nothing in it is used any longer.
func WeightBytes(n int) []byte {
	size := (n + 63) &^ 63
	if size > chunkSize/4 {
		return HugeBytes(size)[:n:n]
	}
	chunk.Lock()
	defer chunk.Unlock()
	if len(chunk.rest) < size {
		chunk.rest = HugeBytes(chunkSize)
	}
	b := chunk.rest[:n:n]
	chunk.rest = chunk.rest[size:]
	return b
}

// HugeBytes allocates n zero bytes that begin with a huge page.
func HugeBytes(n int) []byte {
	n = (n + HugePage - 1) &^ (HugePage - 1)
	b := make([]byte, n+HugePage-1)
	skip := int(-uintptr(unsafe.Pointer(&b[0])) & (HugePage - 1))
	b = b[skip : skip+n : skip+n]
	adviseHuge(b)
	return b
}
