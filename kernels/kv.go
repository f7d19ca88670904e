package kernels

import (
	"fmt"
	"unsafe"
)

// KV holds one layer's keys and values, a pair for each cell and key head, in half
// precision or as float32. Each head's cells stand one after the other, so that a
// run of cells is read as one stream. Cells that were never stored hold anything.
type KV struct {
	cells, heads     int
	keyDim, valueDim int
	// A cell takes this many values: the width rounded up to whole vectors. What
	// is over is never looked at.
	keyStride, valueStride int
	// Either the halves or the floats are in use.
	keyHalves, valueHalves []uint16
	keyFloats, valueFloats []float32
}

// vectorWidth is what widths of rows in scratch and cells are rounded up to.
const vectorWidth = 16

// NewKV makes room for a number of cells.
func NewKV(cells, kvHeads, keyDim, valueDim int, f32 bool) *KV {
	if cells < 1 || kvHeads < 1 || keyDim < 1 || valueDim < 1 {
		panic(fmt.Sprintf("kernels: NewKV of %d cells, %d heads, widths %d and %d", cells, kvHeads, keyDim, valueDim))
	}
	kv := &KV{
		cells: cells, heads: kvHeads, keyDim: keyDim, valueDim: valueDim,
		keyStride: roundUp(keyDim, vectorWidth), valueStride: roundUp(valueDim, vectorWidth),
	}
	keys, values := cells*kvHeads*kv.keyStride, cells*kvHeads*kv.valueStride
	if f32 {
		kv.keyFloats, kv.valueFloats = cellMemory[float32](keys), cellMemory[float32](values)
	} else {
		kv.keyHalves, kv.valueHalves = cellMemory[uint16](keys), cellMemory[uint16](values)
	}
	return kv
}

// Bytes is the size of all cells together.
func (kv *KV) Bytes() int64 {
	return 2*int64(len(kv.keyHalves)+len(kv.valueHalves)) + 4*int64(len(kv.keyFloats)+len(kv.valueFloats))
}

// Store writes one row's keys and values, head after head, to a cell.
func (kv *KV) Store(cell int32, k, v []float32) {
	if len(k) != kv.heads*kv.keyDim || len(v) != kv.heads*kv.valueDim {
		panic(fmt.Sprintf("kernels: KV.Store of %d keys and %d values into %d heads of %d and %d",
			len(k), len(v), kv.heads, kv.keyDim, kv.valueDim))
	}
	for h := range kv.heads {
		at := (h*kv.cells + int(cell)) * kv.keyStride
		key := k[h*kv.keyDim : (h+1)*kv.keyDim]
		if kv.keyFloats != nil {
			copy(kv.keyFloats[at:], key)
		} else {
			storeHalves(kv.keyHalves[at:at+kv.keyDim], key)
		}
		at = (h*kv.cells + int(cell)) * kv.valueStride
		value := v[h*kv.valueDim : (h+1)*kv.valueDim]
		if kv.valueFloats != nil {
			copy(kv.valueFloats[at:], value)
		} else {
			storeHalves(kv.valueHalves[at:at+kv.valueDim], value)
		}
	}
}

// keysOf are the keys from a cell on, in half precision.
func (kv *KV) keysOf(head int, cell int32) []uint16 {
	return kv.keyHalves[(head*kv.cells+int(cell))*kv.keyStride:]
}

// cellMemory allocates n zeros, in huge pages where they are many: attention reads
// cells at the rate of memory, and small pages cost half of it.
func cellMemory[T uint16 | float32](n int) []T {
	size := n * int(unsafe.Sizeof(T(0)))
	if size < hugePage {
		return make([]T, n)
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(hugeBytes(size)))), n)
}

func roundUp(n, to int) int {
	return (n + to - 1) / to * to
}

func storeHalves(dst []uint16, src []float32) {
	for i := storeHalvesFast(dst, src); i < len(src); i++ {
		dst[i] = F32ToF16(src[i])
	}
}
