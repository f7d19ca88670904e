package kv

import "math/bits"

// bitmap is the set of free cells; it gives the lowest first, so that the used
// part of the pool stays together.
type bitmap struct {
	words []uint64
	n     int // members
	low   int // no word below it has a member
}

func newBitmap(size int) bitmap { return bitmap{words: make([]uint64, (size+63)/64)} }

func (b *bitmap) has(c int32) bool { return b.words[c/64]>>(c%64)&1 != 0 }

func (b *bitmap) set(c int32) {
	b.words[c/64] |= 1 << (c % 64)
	b.n++
	b.low = min(b.low, int(c/64))
}

// take removes the lowest member, which must exist.
func (b *bitmap) take() int32 {
	for b.words[b.low] == 0 {
		b.low++
	}
	i := bits.TrailingZeros64(b.words[b.low])
	b.words[b.low] &^= 1 << i
	b.n--
	return int32(b.low*64 + i)
}
