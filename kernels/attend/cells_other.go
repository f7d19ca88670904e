//go:build !amd64

package attend

// Only amd64 has forms that take scores and values from the cells directly, and that merge.

const attendCellsRows = 1

func (kv *KV) attendCellScoresFast(scores, queries []float32, head int, block *blockCells, from, end, rows int) bool {
	return false
}

func (kv *KV) attendCellValuesFast(out, weights, shrink []float32, head int, cells []int32, rows int, ahead cellsAhead) bool {
	return false
}

func (s *attendState) mergeFast(other attendState) bool { return false }
