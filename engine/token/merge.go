package token

// symbol is a stretch of a word that is a token, or may become part of one.
type symbol struct {
	start, end int32 // bytes of the word; empty once merged into the left one
	prev, next int32 // neighbours' indices, -1 at the ends
	id         int32 // -1 where no token is spelled so
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
	id   int32
}

// joiner says whether and how early two neighbours merge, and into what.
type joiner interface {
	join(e *encoder, left, right *symbol) (rank uint32, id int32, ok bool)
}

// addSymbol appends a symbol to the word being cut.
func (e *encoder) addSymbol(start, end int, id int32) {
	n := int32(len(e.symbols))
	if n > 0 {
		e.symbols[n-1].next = n
	}
	e.symbols = append(e.symbols, symbol{int32(start), int32(end), n - 1, -1, id})
}

// merge joins the symbols of a word until none of the pairs can be joined. The
// first symbol stays the first; the rest follow by next.
func (e *encoder) merge(j joiner) {
	e.heap = e.heap[:0]
	for i := range len(e.symbols) - 1 {
		e.propose(j, int32(i))
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
		left.end, left.id, left.next = right.end, c.id, right.next
		right.start = right.end
		if left.next >= 0 {
			e.symbols[left.next].prev = c.left
			e.propose(j, c.left)
		}
		if left.prev >= 0 {
			e.propose(j, left.prev)
		}
	}
}

// propose adds a symbol and its right neighbour to the candidates if they join.
func (e *encoder) propose(j joiner, at int32) {
	left := &e.symbols[at]
	right := &e.symbols[left.next]
	if rank, id, ok := j.join(e, left, right); ok {
		e.push(candidate{uint64(rank)<<32 | uint64(at), at, right.end - left.start, id})
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
