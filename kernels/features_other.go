//go:build !amd64 && !arm64

package kernels

// Features names the instruction sets that products use, for people: other
// processors run the plain definitions.
func Features() string { return "plain Go" }
