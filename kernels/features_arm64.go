package kernels

import (
	"runtime"

	"golang.org/x/sys/cpu"
)

// What the processor and the operating system offer, read once. Tests clear them
// to reach the slower forms.
var (
	HasNEON = true
	// HasDotProduct is SDOT: every processor of Apple's has it, but not every macOS says so.
	HasDotProduct = cpu.ARM64.HasASIMDDP || runtime.GOOS == "darwin"
)

// Features names the instruction sets that products use, for people.
func Features() string {
	switch {
	case HasDotProduct:
		return "NEON dot product"
	case HasNEON:
		return "NEON"
	}
	return "plain Go"
}
