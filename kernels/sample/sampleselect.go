package sample

import (
	"math"
	"slices"

	"github.com/confab-tui/confab/kernels/rowwise"
)

// likeliest returns the n likeliest tokens in order, fewer where the others have a
// logit of minus infinity. The result is good until the next call.
func (s *SampleScratch) likeliest(logits []float32, n int) []tokenRank {
	// As many blocks as tokens are wanted have a maximum of at least this.
	least := float32(math.Inf(-1))
	if n < len(s.maxima) {
		s.pool = s.pool[:0]
		for b, top := range s.maxima {
			s.keep(n, rankOf(top, int32(b)))
		}
		least = s.maxima[s.pool[0].id()]
	}
	s.pool = s.pool[:0]
	last := lastRank()
	for b, top := range s.maxima {
		if top < least {
			continue
		}
		start := b * rowwise.MaximaBlock
		for i, v := range logits[start:min(start+rowwise.MaximaBlock, len(logits))] {
			if v < least {
				continue
			}
			if r := rankOf(v, int32(start+i)); r <= last {
				s.keep(n, r)
			}
		}
	}
	slices.Sort(s.pool)
	return s.pool
}

// keep adds a rank to the pool, or puts it in place of the last in the order of n that are there. A
// full pool is a heap: no rank is before those at twice its place plus 1 and 2.
func (s *SampleScratch) keep(n int, r tokenRank) {
	switch {
	case len(s.pool) < n:
		s.pool = append(s.pool, r)
		if len(s.pool) == n {
			for i := n/2 - 1; i >= 0; i-- {
				sink(s.pool, i)
			}
		}
	case r < s.pool[0]:
		s.pool[0] = r
		sink(s.pool, 0)
	}
}

// sink moves a rank of the heap down to where it belongs.
func sink(heap []tokenRank, i int) {
	for {
		child := 2*i + 1
		if child+1 < len(heap) && heap[child+1] > heap[child] {
			child++
		}
		if child >= len(heap) || heap[i] >= heap[child] {
			return
		}
		heap[i], heap[child] = heap[child], heap[i]
		i = child
	}
}
