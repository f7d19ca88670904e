package kernels

// Grow returns a slice of n values of any content, in s where that has room for them.
func Grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// VectorWidth is what widths of rows in scratch and cells are rounded up to.
const VectorWidth = 16
