package matmul

import (
	"github.com/confab-tui/confab/kernels"
)

// Panels of IQ1, in blocks of 256 values with a scale (F16) a row and 16 lines of 2-bit codes
// q; a value is 8(q-1)+1 or 8(q-1)-1, an eighth of that in the scale's measure. Words of 32
// bits a row have nibbles for the scales of sub-blocks, which are odd.
//
//   - IQ1_S: a word of 8 nibbles, less 1 where values go down
//   - IQ1_M: two words of 8 nibbles, each for 128 values, then a word of 32 bits, set where 8
//     values go up
var (
	layoutIQ1S = &layout{kindIQ1S, kernels.FormQ8K, 256, 64 + 128 + 2048, 35}
	layoutIQ1M = &layout{kindIQ1M, kernels.FormQ8K, 256, 64 + 256 + 128 + 2048, 39}
)

// nibbleIQ1S is where the nibble of a row's sub-block s is: neighbours are two bytes apart,
// as products with pairs of sums want them.
func nibbleIQ1S(r, s int) (at, shift int) {
	return 64 + 4*r + s%2*2 + s/2%2, s / 4 * 4
}

// nibbleIQ1M is where the nibble of a row's sub-block s is: s and s+4 are two bytes apart.
func nibbleIQ1M(r, s int) (at, shift int) {
	return 64 + 128*(s/8) + 4*r + s%2 + s/4%2*2, s / 2 % 2 * 4
}

// bitIQ1M is where the bit of values from 8 times eight on is: in the byte that their nibble
// has in its word.
func bitIQ1M(r, eight int) (at, shift int) {
	s := eight / 2
	return 320 + 4*r + s%2 + s/4%2*2, s/8*4 + s/2%2*2 + eight%2
}

// upIQ1 says by 1 that a code is one of those that go up.
func upIQ1(code int8) byte { return byte(code>>1&1) ^ 1 }

func packIQ1S(dst, src []byte, stride, n int) {
	packIQ1(dst, dst[192:], src, stride, n, codesIQ1S, func(r int, scales *[16]int8, codes *[256]int8) {
		for s := range 8 {
			at, shift := nibbleIQ1S(r, s)
			dst[at] |= (byte(scales[2*s]) - 1 + upIQ1(codes[32*s])) << shift
		}
	})
}

func packIQ1M(dst, src []byte, stride, n int) {
	packIQ1(dst, dst[448:], src, stride, n, codesIQ1M, func(r int, scales *[16]int8, codes *[256]int8) {
		for s, scale := range scales {
			at, shift := nibbleIQ1M(r, s)
			dst[at] |= byte(scale) << shift
		}
		for eight := range 32 {
			at, shift := bitIQ1M(r, eight)
			dst[at] |= upIQ1(codes[8*eight]) << shift
		}
	})
}

// packIQ1 stores scales and lines, and by words what else a row has.
func packIQ1(dst, lines, src []byte, stride, n int, row coded, words func(r int, scales *[16]int8, codes *[256]int8)) {
	clear(dst)
	var scales [16]int8
	var codes [256]int8
	for r := range n {
		packEighths(dst, r, row(src[r*stride:], &scales, &codes))
		words(r, &scales, &codes)
		for i, v := range codes {
			at, shift := twoBitPlace(r, i)
			lines[at] |= byte(v+12) >> 3 << shift
		}
	}
}

func unpackIQ1S(b *block256, src []byte) {
	b.unpackIQ1(src, src[192:], func(r, eight int) (scale, up int8) {
		at, shift := nibbleIQ1S(r, eight/4)
		nibble := int8(src[at] >> shift & 15)
		return nibble | 1, nibble & 1
	})
}

func unpackIQ1M(b *block256, src []byte) {
	b.unpackIQ1(src, src[448:], func(r, eight int) (scale, up int8) {
		at, shift := nibbleIQ1M(r, eight/2)
		bitAt, bitShift := bitIQ1M(r, eight)
		return int8(src[at] >> shift & 15), int8(src[bitAt] >> bitShift & 1)
	})
}

// unpackIQ1 reads a block, of whose values from 8 times eight on scaled says a row's scale and
// whether they go up.
func (b *block256) unpackIQ1(src, lines []byte, scaled func(r, eight int) (scale, up int8)) {
	readEighths(b.scale[:], src)
	b.twoBits(lines)
	for r := range panelRows {
		for eight := range 32 {
			scale, up := scaled(r, eight)
			b.sub[eight/2][r] = scale
			for i := range 8 {
				code := &b.code[2*eight+i/4][4*r+i%4]
				*code = 8*(*code) - 9 + 2*up
			}
		}
	}
}
