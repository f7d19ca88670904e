//go:build !amd64

package kernels

// Other processors run the plain definitions.
const (
	HasAVX2FMA    = false
	HasAVX512     = false
	HasAVX512VNNI = false
	HasAVX512BF16 = false
)

// Features names the instruction sets that products use, for people.
func Features() string { return "plain Go" }
