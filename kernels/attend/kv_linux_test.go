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
	for _, f32 := range []bool{false, true} {
		kv := NewKV(5000, 8, 128, 128, f32)                          // a chunk is a huge page each of keys and values
		before := []float64{kv.resident(t, 0), 1, kv.resident(t, 2)} // what was freed may be there
		k, v := slices.Repeat([]float32{1.5}, 8*128), slices.Repeat([]float32{2.5}, 8*128)
		kv.Store(int32(kv.Chunk()), k, v)
		if !kv.Populate(1) {
			t.Skip("this system does not populate memory on demand")
		}
		if got := kv.value(kv.Chunk()); got != 2.5 {
			t.Errorf("float32 %v: a stored value is %v", f32, got)
		}
		if got := []float64{kv.resident(t, 0), kv.resident(t, 1), kv.resident(t, 2)}; !slices.Equal(got, before) {
			t.Errorf("float32 %v: of chunks 0 to 2 %v is there, want %v", f32, got, before)
		}
	}
}

// value is the first one of a cell.
func (kv *KV) value(cell int) float32 {
	at := int(kv.place(int32(cell))) * kv.valueStride
	if kv.valueFloats != nil {
		return kv.valueFloats[at]
	}
	return kernels.F16ToF32(kv.valueHalves[at])
}

// resident is how much of a chunk's values has memory.
func (kv *KV) resident(t *testing.T, chunk int) float64 {
	n := kv.heads << kv.shift * kv.valueStride
	size, from := 2*n, unsafe.Pointer(nil)
	if kv.valueFloats != nil {
		size, from = 4*n, unsafe.Pointer(&kv.valueFloats[chunk*n])
	} else {
		from = unsafe.Pointer(&kv.valueHalves[chunk*n])
	}
	page := os.Getpagesize()
	there := make([]byte, size/page)
	_, _, errno := syscall.Syscall(unix.SYS_MINCORE, uintptr(from)&^uintptr(page-1), uintptr(len(there)*page), uintptr(unsafe.Pointer(&there[0])))
	if errno != 0 {
		t.Fatal(errno)
	}
	count := 0
	for _, b := range there {
		count += int(b & 1)
	}
	return float64(count) / float64(len(there))
}
