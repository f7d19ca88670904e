package engine

import (
	"slices"

	"github.com/confab-tui/confab/engine/kv"
)

// rememberer is an executor for a model with recurrent layers. What those
// remember of a sequence lies in a slot and holds for its last position only: it
// can go on from there, but neither be shared nor rewound.
type rememberer interface {
	// Slots is how many there are, 0 for a model without recurrent layers.
	Slots() int
}

// slots hands slots out. A sequence that has ended rests in its slot, with its
// cells, until a request goes on exactly from its end, or until somebody needs
// the slot or the cells. Nil where the model has no recurrent layers.
type slots struct {
	pool    *kv.Pool
	free    []int
	resting []rest // the one used longest ago first
}

type rest struct {
	seq  *kv.Seq
	slot int
}

func newSlots(exec executor, pool *kv.Pool) *slots {
	r, ok := exec.(rememberer)
	if !ok || r.Slots() == 0 {
		return nil
	}
	s := &slots{pool: pool}
	for i := range r.Slots() {
		s.free = append(s.free, i)
	}
	return s
}

// take gives a place to a sequence of tokens: one that rests at a prefix of them,
// the longest, or an empty one. It returns false where all slots are in use.
func (s *slots) take(owner string, tokens []int32) (*kv.Seq, int, bool) {
	if i := s.match(tokens); i >= 0 {
		r := s.resting[i]
		s.resting = slices.Delete(s.resting, i, i+1)
		s.pool.Wake(r.seq, owner)
		return r.seq, r.slot, true
	}
	if len(s.free) == 0 && !s.drop() {
		return nil, 0, false
	}
	slot := s.free[0]
	s.free = s.free[1:]
	return s.pool.Open(owner, nil), slot, true
}

// match finds the resting sequence that is the longest prefix of tokens, or -1.
func (s *slots) match(tokens []int32) int {
	best, length := -1, 0
	for i, r := range s.resting {
		n := r.seq.Len()
		if n > length && n <= len(tokens) && kv.Common(r.seq.Tokens(), tokens) == n {
			best, length = i, n
		}
	}
	return best
}

// give lays a sequence to rest, or, where it is of no use, frees its place.
func (s *slots) give(seq *kv.Seq, slot int, useful bool) {
	if !useful {
		s.pool.Close(seq, 0)
		s.free = append(s.free, slot)
		return
	}
	s.pool.Rest(seq)
	s.resting = append(s.resting, rest{seq, slot})
}

// drop frees what has rested longest.
func (s *slots) drop() bool {
	if s == nil || len(s.resting) == 0 {
		return false
	}
	r := s.resting[0]
	s.resting = s.resting[1:]
	s.give(r.seq, r.slot, false)
	return true
}

// cells counts what dropping everything at rest would free.
func (s *slots) cells() int {
	n := 0
	if s != nil {
		for _, r := range s.resting {
			n += r.seq.Len()
		}
	}
	return n
}

// open gives a its place in the pool, with whatever the pool holds of it. It
// returns false where no slot is free.
func (e *Engine) open(a *answer) bool {
	if e.slots == nil {
		a.seq = e.pool.Open(a.req.Conversation, a.reusable())
		return true
	}
	var ok bool
	a.seq, a.slot, ok = e.slots.take(a.req.Conversation, a.reusable())
	return ok
}

// leave takes a's place away. Of the tokens that a knows, those that were evaluated stay
// for reuse: its sequence may also hold draft tokens, which agreed after a had ended. broken
// says that a step broke off: cells still hold what they held, but what recurrent layers
// remember may be of a later position.
func (e *Engine) leave(a *answer, broken bool) {
	seq := a.seq
	a.seq = nil
	e.unqueue(a)
	keep := min(seq.Len(), len(a.tokens))
	if a.fresh() {
		keep = 0
	}
	if e.slots == nil {
		e.pool.Close(seq, keep)
		return
	}
	evaluated := e.pool.Settle(seq)
	e.slots.give(seq, a.slot, !broken && evaluated > 0 && evaluated <= keep)
}
