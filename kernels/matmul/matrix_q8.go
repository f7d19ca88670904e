package matmul

import (
	"math"
	"unsafe"

	"github.com/confab-tui/confab/kernels"
)

// Panels of blocks of 32 values, for FormQ8. A block starts with the rows' scales
// (F16; BF16 for MXFP4), then their minima where the type has them, then the fifth
// bits, then lines of codes:
//
//   - 8-bit codes: line j is values 4j to 4j+3, plus 128
//   - 4-bit codes: line j has values 4j to 4j+3 in the low nibbles and 16+4j to
//     16+4j+3 in the high ones; a table of 16 gives what a code stands for, plus 128
//   - fifth bits: for each of the 8 lines of values, 64 bits a half, one a code
var (
	layoutI8   = &layout{kindI8, kernels.FormQ8, 32, 64 + 1024, 18}
	layoutQ4_0 = &layout{kindQ4_0, kernels.FormQ8, 32, 64 + 512, 10}
	layoutIQ4  = &layout{kindIQ4, kernels.FormQ8, 32, 64 + 512, 10}
	layoutFP4  = &layout{kindFP4, kernels.FormQ8, 32, 64 + 512, 10}
	layoutQ4_1 = &layout{kindQ4_1, kernels.FormQ8, 32, 128 + 512, 10}
	layoutQ5_0 = &layout{kindQ5_0, kernels.FormQ8, 32, 64 + 128 + 512, 12}
	layoutQ5_1 = &layout{kindQ5_1, kernels.FormQ8, 32, 128 + 128 + 512, 12}
)

// packLines turns rows of so many 4-byte words into as many lines, flipping the
// bits of flip in every word.
func packLines(dst, src []byte, stride, n, words int, flip uint32) {
	if packLinesFast(dst, src, stride, n, words, flip) {
		return
	}
	for r := range n {
		row := unsafe.Slice(&src[r*stride], 4*words)
		at := unsafe.Pointer(&dst[r*4])
		for j := range words {
			*(*uint32)(unsafe.Add(at, 128*j)) = le32(row[4*j:]) ^ flip
		}
	}
}

// packHalves copies one 16-bit number a row.
func packHalves(dst, src []byte, stride, n int) {
	for r := range n {
		dst[2*r], dst[2*r+1] = src[r*stride], src[r*stride+1]
	}
}

// packFifth turns a row's 32 fifth bits into bits of the lines' masks, two rows at a
// time: they share bytes.
func packFifth(dst, src []byte, stride, n int) {
	for r := 0; r < n; r += 2 {
		first, second := le32(src[r*stride:]), uint32(0)
		if r+1 < n {
			second = le32(src[(r+1)*stride:])
		}
		at := dst[r/16*8+r%16/2:]
		for j := range 8 {
			at[16*j] = byte(first&15 | second&15<<4)
			first, second = first>>4, second>>4
		}
	}
}

func packQ8_0(dst, src []byte, stride, n int) {
	packHalves(dst, src, stride, n)
	packLines(dst[64:], src[2:], stride, n, 8, 0x80808080)
}

// packQ4 is for Q4_0 and IQ4_NL.
func packQ4(dst, src []byte, stride, n int) {
	packHalves(dst, src, stride, n)
	packLines(dst[64:], src[2:], stride, n, 4, 0)
}

// packMXFP4 stores scales as BF16, which holds every power of two of the type.
func packMXFP4(dst, src []byte, stride, n int) {
	for r := range n {
		*(*uint16)(unsafe.Pointer(&dst[2*r])) = kernels.F32ToBF16(e8m0Half(src[r*stride]))
	}
	packLines(dst[64:], src[1:], stride, n, 4, 0)
}

func packQ4_1(dst, src []byte, stride, n int) {
	packHalves(dst, src, stride, n)
	packHalves(dst[64:], src[2:], stride, n)
	packLines(dst[128:], src[4:], stride, n, 4, 0)
}

func packQ5_0(dst, src []byte, stride, n int) {
	packHalves(dst, src, stride, n)
	packFifth(dst[64:192], src[2:], stride, n)
	packLines(dst[192:], src[6:], stride, n, 4, 0)
}

func packQ5_1(dst, src []byte, stride, n int) {
	packHalves(dst, src, stride, n)
	packHalves(dst[64:], src[2:], stride, n)
	packFifth(dst[128:256], src[4:], stride, n)
	packLines(dst[256:], src[8:], stride, n, 4, 0)
}

// packCodes stores one row's int8 codes of a block of 32 into a block of layoutI8.
func packCodes(dst []byte, r int, scale []byte, code func(i int) int8) {
	dst[2*r], dst[2*r+1] = scale[0], scale[1]
	for i := range 32 {
		dst[64+lineByte(i/4, r, i%4)] = byte(code(i)) ^ 128
	}
}

// packQ1_0Wide makes 4 blocks of one, packQ2_0Wide two.
func packQ1_0Wide(dst, src []byte, stride, n int) {
	for r := range n {
		b := src[r*stride:]
		for part := range 4 {
			packCodes(dst[part*layoutI8.bytes:], r, b, func(i int) int8 {
				return int8(b[2+4*part+i/8]>>(i%8)&1)*2 - 1
			})
		}
	}
}

func packQ2_0Wide(dst, src []byte, stride, n int) {
	for r := range n {
		b := src[r*stride:]
		for part := range 2 {
			packCodes(dst[part*layoutI8.bytes:], r, b, func(i int) int8 {
				return int8(b[2+8*part+i/4]>>(i%4*2)&3) - 1
			})
		}
	}
}

// lineByte is where byte c of row r stands in line j of a block's lines.
func lineByte(j, r, c int) int { return 128*j + 64*(r/16) + 4*(r%16) + c }

// lineCodes are 4 values of each of a panel's rows, in the order of a line.
type lineCodes [4 * panelRows]int8

// block32 is a block of a panel, unpacked: line j has values 4j to 4j+3.
type block32 struct {
	scale, minimum [panelRows]float32
	code           [8]lineCodes
}

// nibbles reads lines of them, through a table.
func (b *block32) nibbles(lines []byte, table *[16]int8) {
	for j := range 4 {
		for i, q := range lines[128*j : 128*j+128] {
			b.code[j][i], b.code[4+j][i] = table[q&15], table[q>>4]
		}
	}
}

// addBits adds a bit, moved to its place, to each of a line's codes.
func (c *lineCodes) addBits(bits []byte, place int) {
	for i := range c {
		c[i] += int8(bits[i/8]>>(i%8)&1) << place
	}
}

func (b *block32) fifths(bits []byte) {
	for j := range b.code {
		b.code[j].addBits(bits[16*j:], 4)
	}
}

func unpackI8(b *block32, src []byte) {
	readF16(b.scale[:], src)
	for j := range b.code {
		b.code[j].offset(src[64+128*j:])
	}
}

// offset reads a line of 8-bit codes, which are stored plus 128.
func (c *lineCodes) offset(line []byte) {
	for i, q := range line[:len(c)] {
		c[i] = int8(q ^ 128)
	}
}

// dot adds a line's products with 4 values of an input row to the sums of the rows.
func (c *lineCodes) dot(sums *[panelRows]int32, x []byte) {
	x0, x1, x2, x3 := int32(int8(x[0])), int32(int8(x[1])), int32(int8(x[2])), int32(int8(x[3]))
	for r := range sums {
		q := c[4*r : 4*r+4 : 4*r+4]
		sums[r] += int32(q[0])*x0 + int32(q[1])*x1 + int32(q[2])*x2 + int32(q[3])*x3
	}
}

// tableQ4, tableQ5 and tableQ4Plain are the codes of Q4_0, Q5_0 (before the fifth
// bit) and of the types with a minimum.
var (
	tableQ4      = [16]int8{-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7}
	tableQ5      = [16]int8{-16, -15, -14, -13, -12, -11, -10, -9, -8, -7, -6, -5, -4, -3, -2, -1}
	tableQ4Plain = [16]int8{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
)

func unpackQ4_0(b *block32, src []byte) {
	readF16(b.scale[:], src)
	b.nibbles(src[64:], &tableQ4)
}

func unpackIQ4(b *block32, src []byte) {
	readF16(b.scale[:], src)
	b.nibbles(src[64:], &tableIQ4)
}

func unpackFP4(b *block32, src []byte) {
	readBF16(b.scale[:], src)
	b.nibbles(src[64:], &tableFP4)
}

func unpackQ4_1(b *block32, src []byte) {
	readF16(b.scale[:], src)
	readF16(b.minimum[:], src[64:])
	b.nibbles(src[128:], &tableQ4Plain)
}

func unpackQ5_0(b *block32, src []byte) {
	readF16(b.scale[:], src)
	b.nibbles(src[192:], &tableQ5)
	b.fifths(src[64:])
}

func unpackQ5_1(b *block32, src []byte) {
	readF16(b.scale[:], src)
	readF16(b.minimum[:], src[64:])
	b.nibbles(src[256:], &tableQ4Plain)
	b.fifths(src[128:])
}

// plain32 is the definition for blocks of 32: integer products within a block,
// then scale times scale times that, and the minimum times the input's sum; blocks
// in order.
func plain32(p *product, unpack func(*block32, []byte)) {
	var sums [groupRows][panelRows]float32
	var w block32
	panel := bytesAt(p.w, p.blocks*p.bytes)
	for b := range p.blocks {
		unpack(&w, panel[b*p.bytes:])
		for i := range p.rows {
			x := bytesAt(p.x[i], p.blocks*q8Bytes)[b*q8Bytes:][:q8Bytes]
			scale := math.Float32frombits(le32(x[q8Scale:]))
			sum := math.Float32frombits(le32(x[q8Sum:]))
			var dots [panelRows]int32
			for j := range w.code {
				w.code[j].dot(&dots, x[4*j:])
			}
			for r, dot := range dots {
				sums[i][r] += float32(dot)*(w.scale[r]*scale) + w.minimum[r]*sum
			}
		}
	}
	p.store(&sums)
}
