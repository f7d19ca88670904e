package attend

import (
	"github.com/confab-tui/confab/kernels"
)

// attendScoresFast does 4, 2 and 1 rows at a time; how many makes no difference to
// the bits.
func attendScoresFast(scores, queries, keys []float32, rows, dim int) bool {
	if !kernels.HasAVX2FMA {
		return false
	}
	for i, n := 0, 0; i < rows; i += n {
		s, q := &scores[i*blockPositions], &queries[i*dim]
		switch n = rowsAtOnce(rows - i); {
		case n == 4 && kernels.HasAVX512:
			attendScores4512(s, q, &keys[0], dim)
		case n == 2:
			attendScores2512(s, q, &keys[0], dim)
		case kernels.HasAVX512:
			attendScores1512(s, q, &keys[0], dim)
		case n == 4:
			attendScores4256(s, q, &keys[0], dim)
		default:
			attendScores1256(s, q, &keys[0], dim)
		}
	}
	return true
}

// rowsAtOnce is how many of the rows left one call does.
func rowsAtOnce(left int) int {
	switch {
	case left >= 4:
		return 4
	case left >= 2 && kernels.HasAVX512:
		return 2
	}
	return 1
}

func attendSoftmaxFast(scores []float32, masks []uint64, state attendState, shrink []float32, cap float32) bool {
	switch {
	case kernels.HasAVX512:
		attendSoftmax512(&scores[0], &masks[0], &state.top[0], &state.sum[0], &shrink[0], len(masks), cap)
	case kernels.HasAVX2FMA:
		attendSoftmax256(&scores[0], &masks[0], &state.top[0], &state.sum[0], &shrink[0], len(masks), cap)
	default:
		return false
	}
	return true
}

func attendValuesFast(out, weights, values, shrink []float32, rows, n, stride int) bool {
	if !kernels.HasAVX2FMA {
		return false
	}
	for i, count := 0, 0; i < rows; i += count {
		o, w := &out[i*stride], &weights[i*blockPositions]
		switch count = rowsAtOnce(rows - i); {
		case count == 4 && kernels.HasAVX512:
			attendValues4512(o, w, &values[0], &shrink[i], n, stride)
		case count == 2:
			attendValues2512(o, w, &values[0], &shrink[i], n, stride)
		case kernels.HasAVX512:
			attendValues1512(o, w, &values[0], &shrink[i], n, stride)
		case count == 4:
			attendValues4256(o, w, &values[0], &shrink[i], n, stride)
		default:
			attendValues1256(o, w, &values[0], &shrink[i], n, stride)
		}
	}
	return true
}

func (s *attendState) mergeFast(other attendState) bool {
	switch {
	case kernels.HasAVX512:
		attendMerge512(&s.out[0], &s.top[0], &s.sum[0], &other.out[0], &other.top[0], &other.sum[0], len(s.top), s.stride)
	case kernels.HasAVX2FMA:
		attendMerge256(&s.out[0], &s.top[0], &s.sum[0], &other.out[0], &other.top[0], &other.sum[0], len(s.top), s.stride)
	default:
		return false
	}
	return true
}

//go:noescape
func attendScores4512(scores, queries, keys *float32, dim int)

//go:noescape
func attendScores2512(scores, queries, keys *float32, dim int)

//go:noescape
func attendScores1512(scores, queries, keys *float32, dim int)

//go:noescape
func attendScores4256(scores, queries, keys *float32, dim int)

//go:noescape
func attendScores1256(scores, queries, keys *float32, dim int)

//go:noescape
func attendValues4512(out, weights, values, shrink *float32, n, stride int)

//go:noescape
func attendValues2512(out, weights, values, shrink *float32, n, stride int)

//go:noescape
func attendValues1512(out, weights, values, shrink *float32, n, stride int)

//go:noescape
func attendValues4256(out, weights, values, shrink *float32, n, stride int)

//go:noescape
func attendValues1256(out, weights, values, shrink *float32, n, stride int)

//go:noescape
func attendSoftmax512(scores *float32, masks *uint64, top, sum, shrink *float32, rows int, cap float32)

//go:noescape
func attendMerge512(out, top, sum, out2, top2, sum2 *float32, rows, stride int)

//go:noescape
func attendSoftmax256(scores *float32, masks *uint64, top, sum, shrink *float32, rows int, cap float32)

//go:noescape
func attendMerge256(out, top, sum, out2, top2, sum2 *float32, rows, stride int)
