package attend

import (
	"fmt"
	"math/bits"
	"unsafe"

	"github.com/confab-tui/confab/kernels"
)

// KV holds one layer's keys and values, a pair for each cell and key head, in half
// precision or as float32. Cells come in chunks of about a huge page, [chunk][head][cell]:
// a run of cells is read as one stream a head, nearly in order, and a pool that is mostly
// empty takes little memory. Cells that were never stored hold anything.
type KV struct {
	cells, heads     int
	shift            int // a chunk has 1<<shift cells
	keyDim, valueDim int
	// A cell takes this many values: the width rounded up to whole vectors. What
	// is over is never looked at.
	keyStride, valueStride int
	// Either the halves or the floats are in use.
	keyHalves, valueHalves []uint16
	keyFloats, valueFloats []float32
}

// NewKV makes room for a number of cells.
func NewKV(cells, kvHeads, keyDim, valueDim int, f32 bool) *KV {
	if cells < 1 || kvHeads < 1 || keyDim < 1 || valueDim < 1 {
		panic(fmt.Sprintf("attend: NewKV of %d cells, %d heads, widths %d and %d", cells, kvHeads, keyDim, valueDim))
	}
	kv := &KV{
		cells: cells, heads: kvHeads, keyDim: keyDim, valueDim: valueDim,
		keyStride: roundUp(keyDim, kernels.VectorWidth), valueStride: roundUp(valueDim, kernels.VectorWidth),
	}
	size := 2
	if f32 {
		size = 4
	}
	kv.shift = chunkShift(cells, kernels.HugePage/(size*kvHeads*max(kv.keyStride, kv.valueStride)))
	return kv.allocate(f32)
}

// chunkShift is the logarithm of a chunk's cells: at most so many, unless that is
// hardly a block of attention, and no more than hold all cells.
func chunkShift(cells, most int) int {
	return min(bits.Len(uint(max(most, blockPositions)))-1, bits.Len(uint(cells-1)))
}

func (kv *KV) allocate(f32 bool) *KV {
	places := (kv.cells + 1<<kv.shift - 1) >> kv.shift << kv.shift * kv.heads
	keys, values := places*kv.keyStride, places*kv.valueStride
	if f32 {
		kv.keyFloats, kv.valueFloats = cellMemory[float32](keys), cellMemory[float32](values)
	} else {
		kv.keyHalves, kv.valueHalves = cellMemory[uint16](keys), cellMemory[uint16](values)
	}
	return kv
}

// Bytes is the size of all cells together.
func (kv *KV) Bytes() int64 {
	size := 2
	if kv.keyFloats != nil {
		size = 4
	}
	return int64(size) * int64(kv.cells) * int64(kv.heads) * int64(kv.keyStride+kv.valueStride)
}

// Chunk is how many cells stand together in memory.
func (kv *KV) Chunk() int { return 1 << kv.shift }

// Populate has the system find the memory of a chunk now; storing the first cell of one waits for
// all of it otherwise. It says whether the system can do that.
func (kv *KV) Populate(chunk int) bool {
	places := kv.heads << kv.shift
	keys, values := places*kv.keyStride, places*kv.valueStride
	if kv.keyFloats != nil {
		return populate(kv.keyFloats, chunk*keys, keys) && populate(kv.valueFloats, chunk*values, values)
	}
	return populate(kv.keyHalves, chunk*keys, keys) && populate(kv.valueHalves, chunk*values, values)
}

// populate is for n values of what cellMemory allocated.
func populate[T uint16 | float32](all []T, from, n int) bool {
	size := int(unsafe.Sizeof(T(0)))
	if len(all)*size < kernels.HugePage {
		return false
	}
	return kernels.Populate(unsafe.Slice((*byte)(unsafe.Pointer(&all[from])), n*size))
}

// place is where a cell of head 0 stands, counted in cells; the next head's is 1<<shift on.
// Each 16 cells stand in an order of their own: sequences that are answered together take a few of every
// so many cells, often a power of two, and would find all of theirs in a few sets of
// a first-level cache.
func (kv *KV) place(cell int32) int32 {
	at := cell & (1<<kv.shift - 1)
	at ^= (at>>4 ^ at>>8) & 15
	return cell>>kv.shift*int32(kv.heads)<<kv.shift + at
}

// Store writes one row's keys and values, head after head, to a cell.
func (kv *KV) Store(cell int32, k, v []float32) {
	if len(k) != kv.heads*kv.keyDim || len(v) != kv.heads*kv.valueDim {
		panic(fmt.Sprintf("attend: KV.Store of %d keys and %d values into %d heads of %d and %d",
			len(k), len(v), kv.heads, kv.keyDim, kv.valueDim))
	}
	for h := range kv.heads {
		place := h<<kv.shift + int(kv.place(cell))
		at := place * kv.keyStride
		key := k[h*kv.keyDim : (h+1)*kv.keyDim]
		if kv.keyFloats != nil {
			copy(kv.keyFloats[at:], key)
		} else {
			storeHalves(kv.keyHalves[at:at+kv.keyDim], key)
		}
		at = place * kv.valueStride
		value := v[h*kv.valueDim : (h+1)*kv.valueDim]
		if kv.valueFloats != nil {
			copy(kv.valueFloats[at:], value)
		} else {
			storeHalves(kv.valueHalves[at:at+kv.valueDim], value)
		}
	}
}

// cellMemory allocates n zeros, in huge pages where they are many: attention reads
// cells at the rate of memory, and small pages cost half of it.
func cellMemory[T uint16 | float32](n int) []T {
	size := n * int(unsafe.Sizeof(T(0)))
	if size < kernels.HugePage {
		return make([]T, n)
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(kernels.HugeBytes(size)))), n)
}

func roundUp(n, to int) int {
	return (n + to - 1) / to * to
}

func storeHalves(dst []uint16, src []float32) {
	for i := storeHalvesFast(dst, src); i < len(src); i++ {
		dst[i] = kernels.F32ToF16(src[i])
	}
}
