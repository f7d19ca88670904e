//go:build !amd64 && !arm64

package kerneltest

// Forms are the names that WithForm knows.
var Forms = []string{"plain"}

// Plain says whether the plain form is at work, which takes too long for big shapes.
func Plain() bool { return true }

// WithForm runs f with a form of the kernels, and says whether there is one.
func WithForm(name string, f func()) bool {
	f()
	return true
}
