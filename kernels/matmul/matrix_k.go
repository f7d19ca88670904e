package matmul

import (
	"math"
	"unsafe"

	"github.com/confab-tui/confab/kernels"
)

// Panels of blocks of 256 values, for FormQ8K. Within a block products are
// integers, sub-blocks' scales included.
//
//   - Q4_K, Q5_K: scales and minima (F16), 384 bytes of sub-block scales and minima
//     (see packScalesK), for Q5_K the fifth bits (for each of the 64 lines of
//     values 64 bits a half), then 32 lines of nibbles: line 8g+j has values
//     64g+4j.. in the low nibbles, 64g+32+4j.. in the high ones
//   - Q6_K: scales (F16), 16 sub-blocks' scales (int8) of 32 rows, 32 lines of
//     nibbles and 16 lines of high bits in the order of the file's words
//   - Q2_K: scales and minima (F16), a byte for each of 16 sub-blocks of 32 rows
//     (scale low, minimum high), 16 lines of 2-bit codes in the order of the file's
//     words
//   - Q3_K: scales (F16), 16 sub-blocks' scales (int8) of 32 rows, the third bits as
//     Q5_K's fifth ones, 16 lines of 2-bit codes
//   - IQ4_XS: scales (F16), 8 sub-blocks' scales (int8) of 32 rows, 32 lines of
//     nibbles: line 4s+j has values 32s+4j.. in the low ones, 32s+16+4j.. in the high
//   - I8K: scales (float32), 16 sub-blocks' scales (int8) of 32 rows, 64 lines of
//     8-bit codes plus 128; what the rarer types become
var (
	layoutQ4K  = &layout{kindQ4K, kernels.FormQ8K, 256, 128 + 384 + 4096, 72}
	layoutQ5K  = &layout{kindQ5K, kernels.FormQ8K, 256, 128 + 384 + 1024 + 4096, 96}
	layoutQ6K  = &layout{kindQ6K, kernels.FormQ8K, 256, 64 + 512 + 4096 + 2048, 112}
	layoutQ2K  = &layout{kindQ2K, kernels.FormQ8K, 256, 128 + 512 + 2048, 64}
	layoutQ3K  = &layout{kindQ3K, kernels.FormQ8K, 256, 64 + 512 + 1024 + 2048, 64}
	layoutIQ4K = &layout{kindIQ4K, kernels.FormQ8K, 256, 64 + 256 + 4096, 72}
	layoutI8K  = &layout{kindI8K, kernels.FormQ8K, 256, 128 + 512 + 8192, 144}
)

// packScalesK stores the 6-bit scales and minima of 8 sub-blocks: 8 lines of 64
// numbers in 6 lines of 64 bytes. Lines 0 to 3 are the scales, a line two
// sub-blocks of 32 rows; lines 4 to 7 the minima, a line 32 rows of two neighbouring
// sub-blocks. Lines 0 to 5 are the low 6 bits; line 6 is in the top bits of the
// first three, line 7 of the others.
func packScalesK(dst, src []byte, stride, n int) {
	if packScalesKFast(dst, src, stride, n) {
		return
	}
	for r := range n {
		s := src[r*stride:][:12]
		a, b, c := le32(s), le32(s[4:]), le32(s[8:])
		low := a & 0x3f3f3f3f
		high := c&0x0f0f0f0f | a>>2&0x30303030
		for j := range 4 {
			dst[32*j+r] |= byte(low >> (8 * j))
			dst[32*j+r+128] |= byte(high >> (8 * j))
		}
		low = b & 0x3f3f3f3f
		high = c>>4&0x0f0f0f0f | b>>2&0x30303030
		for i := range 2 {
			pair := dst[2*r+64*i:]
			pair[256], pair[257] = byte(low>>(16*i)), byte(low>>(16*i+8))
			top := high >> (16 * i)
			pair = dst[2*r+192*i:][:130]
			for l := range 3 {
				pair[64*l] |= byte(top<<6) & 0xc0
				pair[64*l+1] |= byte(top>>8<<6) & 0xc0
				top >>= 2
			}
		}
	}
}

func packQ4K(dst, src []byte, stride, n int) {
	packHalves(dst, src, stride, n)
	packHalves(dst[64:], src[2:], stride, n)
	packScalesK(dst[128:512], src[4:], stride, n)
	packLines(dst[512:], src[16:], stride, n, 32, 0)
}

// packFifthK turns 32 bytes a row, whose bit s belongs to sub-block s, into masks, two
// rows at a time: they share bytes.
func packFifthK(dst, src []byte, stride, n int) {
	for r := 0; r < n; r += 2 {
		first, second := src[r*stride:][:32], make([]byte, 32)
		if r+1 < n {
			second = src[(r+1)*stride:][:32]
		}
		at := dst[r/16*8+r%16/2:]
		for j := range 8 {
			word := uint64(le32(first[4*j:])) | uint64(le32(second[4*j:]))<<32
			for s := range 8 {
				// The lowest bits of 8 bytes, gathered into one.
				at[(8*s+j)*16] = byte(word >> s & 0x0101010101010101 * 0x0102040810204080 >> 56)
			}
		}
	}
}

func packQ5K(dst, src []byte, stride, n int) {
	packHalves(dst, src, stride, n)
	packHalves(dst[64:], src[2:], stride, n)
	packScalesK(dst[128:512], src[4:], stride, n)
	packFifthK(dst[512:1536], src[16:], stride, n)
	packLines(dst[1536:], src[48:], stride, n, 32, 0)
}

func packQ6K(dst, src []byte, stride, n int) {
	packHalves(dst, src[208:], stride, n)
	packSub(dst[64:], src[192:], stride, n)
	packLines(dst[576:], src, stride, n, 32, 0)
	packLines(dst[4672:], src[128:], stride, n, 16, 0)
}

// packI8K makes the packer of a type.
func packI8K(row coded) packer {
	return func(dst, src []byte, stride, n int) {
		var scales [16]int8
		var codes [256]int8
		for r := range n {
			*(*float32)(unsafe.Pointer(&dst[4*r])) = row(src[r*stride:], &scales, &codes)
			for s, v := range scales {
				dst[128+32*s+r] = byte(v)
			}
			words := unsafe.Slice((*byte)(unsafe.Pointer(&codes)), len(codes))
			packLines(dst[640+lineByte(0, r, 0):], words, 0, 1, 64, 0x80808080)
		}
	}
}

// block256 is a block of a panel, unpacked: line j has values 4j to 4j+3, their offset
// taken off.
type block256 struct {
	scale, minimum [panelRows]float32
	sub            [16][panelRows]int8
	subMin         [16][panelRows]int32
	code           [64]lineCodes
}

func (b *block256) scalesK(src []byte) {
	var lines [512]byte
	for i := range 64 {
		for l := range 6 {
			lines[64*l+i] = src[64*l+i] & 63
		}
		for l := range 2 {
			s := src[192*l+i:]
			lines[384+64*l+i] = s[0]>>6 | s[64]>>6<<2 | s[128]>>6<<4
		}
	}
	for j := range 8 {
		for r := range panelRows {
			b.sub[2*j][r] = int8(lines[32*j+r])
			b.sub[2*j+1][r] = b.sub[2*j][r]
			b.subMin[2*j][r] = int32(lines[256+64*(j/2)+2*r+j%2])
			b.subMin[2*j+1][r] = b.subMin[2*j][r]
		}
	}
}

// nibblesK reads lines whose line 8g+j has values 64g+4j and 64g+32+4j.
func (b *block256) nibblesK(lines []byte) {
	for j := range 32 {
		at := j/8*16 + j%8
		for i, q := range lines[128*j : 128*j+128] {
			b.code[at][i], b.code[at+8][i] = int8(q&15), int8(q>>4)
		}
	}
}

func unpackQ4K(b *block256, src []byte) {
	readF16(b.scale[:], src)
	readF16(b.minimum[:], src[64:])
	b.scalesK(src[128:])
	b.nibblesK(src[512:])
}

func unpackQ5K(b *block256, src []byte) {
	readF16(b.scale[:], src)
	readF16(b.minimum[:], src[64:])
	b.scalesK(src[128:])
	b.nibblesK(src[1536:])
	b.topBits(src[512:], 4)
}

// topBits adds a bit to the codes at place, out of the lines' masks.
func (b *block256) topBits(masks []byte, place int) {
	for j := range b.code {
		b.code[j].addBits(masks[16*j:], place)
	}
}

// subScales reads the scales of 16 sub-blocks.
func (b *block256) subScales(src []byte) {
	for s := range 16 {
		for r := range panelRows {
			b.sub[s][r] = int8(src[32*s+r])
		}
	}
}

func unpackQ6K(b *block256, src []byte) {
	readF16(b.scale[:], src)
	b.subScales(src[64:])
	for j := range b.code {
		h, g, l := j/32, j/8%4, j%8
		low, high := src[576+128*(16*h+g%2*8+l):], src[4672+128*(8*h+l):]
		for i := range b.code[j] {
			b.code[j][i] = int8(low[i]>>(g/2*4)&15|high[i]>>(2*g)&3<<4) - 32
		}
	}
}

func unpackI8K(b *block256, src []byte) {
	readF32(b.scale[:], src)
	b.subScales(src[128:])
	for j := range b.code {
		b.code[j].offset(src[640+128*j:])
	}
}

// plain256 is the definition for blocks of 256: integers within a block, sub-block
// scales and minima included, then the float scales; blocks in order.
func plain256(p *product, unpack func(*block256, []byte)) {
	var sums [groupRows][panelRows]float32
	var w block256
	panel := bytesAt(p.w, p.blocks*p.bytes)
	for b := range p.blocks {
		unpack(&w, panel[b*p.bytes:])
		for i := range p.rows {
			x := bytesAt(p.x[i], p.blocks*q8kBytes)[b*q8kBytes:][:q8kBytes]
			scale := math.Float32frombits(le32(x[q8kScale:]))
			var total, low [panelRows]int32
			for s := range w.sub {
				var dots [panelRows]int32
				for j := 4 * s; j < 4*s+4; j++ {
					w.code[j].dot(&dots, x[4*j:])
				}
				sum := int32(le32(x[q8kOffsets+4*s:])) / -32
				for r, dot := range dots {
					total[r] += dot * int32(w.sub[s][r])
					low[r] += sum * w.subMin[s][r]
				}
			}
			for r := range total {
				sums[i][r] += float32(total[r])*(w.scale[r]*scale) - float32(low[r])*(w.minimum[r]*scale)
			}
		}
	}
	p.store(&sums)
}
