//go:build !amd64

package kernels

// withForm runs f with a form of the kernels, and says whether there is one.
func withForm(name string, f func()) bool {
	if name != "plain" {
		return false
	}
	f()
	return true
}
