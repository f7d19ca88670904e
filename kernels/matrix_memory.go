package kernels

import (
	"sync"
	"unsafe"
)

// Packed weights live in large chunks, so that the system can give them huge pages:
// with small ones, the first write to each page takes longer than packing it.
const (
	hugePage  = 2 << 20
	chunkSize = 8 * hugePage
)

var chunk struct {
	sync.Mutex
	rest []byte
}

// weightBytes allocates n zero bytes on a cache line, out of a chunk where it is
// small. A chunk is freed when nothing in it is used any longer.
func weightBytes(n int) []byte {
	size := (n + 63) &^ 63
	if size > chunkSize/4 {
		return hugeBytes(size)[:n:n]
	}
	chunk.Lock()
	defer chunk.Unlock()
	if len(chunk.rest) < size {
		chunk.rest = hugeBytes(chunkSize)
	}
	b := chunk.rest[:n:n]
	chunk.rest = chunk.rest[size:]
	return b
}

// hugeBytes allocates n zero bytes that begin with a huge page.
func hugeBytes(n int) []byte {
	n = (n + hugePage - 1) &^ (hugePage - 1)
	b := make([]byte, n+hugePage-1)
	skip := int(-uintptr(unsafe.Pointer(&b[0])) & (hugePage - 1))
	b = b[skip : skip+n : skip+n]
	adviseHuge(b)
	return b
}
