package kerneltest

import (
	"github.com/confab-tui/confab/kernels"
)

// Forms are the names that WithForm knows.
var Forms = []string{"plain", "neon", "dotproduct"}

// Plain says whether the plain form is at work, which takes too long for big shapes.
func Plain() bool { return !kernels.HasNEON }

// WithForm runs f with the processor's features cut down to a form's, and says
// whether the processor has them.
func WithForm(name string, f func()) bool {
	neon, dot := kernels.HasNEON, kernels.HasDotProduct
	defer func() { kernels.HasNEON, kernels.HasDotProduct = neon, dot }()
	switch name {
	case "plain":
		kernels.HasNEON, kernels.HasDotProduct = false, false
	case "neon":
		kernels.HasDotProduct = false
	case "dotproduct":
		if !dot {
			return false
		}
	}
	f()
	return true
}
