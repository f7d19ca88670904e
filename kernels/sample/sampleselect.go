package sample

import (
	"math"
	"slices"

	"github.com/confab-tui/confab/kernels/rowwise"
)

// likeliest returns the n likeliest tokens in order, fewer where the others have a
// logit of minus infinity. The result is good until the next call.
func (s *SampleScratch) likeliest(logits []float32, n int) []tokenRank {
	// As many blocks as tokens are wanted have a maximum of at least the bound.
	bound := lastRank()
	if n < len(s.maxima) {
		s.pool = s.pool[:0]
		for b, top := range s.maxima {
			s.pool = append(s.pool, rankOf(top, int32(b)))
		}
		selectRanks(s.pool, n)
		bound = min(bound, slices.Max(s.pool[:n])|math.MaxUint32)
	}
	s.pool = s.pool[:0]
	for b, top := range s.maxima {
		if rankOf(top, 0) > bound {
			continue
		}
		start := b * rowwise.MaximaBlock
		for i, v := range logits[start:min(start+rowwise.MaximaBlock, len(logits))] {
			if r := rankOf(v, int32(start+i)); r <= bound {
				s.pool = append(s.pool, r)
			}
		}
	}
	if n < len(s.pool) {
		selectRanks(s.pool, n)
		s.pool = s.pool[:n]
	}
	slices.Sort(s.pool)
	return s.pool
}

// selectRanks moves the n smallest of ranks, which are all different, to the front.
func selectRanks(ranks []tokenRank, n int) {
	for lo, hi := 0, len(ranks); hi-lo > 1; {
		pivot := middle(ranks[lo], ranks[(lo+hi)/2], ranks[hi-1])
		i, j := lo, hi-1
		for i <= j {
			for ranks[i] < pivot {
				i++
			}
			for ranks[j] > pivot {
				j--
			}
			if i <= j {
				ranks[i], ranks[j] = ranks[j], ranks[i]
				i++
				j--
			}
		}
		switch {
		case n <= j:
			hi = j + 1
		case n >= i:
			lo = i
		default:
			return
		}
	}
}

func middle(a, b, c tokenRank) tokenRank {
	return max(min(a, b), min(max(a, b), c))
}
