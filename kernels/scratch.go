package kernels

// Grow returns a slice of n values, s itself where it is long enough.
func Grow(s []float32, n int) []float32 {
	if cap(s) < n {
		return make([]float32, n)
	}
	return s[:n]
}

// VectorWidth is what widths of rows in scratch and cells are rounded up to.
const VectorWidth = 16
