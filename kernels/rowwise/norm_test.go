package rowwise

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/confab-tui/confab/kernels/kerneltest"
)

// normByDefinition is both norms in double precision.
func normByDefinition(x, w, b []float32, eps float32, center bool) []float32 {
	mean, squares := 0.0, 0.0
	if center {
		for _, v := range x {
			mean += float64(v) / float64(len(x))
		}
	}
	for _, v := range x {
		squares += (float64(v) - mean) * (float64(v) - mean)
	}
	out := make([]float32, len(x))
	for i, v := range x {
		y := (float64(v) - mean) / math.Sqrt(squares/float64(len(x))+float64(eps))
		if w != nil {
			y *= float64(w[i])
		}
		if b != nil {
			y += float64(b[i])
		}
		out[i] = float32(y)
	}
	return out
}

func TestNorms(t *testing.T) {
	kerneltest.EachForm(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 2))
		for _, n := range []int{1, 2, 7, 15, 16, 17, 63, 64, 65, 80, 128, 1000, 4096} {
			x, w, b := make([]float32, n), make([]float32, n), make([]float32, n)
			kerneltest.Normals(rng, x, 3)
			kerneltest.Normals(rng, w, 1)
			kerneltest.Normals(rng, b, 1)
			for i := range x {
				x[i] += 0.5
			}
			for _, weights := range [][2][]float32{{nil, nil}, {w, nil}, {w, b}} {
				w, b := weights[0], weights[1]
				out, check := kerneltest.Guarded(t, n)
				RMSNorm(out, x, w, 1e-5)
				kerneltest.CheckClose(t, "RMSNorm", out, normByDefinition(x, w, nil, 1e-5, false), 1e-6)
				LayerNorm(out, x, w, b, 1e-5)
				kerneltest.CheckClose(t, "LayerNorm", out, normByDefinition(x, w, b, 1e-5, true), 3e-6)
				copy(out, x)
				RMSNorm(out, out, w, 1e-5)
				kerneltest.CheckClose(t, "RMSNorm in place", out, normByDefinition(x, w, nil, 1e-5, false), 1e-6)
				check()
			}
		}
	})
}

func BenchmarkRMSNorm(b *testing.B) {
	x, w := make([]float32, 4096), make([]float32, 4096)
	kerneltest.Normals(rand.New(rand.NewPCG(1, 2)), x, 1)
	b.SetBytes(int64(4 * len(x)))
	for b.Loop() {
		RMSNorm(x, x, w, 1e-5)
	}
}
