package attend

import (
	"github.com/confab-tui/confab/kernels"
)

// attendCellsRows is the most rows whose scores are taken from the cells directly.
// Scratch has room for that many, since fewer are rounded up.
const attendCellsRows = 8

// attendCellScoresFast is turnKeys and attendScores in one.
func (kv *KV) attendCellScoresFast(scores, queries []float32, head int, cells []int32, at, rows int) bool {
	if !kernels.HasAVX512 || kv.keyHalves == nil || rows > attendCellsRows || kv.keyDim != kv.keyStride {
		return false
	}
	var columns [blockPositions]int32
	for j := range columns {
		columns[j] = cells[max(0, min(j-at, len(cells)-1))]
	}
	base, stride := &kv.keyHalves[head<<kv.shift*kv.keyStride], 2*kv.keyStride
	dims := kv.keyDim
	width := 32
	if rows > 4 {
		width = 16
	}
	for j := at &^ (width - 1); j < at+len(cells); j += width {
		ahead := &kv.valueHalves[(head<<kv.shift+int(columns[j]))*kv.valueStride]
		switch {
		case rows > 4:
			attendKeys8512(&scores[j], &queries[0], &columns[j], base, stride, dims, 4*dims, ahead)
		case rows > 2:
			attendKeys4512(&scores[j], &queries[0], &columns[j], base, stride, dims, 4*dims, ahead)
		case rows > 1:
			attendKeys2512(&scores[j], &queries[0], &columns[j], base, stride, dims, 4*dims, ahead)
		default:
			attendKeys1512(&scores[j], &queries[0], &columns[j], base, stride, dims, 4*dims, ahead)
		}
	}
	return true
}

// attendCellValuesFast is readValues and attendValues in one; ahead are the keys that
// will be read after these.
func (kv *KV) attendCellValuesFast(out, weights, shrink []float32, head int, cells []int32, rows int, ahead []uint16) bool {
	if !kernels.HasAVX512 || kv.valueHalves == nil || rows > attendCellsRows {
		return false
	}
	base, stride := &kv.valueHalves[head<<kv.shift*kv.valueStride], kv.valueStride
	for i, n := 0, 0; i < rows; i += n {
		o, w := &out[i*stride], &weights[i*blockPositions]
		switch n = rowsAtOnce(rows - i); n {
		case 4:
			attendWiden4512(o, w, &shrink[i], &cells[0], base, 2*stride, len(cells), stride, &ahead[0])
		case 2:
			attendWiden2512(o, w, &shrink[i], &cells[0], base, 2*stride, len(cells), stride, &ahead[0])
		default:
			attendWiden1512(o, w, &shrink[i], &cells[0], base, 2*stride, len(cells), stride, &ahead[0])
		}
	}
	return true
}

//go:noescape
func attendKeys1512(scores, queries *float32, cells *int32, base *uint16, strideBytes, dims, queryBytes int, ahead *uint16)

//go:noescape
func attendKeys2512(scores, queries *float32, cells *int32, base *uint16, strideBytes, dims, queryBytes int, ahead *uint16)

//go:noescape
func attendKeys4512(scores, queries *float32, cells *int32, base *uint16, strideBytes, dims, queryBytes int, ahead *uint16)

//go:noescape
func attendKeys8512(scores, queries *float32, cells *int32, base *uint16, strideBytes, dims, queryBytes int, ahead *uint16)

//go:noescape
func attendWiden1512(out, weights, shrink *float32, cells *int32, base *uint16, strideBytes, n, stride int, ahead *uint16)

//go:noescape
func attendWiden2512(out, weights, shrink *float32, cells *int32, base *uint16, strideBytes, n, stride int, ahead *uint16)

//go:noescape
func attendWiden4512(out, weights, shrink *float32, cells *int32, base *uint16, strideBytes, n, stride int, ahead *uint16)
