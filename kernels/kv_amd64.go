package kernels

func (kv *KV) turnKeysFast(dst []float32, head int, cells []int32, at int) bool {
	if !hasAVX512 {
		return false
	}
	// Whole vectors of columns are written: those beyond the cells repeat one.
	var columns [blockPositions]int32
	for j := range columns {
		columns[j] = cells[max(0, min(j-at, len(cells)-1))]
	}
	first := head * kv.cells * kv.keyStride
	for j := at &^ (vectorWidth - 1); j < at+len(cells); j += vectorWidth {
		if kv.keyFloats != nil {
			turnFloats512(&dst[j], &columns[j], &kv.keyFloats[first], 4*kv.keyStride, kv.keyStride)
		} else {
			turnHalves512(&dst[j], &columns[j], &kv.keyHalves[first], 2*kv.keyStride, kv.keyStride)
		}
	}
	return true
}

func (kv *KV) readValuesFast(dst []float32, head int, cells []int32) bool {
	if !hasAVX512 || kv.valueFloats != nil {
		return false
	}
	first := head * kv.cells * kv.valueStride
	widenHalves512(&dst[0], &cells[0], &kv.valueHalves[first], 2*kv.valueStride, len(cells), kv.valueStride)
	return true
}

func storeHalvesFast(dst []uint16, src []float32) bool {
	if !hasAVX512 {
		return false
	}
	narrow512(&dst[0], &src[0], len(src))
	return true
}

//go:noescape
func turnHalves512(dst *float32, cells *int32, base *uint16, strideBytes, dims int)

//go:noescape
func turnFloats512(dst *float32, cells *int32, base *float32, strideBytes, dims int)

//go:noescape
func widenHalves512(dst *float32, cells *int32, base *uint16, strideBytes, n, dims int)

//go:noescape
func narrow512(dst *uint16, src *float32, n int)
