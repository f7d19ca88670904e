package attend

import (
	"github.com/confab-tui/confab/kernels"
)

// attendScoresFast does 4 rows at a time, the rest one by one; how many makes no
// difference to the bits.
func attendScoresFast(scores, queries, keys []float32, rows, dim int) bool {
	if !kernels.HasNEON {
		return false
	}
	i := 0
	for ; i+4 <= rows; i += 4 {
		neonScores4(&scores[i*blockPositions], &queries[i*dim], &keys[0], dim)
	}
	for ; i < rows; i++ {
		neonScores1(&scores[i*blockPositions], &queries[i*dim], &keys[0], dim)
	}
	return true
}

func attendSoftmaxFast(scores []float32, masks []uint64, state attendState, shrink []float32, cap float32) bool {
	if !kernels.HasNEON || cap != 0 {
		return false
	}
	neonSoftmax(&scores[0], &masks[0], &state.top[0], &state.sum[0], &shrink[0], len(masks), unseen)
	return true
}

func attendValuesFast(out, weights, values, shrink []float32, rows, n, stride int) bool {
	if !kernels.HasNEON {
		return false
	}
	i := 0
	for ; i+4 <= rows; i += 4 {
		neonValues4(&out[i*stride], &weights[i*blockPositions], &values[0], &shrink[i], n, stride)
	}
	for ; i < rows; i++ {
		neonValues1(&out[i*stride], &weights[i*blockPositions], &values[0], &shrink[i], n, stride)
	}
	return true
}

func (kv *KV) turnKeysFast(dst []float32, head int, cells []int32, at int) bool {
	if !kernels.HasNEON || kv.keyFloats != nil {
		return false
	}
	// Whole vectors of columns are written: those beyond the cells repeat one.
	const width = 8
	var columns [blockPositions]int32
	for j := range columns {
		columns[j] = cells[max(0, min(j-at, len(cells)-1))]
	}
	for j := at &^ (width - 1); j < at+len(cells); j += width {
		neonTurn(&dst[j], &columns[j], &kv.keyHalves[head<<kv.shift*kv.keyStride], 2*kv.keyStride, kv.keyStride)
	}
	return true
}

func (kv *KV) readValuesFast(dst []float32, head int, cells []int32) bool {
	if !kernels.HasNEON || kv.valueFloats != nil {
		return false
	}
	stride := kv.valueStride
	neonWiden(&dst[0], &cells[0], &kv.valueHalves[head<<kv.shift*stride], 2*stride, len(cells), stride)
	return true
}

// storeHalvesFast rounds what fills whole vectors and returns how much that is.
func storeHalvesFast(dst []uint16, src []float32) int {
	whole := len(src) &^ 3
	if !kernels.HasNEON || whole == 0 {
		return 0
	}
	neonNarrow(&dst[0], &src[0], whole)
	return whole
}

//go:noescape
func neonScores4(scores, queries, keys *float32, dim int)

//go:noescape
func neonScores1(scores, queries, keys *float32, dim int)

//go:noescape
func neonValues4(out, weights, values, shrink *float32, n, stride int)

//go:noescape
func neonValues1(out, weights, values, shrink *float32, n, stride int)

//go:noescape
func neonSoftmax(scores *float32, masks *uint64, top, sum, shrink *float32, rows int, unseen float32)

//go:noescape
func neonTurn(dst *float32, cells *int32, base *uint16, strideBytes, dims int)

//go:noescape
func neonWiden(dst *float32, cells *int32, base *uint16, strideBytes, n, dims int)

//go:noescape
func neonNarrow(dst *uint16, src *float32, n int)
