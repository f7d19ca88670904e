package attend

import (
	"github.com/confab-tui/confab/kernels"
)

// askL2 is what ASK looks at (ask_amd64.h).
var askL2 = kernels.PrefetchesToL2

// attendCellsRows is the most rows whose scores are taken from the cells directly.
// Scratch has room for that many, since fewer are rounded up.
const attendCellsRows = 8

// attendCellScoresFast is turnKeys and attendScores in one, for columns from to end of a block.
// It asks for the values of the same cells.
func (kv *KV) attendCellScoresFast(scores, queries []float32, head int, block *blockCells, from, end, rows int) bool {
	if !kernels.HasAVX512 || kv.keyHalves == nil || rows > attendCellsRows || kv.keyDim != kv.keyStride {
		return false
	}
	base, values := &kv.keyHalves[head<<kv.shift*kv.keyStride], &kv.valueHalves[head<<kv.shift*kv.valueStride]
	stride, dims := 2*kv.keyStride, kv.keyDim
	width, kernel := 32, attendKeys1512
	switch {
	case rows > 4:
		width, kernel = 16, attendKeys8512
	case rows > 2:
		kernel = attendKeys4512
	case rows > 1:
		kernel = attendKeys2512
	}
	for j := from &^ (width - 1); j < end; j += width {
		kernel(&scores[j], &queries[0], &block[j], base, stride, dims, 4*dims, values, 2*kv.valueStride)
	}
	return true
}

// attendCellValuesFast is readValues and attendValues in one. It asks for the keys of the cells
// that are read next.
func (kv *KV) attendCellValuesFast(out, weights, shrink []float32, head int, cells []int32, rows int, ahead cellsAhead) bool {
	if !kernels.HasAVX512 || kv.valueHalves == nil || rows > attendCellsRows {
		return false
	}
	base, stride := &kv.valueHalves[head<<kv.shift*kv.valueStride], kv.valueStride
	keys, next := &kv.keyHalves[ahead.head<<kv.shift*kv.keyStride], &ahead.block[0]
	for i, n := 0, 0; i < rows; i += n {
		n = rowsAtOnce(rows - i)
		kernel := attendWiden1512
		switch n {
		case 4:
			kernel = attendWiden4512
		case 2:
			kernel = attendWiden2512
		}
		kernel(&out[i*stride], &weights[i*blockPositions], &shrink[i], &cells[0], base, 2*stride, len(cells), stride, next, keys, 2*kv.keyStride)
	}
	return true
}

//go:noescape
func attendKeys1512(scores, queries *float32, cells *int32, base *uint16, strideBytes, dims, queryBytes int, values *uint16, valueBytes int)

//go:noescape
func attendKeys2512(scores, queries *float32, cells *int32, base *uint16, strideBytes, dims, queryBytes int, values *uint16, valueBytes int)

//go:noescape
func attendKeys4512(scores, queries *float32, cells *int32, base *uint16, strideBytes, dims, queryBytes int, values *uint16, valueBytes int)

//go:noescape
func attendKeys8512(scores, queries *float32, cells *int32, base *uint16, strideBytes, dims, queryBytes int, values *uint16, valueBytes int)

//go:noescape
func attendWiden1512(out, weights, shrink *float32, cells *int32, base *uint16, strideBytes, n, stride int, ahead *int32, keys *uint16, keyBytes int)

//go:noescape
func attendWiden2512(out, weights, shrink *float32, cells *int32, base *uint16, strideBytes, n, stride int, ahead *int32, keys *uint16, keyBytes int)

//go:noescape
func attendWiden4512(out, weights, shrink *float32, cells *int32, base *uint16, strideBytes, n, stride int, ahead *int32, keys *uint16, keyBytes int)
