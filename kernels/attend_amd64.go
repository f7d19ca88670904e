package kernels

func attendScoresFast(scores, queries, keys []float32, rows, dim int) bool {
	if !hasAVX512 {
		return false
	}
	i := 0
	for ; i+4 <= rows; i += 4 {
		attendScores4512(&scores[i*blockPositions], &queries[i*dim], &keys[0], dim)
	}
	if i+2 <= rows {
		attendScores2512(&scores[i*blockPositions], &queries[i*dim], &keys[0], dim)
		i += 2
	}
	if i < rows {
		attendScores1512(&scores[i*blockPositions], &queries[i*dim], &keys[0], dim)
	}
	return true
}

func attendSoftmaxFast(scores []float32, masks []uint64, state attendState, shrink []float32, cap float32) bool {
	if !hasAVX512 {
		return false
	}
	attendSoftmax512(&scores[0], &masks[0], &state.top[0], &state.sum[0], &shrink[0], len(masks), cap)
	return true
}

func attendValuesFast(out, weights, values, shrink []float32, rows, n, stride int) bool {
	if !hasAVX512 {
		return false
	}
	i := 0
	for ; i+4 <= rows; i += 4 {
		attendValues4512(&out[i*stride], &weights[i*blockPositions], &values[0], &shrink[i], n, stride)
	}
	if i+2 <= rows {
		attendValues2512(&out[i*stride], &weights[i*blockPositions], &values[0], &shrink[i], n, stride)
		i += 2
	}
	if i < rows {
		attendValues1512(&out[i*stride], &weights[i*blockPositions], &values[0], &shrink[i], n, stride)
	}
	return true
}

func (s *attendState) mergeFast(other attendState) bool {
	if !hasAVX512 {
		return false
	}
	attendMerge512(&s.out[0], &s.top[0], &s.sum[0], &other.out[0], &other.top[0], &other.sum[0], len(s.top), s.stride)
	return true
}

//go:noescape
func attendScores4512(scores, queries, keys *float32, dim int)

//go:noescape
func attendScores2512(scores, queries, keys *float32, dim int)

//go:noescape
func attendScores1512(scores, queries, keys *float32, dim int)

//go:noescape
func attendSoftmax512(scores *float32, masks *uint64, top, sum, shrink *float32, rows int, cap float32)

//go:noescape
func attendValues4512(out, weights, values, shrink *float32, n, stride int)

//go:noescape
func attendValues2512(out, weights, values, shrink *float32, n, stride int)

//go:noescape
func attendValues1512(out, weights, values, shrink *float32, n, stride int)

//go:noescape
func attendMerge512(out, top, sum, out2, top2, sum2 *float32, rows, stride int)
