package token

import "math/bits"

// pairs is a table from two symbols to the rank and the result of their merge.
// It is a flat array that is never more than half full, so that a look takes
// one memory access and the garbage collector sees nothing: vocabularies have
// up to 500,000 merges.
type pairs struct {
	slots []pair
	shift uint8
}

// pair is one merge; the key 0 marks a free slot, see keyOf.
type pair struct {
	key  uint64
	rank uint32
	id   int32
}

func newPairs(n int) pairs {
	log := max(bits.Len(uint(n))+1, 4)
	return pairs{slots: make([]pair, 1<<log), shift: uint8(64 - log)}
}

// keyOf is never 0: left is at least 0.
func keyOf(left, right int32) uint64 { return uint64(left+1)<<32 | uint64(uint32(right)) }

// find returns the slot of a key, or the free one where it would be.
func (p *pairs) find(key uint64) *pair {
	mask := len(p.slots) - 1
	// 2^64 divided by the golden ratio spreads neighbouring keys.
	for i := int(key * 0x9e3779b97f4a7c15 >> p.shift); ; i = (i + 1) & mask {
		if s := &p.slots[i]; s.key == key || s.key == 0 {
			return s
		}
	}
}

// add puts in a merge unless the pair is there already.
func (p *pairs) add(left, right int32, rank uint32, id int32) {
	key := keyOf(left, right)
	if s := p.find(key); s.key == 0 {
		*s = pair{key, rank, id}
	}
}

func (p *pairs) get(left, right int32) (rank uint32, id int32, ok bool) {
	if left < 0 || right < 0 {
		return 0, 0, false
	}
	s := p.find(keyOf(left, right))
	return s.rank, s.id, s.key != 0
}
