// Package kerneltest is what the kernels' tests share: rows between guards, random rows,
// comparisons, running a test with every form that the processor has, and a device with
// poisoned memory.
package kerneltest

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Guarded gives a slice of n values with guard zones of NaN on both sides, and a
// check that nothing wrote there.
func Guarded(t testing.TB, n int) ([]float32, func()) {
	const guard = 32
	whole := make([]float32, n+2*guard)
	for i := range whole {
		whole[i] = float32(math.NaN())
	}
	return whole[guard : guard+n : guard+n], func() {
		t.Helper()
		for i := range guard {
			if a, b := whole[i], whole[guard+n+i]; a == a || b == b {
				t.Fatalf("wrote beyond %d values", n)
			}
		}
	}
}

// Normals fills x with normally distributed values.
func Normals(rng *rand.Rand, x []float32, deviation float64) {
	for i := range x {
		x[i] = float32(rng.NormFloat64() * deviation)
	}
}

// CheckClose compares with an absolute part of the tolerance relative to scale.
func CheckClose(t testing.TB, what string, got, want []float32, tolerance float64) {
	t.Helper()
	for i, w := range want {
		g := float64(got[i])
		if math.IsNaN(g) || math.Abs(g-float64(w)) > tolerance*(1+math.Abs(float64(w))) {
			t.Fatalf("%s: [%d] of %d is %g, want %g", what, i, len(want), g, w)
		}
	}
}

// EachForm runs a test with every form that the processor has.
func EachForm(t *testing.T, test func(t *testing.T)) {
	for _, form := range Forms {
		t.Run(form, func(t *testing.T) {
			if !WithForm(form, func() { test(t) }) {
				t.Skipf("no %s here", form)
			}
		})
	}
}
