//go:build !amd64

package kernels

// Without a fast form the plain definitions do all the work.

func rmsNormFast(out, x, w []float32, eps float32) bool { return false }

func layerNormFast(out, x, w, b []float32, eps float32) bool { return false }

func ropeFast(x, cos, sin []float32, interleaved bool) int { return 0 }

func storeHalvesFast(dst []uint16, src []float32) int { return 0 }

func (kv *KV) turnKeysFast(dst []float32, head int, cells []int32, at int) bool { return false }

func (kv *KV) readValuesFast(dst []float32, head int, cells []int32) bool { return false }

func (s *attendState) mergeFast(other attendState) bool { return false }

const attendCellsRows = 1

func (kv *KV) attendCellScoresFast(scores, queries []float32, head int, cells []int32, at, rows int) bool {
	return false
}

func (kv *KV) attendCellValuesFast(out, weights, shrink []float32, head int, cells []int32, rows int, ahead []uint16) bool {
	return false
}

func attendScoresFast(scores, queries, keys []float32, rows, dim int) bool { return false }

func attendSoftmaxFast(scores []float32, masks []uint64, state attendState, shrink []float32, cap float32) bool {
	return false
}

func attendValuesFast(out, weights, values, shrink []float32, rows, n, stride int) bool { return false }

func blockMaximaFast(dst, x []float32) bool { return false }

func expMassFast(x []float32, top, scale float32) (float64, bool) { return 0, false }

func mapFast(op mapOp, out, a, b []float32, s, t float32) bool { return false }

func noiseBlockFast(dst *[maximaBlock]float32, seed uint64, pos int32, block int) bool { return false }

func loudestOf(noise *[maximaBlock]float32, logits []float32, temperature float32) float32 { return 0 }

func deltaRuleFast(out, state, q, k, v []float32, decay, beta float32) bool { return false }

func convFast(out, x, state, w []float32) int { return 0 }
