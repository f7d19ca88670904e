package attend

import (
	"os"
	"slices"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/confab-tui/confab/kernels"
)

// TestPopulate: a chunk has all of its memory then, another one none, and cells hold what they held.
func TestPopulate(t *testing.T) {
	if !populates(t) {
		t.Skip("this system does not populate memory on demand")
	}
	for _, f32 := range []bool{false, true} {
		kv := NewKV(5000, 8, 128, 128, f32) // a chunk is a huge page each of keys and values
		want := kv.resident(t)              // what was freed may be there
		want[2], want[3], want[4], want[5] = 1, 1, 1, 1
		cell := int32(2 * kv.Chunk())
		kv.Store(cell, slices.Repeat([]float32{1.5}, 8*128), slices.Repeat([]float32{2.5}, 8*128))
		if !kv.Populate(1) || !kv.Populate(2) {
			t.Errorf("float32 %v: a chunk is not populated", f32)
		}
		if got := kv.value(cell); got != 2.5 {
			t.Errorf("float32 %v: a stored value is %v", f32, got)
		}
		if got := kv.resident(t); got != want {
			t.Errorf("float32 %v: of keys and values of chunks 0 to 3 %v is there, want %v", f32, got, want)
		}
	}
}

// value is the first one of a cell.
func (kv *KV) value(cell int32) float32 {
	at := int(kv.place(cell)) * kv.valueStride
	if kv.valueFloats != nil {
		return kv.valueFloats[at]
	}
	return kernels.F16ToF32(kv.valueHalves[at])
}

// populates asks the system itself: an emulator may say yes and do nothing.
func populates(t *testing.T) bool {
	b, err := unix.Mmap(-1, 0, 1<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(b)
	return unix.Madvise(b, unix.MADV_POPULATE_WRITE) == nil && there(t, unsafe.Pointer(&b[0]), len(b)) == 1
}

// resident is how much of the keys and values of four chunks has memory.
func (kv *KV) resident(t *testing.T) (part [8]float64) {
	n := kv.heads << kv.shift * kv.keyStride
	for i := range 4 {
		if kv.keyFloats != nil {
			part[2*i] = there(t, unsafe.Pointer(&kv.keyFloats[i*n]), 4*n)
			part[2*i+1] = there(t, unsafe.Pointer(&kv.valueFloats[i*n]), 4*n)
		} else {
			part[2*i] = there(t, unsafe.Pointer(&kv.keyHalves[i*n]), 2*n)
			part[2*i+1] = there(t, unsafe.Pointer(&kv.valueHalves[i*n]), 2*n)
		}
	}
	return part
}

// there is how much of so many bytes has memory.
func there(t *testing.T, from unsafe.Pointer, size int) float64 {
	page := os.Getpagesize()
	pages := make([]byte, size/page)
	_, _, errno := syscall.Syscall(unix.SYS_MINCORE, uintptr(from)&^uintptr(page-1), uintptr(len(pages)*page), uintptr(unsafe.Pointer(&pages[0])))
	if errno != 0 {
		t.Fatal(errno)
	}
	count := 0
	for _, b := range pages {
		count += int(b & 1)
	}
	return float64(count) / float64(len(pages))
}
