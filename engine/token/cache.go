package token

import (
	"encoding/binary"
	"math/bits"
)

const (
	cacheBits = 14
	// Words of up to cacheBytes that make up to cacheIDs tokens are remembered:
	// nearly all of what people write.
	cacheBytes = 24
	cacheIDs   = 4
)

// cache remembers the tokens of words. It never grows: a word takes the place
// of the one that was there before.
type cache struct {
	slots [1 << cacheBits]cached
}

// cached is a word, filled with zeros, and its tokens; length 0 is no word.
type cached struct {
	key    [cacheBytes / 8]uint64
	ids    [cacheIDs]int32
	length uint8
	n      uint8
}

// slot returns the place of a word of 1 to cacheBytes bytes, with the word in
// the form that the place keeps it in.
func (c *cache) slot(word string) (*cached, [cacheBytes / 8]uint64) {
	var b [cacheBytes]byte
	copy(b[:], word)
	key := [...]uint64{
		binary.LittleEndian.Uint64(b[0:]),
		binary.LittleEndian.Uint64(b[8:]),
		binary.LittleEndian.Uint64(b[16:]),
	}
	// Odd 64-bit constants with no pattern; the product's middle bits mix best.
	hi, lo := bits.Mul64(key[0]^0x9e3779b97f4a7c15, key[1]^0xd6e8feb86659fd93)
	hash := (hi ^ lo ^ key[2] ^ uint64(len(word))) * 0xff51afd7ed558ccd
	return &c.slots[hash>>(64-cacheBits)], key
}

// get appends the tokens of a word that is remembered.
func (c *cache) get(dst []int32, word string) ([]int32, bool) {
	if len(word) > cacheBytes {
		return dst, false
	}
	s, key := c.slot(word)
	if int(s.length) != len(word) || s.key != key {
		return dst, false
	}
	return append(dst, s.ids[:s.n]...), true
}

// put remembers the tokens of a word, if both are short.
func (c *cache) put(word string, ids []int32) {
	if len(word) == 0 || len(word) > cacheBytes || len(ids) > cacheIDs {
		return
	}
	s, key := c.slot(word)
	s.key, s.length, s.n = key, uint8(len(word)), uint8(len(ids))
	copy(s.ids[:], ids)
}
