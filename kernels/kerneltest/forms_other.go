//go:build !amd64

package kerneltest

// WithForm runs f with a form of the kernels, and says whether there is one.
func WithForm(name string, f func()) bool {
	if name != "plain" {
		return false
	}
	f()
	return true
}
