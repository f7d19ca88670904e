//go:build cuda

package gpu

// #include <cuda.h>
import "C"

import (
	"errors"
	"fmt"
	"unsafe"

	"gorgonia.org/cu"
)

// Ptr is an address in the device's memory.
type Ptr uint64

// Alloc returns bytes of device memory, aligned to 256; their content is undefined.
func (d *Device) Alloc(bytes int64) (Ptr, error) {
	p, err := cu.MemAlloc(max(bytes, 1))
	if errors.Is(err, cu.OutOfMemory) {
		free, _, _ := d.Memory()
		return 0, fmt.Errorf("out of memory on %s: %d MiB asked for, %d MiB free: cuMemAlloc: %w",
			d.Name, bytes>>20, free>>20, err)
	}
	return Ptr(p), named("cuMemAlloc", err)
}

// Free gives memory back; 0 is nothing.
func (d *Device) Free(p Ptr) error {
	if p == 0 {
		return nil
	}
	return named("cuMemFree", cu.MemFree(cu.DevicePtr(p)))
}

// Upload copies src to dst and waits for it.
func (d *Device) Upload(dst Ptr, src []byte) error {
	if len(src) == 0 {
		return nil
	}
	if err := named("cuMemcpyHtoD", cu.MemcpyHtoD(cu.DevicePtr(dst), unsafe.Pointer(&src[0]), int64(len(src)))); err != nil {
		return err
	}
	// The copy of what is not pinned may still be on its way.
	return d.Sync()
}

// Download copies from src to dst and waits for it.
func (d *Device) Download(dst []byte, src Ptr) error {
	if len(dst) == 0 {
		return nil
	}
	return named("cuMemcpyDtoH", cu.MemcpyDtoH(unsafe.Pointer(&dst[0]), cu.DevicePtr(src), int64(len(dst))))
}

// Fill sets n bytes and waits for it.
func (d *Device) Fill(dst Ptr, value byte, n int64) error {
	if n == 0 {
		return nil
	}
	if err := named("cuMemsetD8", cu.MemsetD8(cu.DevicePtr(dst), value, n)); err != nil {
		return err
	}
	return d.Sync()
}

// Pinned returns host memory that the device reads and writes at full speed; FreePinned
// gives it back.
func (d *Device) Pinned(bytes int) ([]byte, error) {
	var p unsafe.Pointer
	err := check("cuMemHostAlloc", C.cuMemHostAlloc(&p, C.size_t(max(bytes, 1)), C.CU_MEMHOSTALLOC_PORTABLE))
	if err != nil {
		return nil, fmt.Errorf("%d bytes of pinned memory: %w", bytes, err)
	}
	return unsafe.Slice((*byte)(p), max(bytes, 1))[:bytes], nil
}

// FreePinned gives memory of Pinned back.
func (d *Device) FreePinned(b []byte) error {
	if cap(b) == 0 {
		return nil
	}
	return named("cuMemFreeHost", cu.MemFreeHost(unsafe.Pointer(unsafe.SliceData(b))))
}

// Bytes returns the memory of a slice of plain values.
func Bytes[T any](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0])))
}
