package kv

import "math/bits"

// stretch is how many neighbouring cells a sequence gets where it can, a power of two up to 64:
// sequences that are answered together would take turns otherwise, and attention would read
// a few lines here and there.
const stretch = 8

// bitmap is the set of free cells; it gives low ones first, so that the used
// part of the pool stays together.
type bitmap struct {
	words []uint64
	n     int // members
	low   int // no word below it has a member
	whole int // no word below it has a whole stretch of members
}

func newBitmap(size int) bitmap { return bitmap{words: make([]uint64, (size+63)/64)} }

func (b *bitmap) has(c int32) bool { return b.words[c/64]>>(c%64)&1 != 0 }

func (b *bitmap) set(c int32) {
	b.words[c/64] |= 1 << (c % 64)
	b.n++
	b.low = min(b.low, int(c/64))
	b.whole = min(b.whole, int(c/64))
}

// take removes a member for a sequence whose last cell is known, or 0: the next one of the same stretch,
// or else the first one of the lowest whole stretch, or else the lowest. There must be one.
func (b *bitmap) take(last int32) int32 {
	c := last + 1
	if c%stretch == 0 || !b.has(c) {
		c = b.lowest()
	}
	b.words[c/64] &^= 1 << (c % 64)
	b.n--
	return c
}

func (b *bitmap) lowest() int32 {
	for ; b.whole < len(b.words); b.whole++ {
		if w := stretches(b.words[b.whole]); w != 0 {
			return int32(b.whole*64 + bits.TrailingZeros64(w))
		}
	}
	for b.words[b.low] == 0 {
		b.low++
	}
	return int32(b.low*64 + bits.TrailingZeros64(b.words[b.low]))
}

// stretches has the first bit of every whole stretch of a word.
func stretches(w uint64) uint64 {
	first := uint64(1)
	for n := 1; n < stretch; n *= 2 {
		w &= w >> n
	}
	for n := stretch; n < 64; n *= 2 {
		first |= first << n
	}
	return w & first
}
