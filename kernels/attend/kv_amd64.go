package attend

import (
	"github.com/confab-tui/confab/kernels"
)

func (kv *KV) turnKeysFast(dst []float32, head int, cells []int32, at int) bool {
	if !kernels.HasAVX2FMA {
		return false
	}
	width := 8
	if kernels.HasAVX512 {
		width = 16
	}
	// Whole vectors of columns are written: those beyond the cells repeat one.
	var columns [blockPositions]int32
	for j := range columns {
		columns[j] = cells[max(0, min(j-at, len(cells)-1))]
	}
	first, stride := head<<kv.shift*kv.keyStride, kv.keyStride
	for j := at &^ (width - 1); j < at+len(cells); j += width {
		to, from := &dst[j], &columns[j]
		switch {
		case kernels.HasAVX512 && kv.keyFloats != nil:
			turnFloats512(to, from, &kv.keyFloats[first], 4*stride, stride)
		case kernels.HasAVX512:
			turnHalves512(to, from, &kv.keyHalves[first], 2*stride, stride)
		case kv.keyFloats != nil:
			turnFloats256(to, from, &kv.keyFloats[first], 4*stride, stride)
		default:
			turnHalves256(to, from, &kv.keyHalves[first], 2*stride, stride)
		}
	}
	return true
}

func (kv *KV) readValuesFast(dst []float32, head int, cells []int32) bool {
	if !kernels.HasAVX2FMA || kv.valueFloats != nil {
		return false
	}
	first, stride := head<<kv.shift*kv.valueStride, kv.valueStride
	if kernels.HasAVX512 {
		widenHalves512(&dst[0], &cells[0], &kv.valueHalves[first], 2*stride, len(cells), stride)
	} else {
		widenHalves256(&dst[0], &cells[0], &kv.valueHalves[first], 2*stride, len(cells), stride)
	}
	return true
}

// storeHalvesFast rounds what fills whole vectors and returns how much that is.
func storeHalvesFast(dst []uint16, src []float32) int {
	switch whole := len(src) &^ 7; {
	case kernels.HasAVX512:
		narrow512(&dst[0], &src[0], len(src))
		return len(src)
	case kernels.HasAVX2FMA && whole > 0:
		narrow256(&dst[0], &src[0], whole)
		return whole
	}
	return 0
}

//go:noescape
func turnHalves512(dst *float32, cells *int32, base *uint16, strideBytes, dims int)

//go:noescape
func turnFloats512(dst *float32, cells *int32, base *float32, strideBytes, dims int)

//go:noescape
func widenHalves512(dst *float32, cells *int32, base *uint16, strideBytes, n, dims int)

//go:noescape
func narrow512(dst *uint16, src *float32, n int)

//go:noescape
func turnHalves256(dst *float32, cells *int32, base *uint16, strideBytes, dims int)

//go:noescape
func turnFloats256(dst *float32, cells *int32, base *float32, strideBytes, dims int)

//go:noescape
func widenHalves256(dst *float32, cells *int32, base *uint16, strideBytes, n, dims int)

//go:noescape
func narrow256(dst *uint16, src *float32, n int)
