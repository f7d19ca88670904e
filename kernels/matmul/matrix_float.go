package matmul

import (
	"math/bits"
	"unsafe"

	"github.com/confab-tui/confab/kernels"
)

// Floating point panels: for every k, the 32 rows' values side by side. A block is
// one k; of BF16 it is two, and a row's two values stand together.
var (
	layoutF32  = &layout{kindF32, kernels.FormF32, 1, 4 * panelRows, 2}
	layoutF16  = &layout{kindF16, kernels.FormF32, 1, 2 * panelRows, 1}
	layoutBF16 = &layout{kindBF16, kernels.FormBF16, 2, 4 * panelRows, 2}
)

// packTile is how many values of every row are moved at a time: their places in the
// panel stay in the first-level cache.
const packTile = 64

func packF32(dst, src []byte, stride, n int) {
	words := stride / 4
	for k := 0; k < words; k += packTile {
		packLines(dst[k*4*panelRows:], src[4*k:], stride, n, min(packTile, words-k), 0)
	}
}

// pack16 moves two values of two rows at a time: rows stand side by side.
func pack16(dst, src []byte, stride, n int) {
	if stride%4 != 0 {
		for r := range n {
			copy(dst[panelRows*(stride-2)+2*r:], src[(r+1)*stride-2:(r+1)*stride])
		}
	}
	for k0 := 0; k0 < stride/4; k0 += packTile {
		words := min(packTile, stride/4-k0)
		for r := 0; r < n; r += 2 {
			first := src[r*stride+4*k0:][:4*words]
			second := src[min(r+1, n-1)*stride+4*k0:][:4*words]
			at := unsafe.Pointer(&dst[4*(k0*panelRows)+2*r])
			for k := range words {
				a, b := le32(first[4*k:]), le32(second[4*k:])
				*(*uint32)(unsafe.Add(at, 4*panelRows*k)) = a&0xffff | b<<16
				*(*uint32)(unsafe.Add(at, 4*panelRows*k+2*panelRows)) = a>>16 | b&0xffff0000
			}
		}
	}
}

// packBF16 moves pairs; a last value without a partner keeps the zero beside it.
func packBF16(dst, src []byte, stride, n int) {
	packF32(dst, src, stride, n)
	if stride%4 != 0 {
		for r := range n {
			copy(dst[4*(stride/4*panelRows+r):], src[(r+1)*stride-2:(r+1)*stride])
		}
	}
}

// packNVFP4Wide stores values as F16, which holds them all: they are integers of at
// most 8 bits times a power of two from 2^-10 to 2^5.
func packNVFP4Wide(dst, src []byte, stride, n int) {
	var values [64]float32
	for r := range n {
		readNVFP4(values[:], src[r*stride:])
		for k, v := range values {
			*(*uint16)(unsafe.Pointer(&dst[2*(k*panelRows+r)])) = kernels.F32ToF16(v)
		}
	}
}

// plainFloat is the definition for float weights: sums run over k in order.
func plainFloat(p *product, read func(dst []float32, src []byte)) {
	var sums [groupRows][panelRows]float32
	var w [panelRows]float32
	panel := bytesAt(p.w, p.blocks*p.bytes)
	for k := range p.blocks {
		read(w[:], panel[k*p.bytes:])
		for i := range p.rows {
			x := unsafe.Slice((*float32)(unsafe.Pointer(p.x[i])), p.blocks)[k]
			for r := range w {
				sums[i][r] += w[r] * x
			}
		}
	}
	p.store(&sums)
}

// plainBF16 is the definition for BF16: pairs in order, each product added by itself.
func plainBF16(p *product) {
	var sums [groupRows][panelRows]float32
	panel := bytesAt(p.w, p.blocks*p.bytes)
	for k := range p.blocks {
		for i := range p.rows {
			x := bytesAt(p.x[i], 4*p.blocks)[4*k:]
			x0, x1 := kernels.BF16ToF32(le16(x)), kernels.BF16ToF32(le16(x[2:]))
			for r := range panelRows {
				w := panel[k*p.bytes+4*r:]
				sums[i][r] += kernels.BF16ToF32(le16(w[2:])) * x1
				sums[i][r] += kernels.BF16ToF32(le16(w)) * x0
			}
		}
	}
	p.store(&sums)
}

// store writes the results of the panel's rows that exist.
func (p *product) store(sums *[groupRows][panelRows]float32) {
	n := bits.Len32(p.mask)
	for i := range p.rows {
		copy(p.results(i, n), sums[i][:n])
	}
}
