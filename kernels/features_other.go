//go:build !amd64

package kernels

// Other processors run the plain definitions.
const (
	hasAVX2FMA    = false
	hasAVX512     = false
	hasAVX512VNNI = false
	hasAVX512BF16 = false
)

// Features names the instruction sets that products use, for people.
func Features() string { return "plain Go" }
