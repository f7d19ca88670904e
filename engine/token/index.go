package token

import (
	"hash/maphash"
	"math/bits"
)

// index finds strings of a long list. It is built once, three times as fast as
// a map, and the garbage collector sees nothing of it but the list:
// vocabularies have up to 250,000 tokens and twice as many merges, and are
// loaded while somebody waits.
type index struct {
	texts []string
	seed  maphash.Seed
	// slots are at most three quarters full. A slot holds the upper bits of the
	// string's hash and, in the lower ones, its place in the list plus one; 0 is
	// a free slot.
	slots []uint64
	shift uint8
}

// maxIndexed is how many strings an index takes: what the lower bits can say.
const maxIndexed = 1<<24 - 2

// newIndex finds the first of equal strings, and never the empty one. The list
// is kept.
func newIndex(texts []string) *index {
	log := bits.Len(uint(len(texts) + len(texts)/3 + 1))
	x := &index{texts: texts, seed: maphash.MakeSeed(), slots: make([]uint64, 1<<log), shift: uint8(64 - log)}
	mask := len(x.slots) - 1
next:
	for i, s := range texts {
		if s == "" {
			continue
		}
		h := maphash.String(x.seed, s)
		at := int(h >> x.shift)
		for ; x.slots[at] != 0; at = (at + 1) & mask {
			if slot := x.slots[at]; slot&^maxSlot == h<<24 && texts[slot&maxSlot-1] == s {
				continue next
			}
		}
		x.slots[at] = h<<24 | uint64(i+1)
	}
	return x
}

const maxSlot = maxIndexed + 1

// find returns the place of a string in the list.
func (x *index) find(s []byte) (int32, bool) {
	h := maphash.Bytes(x.seed, s)
	mask := len(x.slots) - 1
	for at := int(h >> x.shift); ; at = (at + 1) & mask {
		slot := x.slots[at]
		if slot == 0 {
			return 0, false
		}
		if i := slot&maxSlot - 1; slot&^maxSlot == h<<24 && x.texts[i] == string(s) {
			return int32(i), true
		}
	}
}
