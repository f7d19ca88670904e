package kv

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"testing"
)

// naive is the pool as anybody would write it: it knows what each cell holds,
// and keeps every token list that was closed.
type naive struct {
	t      *testing.T
	pool   *Pool
	holds  []uint64 // by cell: the hash of the prefix that was written there, 0 after it was freed
	seqs   []*Seq
	want   [][]int32 // the tokens of seqs
	closed [][]int32
	forgot bool // something may have been evicted
}

func prefixHash(tokens []int32) uint64 {
	h := fnv.New64a()
	for _, t := range tokens {
		h.Write([]byte{byte(t), byte(t >> 8)})
	}
	return h.Sum64() | 1
}

// TestRandom drives a small pool at random. Whatever happens, each sequence
// reads its own tokens, nothing is lost that could be kept, and the accounts
// add up.
func TestRandom(t *testing.T) {
	rounds := 300
	if testing.Short() {
		rounds = 40
	}
	for seed := range rounds {
		rnd := rand.New(rand.NewPCG(uint64(seed), 1))
		cells := 8 + rnd.IntN(60)
		n := &naive{t: t, pool: New(cells), holds: make([]uint64, cells)}
		n.pool.Freed = func(c int32) { n.holds[c] = 0 }
		for range 200 {
			n.act(rnd)
			n.check(fmt.Sprintf("seed %d", seed))
		}
	}
}

func (n *naive) act(rnd *rand.Rand) {
	some := func(max int) []int32 {
		list := make([]int32, rnd.IntN(max+1))
		for i := range list {
			list[i] = int32(rnd.IntN(2))
		}
		return list
	}
	if len(n.seqs) == 0 || len(n.seqs) < 5 && rnd.IntN(4) == 0 {
		tokens := some(12)
		n.opened(n.pool.Open(fmt.Sprint(rnd.IntN(4)), tokens), tokens, 0)
		return
	}
	i := rnd.IntN(len(n.seqs))
	s, want := n.seqs[i], n.want[i]
	switch rnd.IntN(7) {
	case 0, 1, 2:
		n.extend(i, some(8), rnd)
	case 3:
		tokens := append(slices.Clone(want), some(6)...)
		from := s.Len()
		n.pool.Adopt(s, tokens)
		n.seqs, n.want = slices.Delete(n.seqs, i, i+1), slices.Delete(n.want, i, i+1)
		n.opened(s, tokens, from)
	case 4:
		at := rnd.IntN(s.Len() + 1)
		n.pool.Truncate(s, at)
		n.want[i] = want[:at]
	case 5:
		at := rnd.IntN(s.Len() + 1)
		n.opened(n.pool.Open("branch", want[:at]), want[:at], 0)
	case 6:
		keep := rnd.IntN(s.Len() + 1)
		n.closed = append(n.closed, slices.Clone(want[:keep]))
		n.pool.Close(s, keep)
		n.seqs, n.want = slices.Delete(n.seqs, i, i+1), slices.Delete(n.want, i, i+1)
	}
}

// opened takes s in, which was offered tokens and had from of them before.
func (n *naive) opened(s *Seq, tokens []int32, from int) {
	best := from
	for _, l := range append(slices.Clone(n.want), n.closed...) {
		best = max(best, Common(l, tokens))
	}
	if s.Len() > best || !n.forgot && s.Len() < best {
		n.t.Fatalf("%v found %d tokens, the longest known prefix has %d", tokens, s.Len(), best)
	}
	n.seqs = append(n.seqs, s)
	n.want = append(n.want, slices.Clone(tokens[:s.Len()]))
}

// extend adds tokens the way a step does: claim, write, commit, and sometimes
// only a part of them.
func (n *naive) extend(i int, tokens []int32, rnd *rand.Rand) {
	s := n.seqs[i]
	room := n.pool.Free() + n.pool.Idle()
	if len(tokens) > n.pool.Free() {
		n.forgot = true
	}
	before := n.pool.Free()
	if ok := n.pool.Extend(s, tokens); ok != (len(tokens) <= room) {
		n.t.Fatalf("extend by %d with room for %d: %v", len(tokens), room, ok)
	} else if !ok {
		if n.pool.Free() != before || s.Len() != len(n.want[i]) {
			n.t.Fatal("a refused extend changed something")
		}
		return
	}
	from := len(n.want[i])
	done := from + rnd.IntN(len(tokens)+1)
	n.want[i] = append(slices.Clone(n.want[i]), tokens...)
	for at := from; at < s.Len(); at++ {
		if n.holds[s.Cells()[at]] != 0 {
			n.t.Fatalf("cell %d was handed out in use", s.Cells()[at])
		}
		n.holds[s.Cells()[at]] = prefixHash(n.want[i][:at+1])
	}
	n.pool.Commit(s, done)
	n.pool.Truncate(s, done)
	n.want[i] = n.want[i][:done]
}

func (n *naive) check(when string) {
	if err := n.pool.verify(); err != nil {
		n.t.Fatalf("%s: %v", when, err)
	}
	held := make(map[int32]bool)
	for i, s := range n.seqs {
		if !slices.Equal(s.Tokens(), n.want[i]) {
			n.t.Fatalf("%s: sequence has %v, wants %v", when, s.Tokens(), n.want[i])
		}
		for at, c := range s.Cells() {
			held[c] = true
			if n.holds[c] != prefixHash(n.want[i][:at+1]) {
				n.t.Fatalf("%s: cell %d does not hold token %d of %v", when, c, at, n.want[i])
			}
		}
	}
	u := n.pool.Usage(16)
	if u.Held != len(held) || u.Held+u.Cached+u.Free != u.Total {
		n.t.Fatalf("%s: %d cells held, usage says %+v", when, len(held), u)
	}
}
