package matmul

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/kerneltest"
)

// Rounding is the same in every form, to the bit, and stays inside its rows.
func TestInputForms(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const rows, k = 4, 1024
	x := randomRows(r, rows, k)
	clear(x[k : k+256])
	// The largest magnitude with both signs: the first one decides Q8_K's sign.
	x[300], x[301] = -100, 100
	x[600], x[601] = 100, -100
	x[2*k+5] = 1e-30
	x[2*k+40] = 3e38
	for _, f := range []kernels.Form{kernels.FormF32, kernels.FormQ8, kernels.FormQ8K, kernels.FormBF16} {
		var want *Input
		kerneltest.WithForm("plain", func() { want = poisoned(f, x, rows, k) })
		for _, form := range matrixForms() {
			kerneltest.WithForm(form, func() {
				got := poisoned(f, x, rows, k)
				if !bytes.Equal(got.data, want.data) {
					for i := range got.data {
						if got.data[i] != want.data[i] {
							t.Fatalf("%s, form %d: byte %d of row %d is %d, want %d", form, f, i%want.stride, i/want.stride, got.data[i], want.data[i])
						}
					}
				}
			})
		}
	}
}

// A value's error is at most half of its block's step, apart from the scale's own
// rounding to F16 (one part in 2048 of the value).
func TestInputError(t *testing.T) {
	const k = 1024
	x := randomRows(rand.New(rand.NewPCG(7, 8)), 1, k)
	for f, block := range map[kernels.Form]int{kernels.FormQ8: 32, kernels.FormQ8K: 256} {
		got := poisoned(f, x, 1, k).values(0)
		for i, v := range x {
			top := 0.0
			for _, w := range x[i/block*block : i/block*block+block] {
				top = max(top, math.Abs(float64(w)))
			}
			if e := math.Abs(got[i] - float64(v)); e > top/127*0.501+math.Abs(float64(v))/2048 {
				t.Fatalf("form %d: value %d is %v, rounded %v", f, i, v, got[i])
			}
		}
	}
}
