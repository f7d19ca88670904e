package token

import (
	"encoding/binary"
	"math/bits"
)

const (
	cacheBits = 13
	// Words of up to cacheBytes that make up to cacheIDs tokens are remembered:
	// nearly all of what people write.
	cacheBytes = 24
	cacheIDs   = 4
)

// cache remembers the tokens of words. It never grows: a word takes the place
// of the older of the two that share its row.
type cache struct {
	rows [1 << cacheBits][2]cached
}

// cached is a word, filled with zeros, and its tokens; length 0 is no word.
type cached struct {
	key    packed
	ids    [cacheIDs]int32
	length uint8
	n      uint8
}

// packed is a text of up to cacheBytes in the form in which texts are compared.
type packed [cacheBytes / 8]uint64

// row returns the row of a text of up to cacheBytes.
func (c *cache) row(text string) (*[2]cached, packed) {
	var b [cacheBytes]byte
	copy(b[:], text)
	key := packed{
		binary.LittleEndian.Uint64(b[0:]),
		binary.LittleEndian.Uint64(b[8:]),
		binary.LittleEndian.Uint64(b[16:]),
	}
	// Odd 64-bit constants with no pattern; the product's middle bits mix best.
	hi, lo := bits.Mul64(key[0]^0x9e3779b97f4a7c15, key[1]^0xd6e8feb86659fd93)
	hash := (hi ^ lo ^ key[2] ^ uint64(len(text))) * 0xff51afd7ed558ccd
	return &c.rows[hash>>(64-cacheBits)], key
}

// get appends the tokens of a word that is remembered.
func (c *cache) get(dst []int32, word string) ([]int32, bool) {
	if len(word) > cacheBytes {
		return dst, false
	}
	row, key := c.row(word)
	for i := range row {
		if s := &row[i]; int(s.length) == len(word) && s.key == key {
			return append(dst, s.ids[:s.n]...), true
		}
	}
	return dst, false
}

// put remembers the tokens of a word that is not remembered, if both are short.
func (c *cache) put(word string, ids []int32) {
	if len(word) == 0 || len(word) > cacheBytes || len(ids) > cacheIDs {
		return
	}
	row, key := c.row(word)
	row[1] = row[0]
	s := &row[0]
	s.key, s.length, s.n = key, uint8(len(word)), uint8(len(ids))
	copy(s.ids[:], ids)
}
