package rowwise

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/confab-tui/confab/kernels/kerneltest"
)

func TestSoftmax(t *testing.T) {
	kerneltest.EachForm(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 2))
		for n := 1; n < 80; n++ {
			x := make([]float32, n)
			kerneltest.Normals(rng, x, 10)
			if n > 3 {
				x[n-2] = float32(math.Inf(-1))
			}
			sum, want := 0.0, make([]float32, n)
			for _, v := range x {
				sum += math.Exp(float64(v))
			}
			for i, v := range x {
				want[i] = float32(math.Exp(float64(v)) / sum)
			}
			out, check := kerneltest.Guarded(t, n)
			Softmax(out, x)
			kerneltest.CheckClose(t, "Softmax", out, want, 5e-7)
			check()
		}
	})
}

// The exponential itself, over its range and beyond, in units of the last place.
func TestExp(t *testing.T) {
	kerneltest.EachForm(t, func(t *testing.T) {
		var x []float32
		for v := -103.0; v < 88.7; v += 0.00371 {
			x = append(x, float32(v))
		}
		out := make([]float32, len(x))
		SumExp(out, x, 0)
		for i, v := range x {
			want := math.Exp(float64(v))
			unit := max(0x1p-149, math.Ldexp(1, math.Ilogb(want)-23))
			if math.Abs(float64(out[i])-want) > 1.5*unit {
				t.Fatalf("exp(%g) is %g, want %g", v, out[i], want)
			}
		}
		extremes := []float32{0, float32(math.Inf(-1)), -1e30, -110, 100, float32(math.Inf(1)), float32(math.NaN())}
		out = out[:len(extremes)]
		SumExp(out, extremes, 0)
		if out[0] != 1 || out[1] != 0 || out[2] != 0 || out[3] != 0 || out[4] < math.MaxFloat32 || out[5] < math.MaxFloat32 || out[6] == out[6] {
			t.Errorf("exp of %v is %v", extremes, out)
		}
	})
}
