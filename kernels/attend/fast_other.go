//go:build !amd64 && !arm64

package attend

func storeHalvesFast(dst []uint16, src []float32) int { return 0 }

func (kv *KV) turnKeysFast(dst []float32, head int, cells []int32, at int) bool { return false }

func (kv *KV) readValuesFast(dst []float32, head int, cells []int32) bool { return false }

func attendScoresFast(scores, queries, keys []float32, rows, dim int) bool { return false }

func attendSoftmaxFast(scores []float32, masks []uint64, state attendState, shrink []float32, cap float32) bool {
	return false
}

func attendValuesFast(out, weights, values, shrink []float32, rows, n, stride int) bool { return false }
