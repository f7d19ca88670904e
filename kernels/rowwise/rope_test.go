package rowwise

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/confab-tui/confab/kernels/kerneltest"
)

func TestRope(t *testing.T) {
	kerneltest.EachForm(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 2))
		for _, half := range []int{1, 3, 8, 12, 16, 24, 32, 37, 40, 48, 64, 128} {
			for _, interleaved := range []bool{false, true} {
				r := Rope{Magnitude: 1.19, Interleaved: interleaved}
				for i := range half {
					r.Freqs = append(r.Freqs, math.Pow(10000, -float64(i)/float64(half)))
				}
				const heads = 3
				dim := 2*half + rng.IntN(2)*5 // what follows the pairs stays
				x, check := kerneltest.Guarded(t, heads*dim)
				kerneltest.Normals(rng, x, 1)
				want := ropeByDefinition(&r, x, heads, dim, 12345)
				table := make([]float32, 2*half)
				r.Table(table, 12345)
				r.Apply(x, heads, dim, table)
				kerneltest.CheckClose(t, "Rope", x, want, 1e-6)
				check()
			}
		}
	})
}

func ropeByDefinition(r *Rope, x []float32, heads, dim int, pos float64) []float32 {
	out := append([]float32(nil), x...)
	for h := range heads {
		for i, f := range r.Freqs {
			first, second := h*dim+i, h*dim+i+len(r.Freqs)
			if r.Interleaved {
				first, second = h*dim+2*i, h*dim+2*i+1
			}
			a, b := float64(x[first]), float64(x[second])
			sin, cos := math.Sincos(pos * f)
			out[first] = float32((a*cos - b*sin) * float64(r.Magnitude))
			out[second] = float32((a*sin + b*cos) * float64(r.Magnitude))
		}
	}
	return out
}

func BenchmarkRope(b *testing.B) {
	r := Rope{Freqs: make([]float64, 64), Magnitude: 1}
	x, table := make([]float32, 32*128), make([]float32, 128)
	b.Run("Apply/32x128", func(b *testing.B) {
		b.SetBytes(int64(4 * len(x)))
		for b.Loop() {
			r.Apply(x, 32, 128, table)
		}
	})
	b.Run("Table/128", func(b *testing.B) {
		for b.Loop() {
			r.Table(table, 1000)
		}
	})
}
