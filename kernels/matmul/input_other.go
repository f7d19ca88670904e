//go:build !amd64 && !arm64

package matmul

func fillQ8(dst []byte, src []float32) { roundQ8(dst, src) }

func fillQ8K(dst []byte, src []float32) { roundQ8K(dst, src) }

func fillBF16(dst []byte, src []float32) { roundBF16(dst, src) }

// isSmall is not asked: there are no kernels for many rows.
func isSmall([]byte, int) bool { return false }
