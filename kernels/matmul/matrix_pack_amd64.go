package matmul

import (
	"github.com/confab-tui/confab/kernels"
)

// The packers' fast forms are for whole panels; they say whether they have done it.

func packLinesFast(dst, src []byte, stride, n, words int, flip uint32) bool {
	if !kernels.HasAVX512 || n != panelRows || !gatherable(src, stride, 4*words) {
		return false
	}
	_ = dst[128*words-1]
	gatherLines(&dst[0], &src[0], stride, words, flip)
	return true
}

func packSubFast(dst, src []byte, stride, n int) bool {
	if !kernels.HasAVX512 || n != panelRows || !gatherable(src, stride, 16) {
		return false
	}
	_ = dst[16*panelRows-1]
	gatherBytes(&dst[0], &src[0], stride, 4)
	return true
}

func packScalesKFast(dst, src []byte, stride, n int) bool {
	if !kernels.HasAVX512 || n != panelRows || !gatherable(src, stride, 12) {
		return false
	}
	_ = dst[383]
	gatherScalesK(&dst[0], &src[0], stride)
	return true
}

// gatherable says whether a panel's rows are there and near enough for 32-bit places.
func gatherable(src []byte, stride, bytes int) bool {
	return len(src) >= (panelRows-1)*stride+bytes && stride < 1<<26
}

//go:noescape
func gatherLines(dst, src *byte, stride, words int, flip uint32)

//go:noescape
func gatherBytes(dst, src *byte, stride, words int)

//go:noescape
func gatherScalesK(dst, src *byte, stride int)
