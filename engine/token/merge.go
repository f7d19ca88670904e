package token

import "unicode/utf8"

// symbol is a stretch of the word in encoder.buf: a character at first.
type symbol struct {
	start, end int32
	prev, next int32 // neighbours, -1 at the ends
}

// candidate is a pair of neighbours that may be merged.
type candidate struct {
	// order sorts candidates, the least first: the rank above, the index of the
	// left symbol below, so that of equal ranks the leftmost is first.
	order uint64
	left  int32
	// size is that of both symbols together: where it is no longer so, one of
	// them has merged with somebody else.
	size int32
}

// merger is a rule for joining symbols.
type merger interface {
	// rank says whether and how early two neighbours join, the least first.
	rank(e *encoder, left, right []byte) (uint32, bool)
	// others appends the tokens of a symbol that is no token.
	others(dst []int32, symbol []byte) []int32
}

// cut appends the tokens of the word in e.buf, which is not empty.
func (e *encoder) cut(dst []int32, v *vocab, m merger) []int32 {
	e.symbols = e.symbols[:0]
	for i, n := int32(0), int32(0); int(i) < len(e.buf); n++ {
		_, size := utf8.DecodeRune(e.buf[i:])
		e.symbols = append(e.symbols, symbol{i, i + int32(size), n - 1, n + 1})
		i += int32(size)
	}
	e.symbols[len(e.symbols)-1].next = -1
	e.merge(m)
	for i := int32(0); i >= 0; i = e.symbols[i].next {
		s := e.buf[e.symbols[i].start:e.symbols[i].end]
		if id, ok := v.find(s); ok {
			dst = append(dst, id)
		} else {
			dst = m.others(dst, s)
		}
	}
	return dst
}

// merge joins symbols until no pair can be joined. The first symbol stays the
// first; the rest follow by next.
func (e *encoder) merge(m merger) {
	e.heap = e.heap[:0]
	for i := range len(e.symbols) - 1 {
		e.propose(m, int32(i))
	}
	for len(e.heap) > 0 {
		c := e.pop()
		left := &e.symbols[c.left]
		if left.end == left.start || left.next < 0 {
			continue
		}
		right := &e.symbols[left.next]
		if right.end-left.start != c.size {
			continue
		}
		left.end, left.next = right.end, right.next
		right.start = right.end
		if left.next >= 0 {
			e.symbols[left.next].prev = c.left
			e.propose(m, c.left)
		}
		if left.prev >= 0 {
			e.propose(m, left.prev)
		}
	}
}

// propose adds a symbol and its right neighbour to the candidates if they join.
func (e *encoder) propose(m merger, at int32) {
	left := &e.symbols[at]
	right := &e.symbols[left.next]
	if rank, ok := m.rank(e, e.buf[left.start:left.end], e.buf[right.start:right.end]); ok {
		e.push(candidate{uint64(rank)<<32 | uint64(at), at, right.end - left.start})
	}
}

// push and pop keep a binary heap, the least order on top.
func (e *encoder) push(c candidate) {
	h := append(e.heap, c)
	at := len(h) - 1
	for at > 0 {
		up := (at - 1) / 2
		if h[up].order <= c.order {
			break
		}
		h[at] = h[up]
		at = up
	}
	h[at] = c
	e.heap = h
}

func (e *encoder) pop() candidate {
	h := e.heap
	top, last := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	at := 0
	for {
		down := 2*at + 1
		if down >= len(h) {
			break
		}
		if down+1 < len(h) && h[down+1].order < h[down].order {
			down++
		}
		if h[down].order >= last.order {
			break
		}
		h[at] = h[down]
		at = down
	}
	if len(h) > 0 {
		h[at] = last
	}
	e.heap = h
	return top
}
