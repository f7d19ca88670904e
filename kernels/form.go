package kernels

// Form is how a matrix wants its activations.
type Form uint8

const (
	// FormF32 is plain float32.
	FormF32 Form = iota
	// FormQ8 is blocks of 32: 8-bit integers and a scale rounded to F16.
	FormQ8
	// FormQ8K is blocks of 256: 8-bit integers and a float32 scale.
	FormQ8K
	// FormBF16 is BF16, an even number of values.
	FormBF16
)
