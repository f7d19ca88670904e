//go:build !amd64

package matmul

func packLinesFast(dst, src []byte, stride, n, words int, flip uint32) bool { return false }

func packSubFast(dst, src []byte, stride, n int) bool { return false }

func packScalesKFast(dst, src []byte, stride, n int) bool { return false }
