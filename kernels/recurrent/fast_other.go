//go:build !amd64

package recurrent

func deltaRuleFast(out, state, q, k, v []float32, decay, beta float32) bool { return false }

func convFast(out, x, state, w []float32) int { return 0 }
