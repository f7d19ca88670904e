package recurrent

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/confab-tui/confab/kernels/kerneltest"
)

// TestConv compares token by token with the convolution of the whole sequence, in place
// as well.
func TestConv(t *testing.T) { kerneltest.EachForm(t, testConv) }

func testConv(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, taps := range []int{1, 2, 4} {
		const channels, tokens = 37, 9
		x := make([]float32, channels*tokens)
		w := make([]float32, channels*taps)
		kerneltest.Normals(rng, x, 1)
		kerneltest.Normals(rng, w, 1)
		state, inPlace := make([]float32, channels*(taps-1)), make([]float32, channels*(taps-1))
		for r := range tokens {
			want := make([]float32, channels)
			for c := range channels {
				var sum float64
				for tap := range taps {
					if at := r - (taps - 1) + tap; at >= 0 {
						sum += float64(w[tap*channels+c]) * float64(x[at*channels+c])
					}
				}
				want[c] = float32(sum / (1 + math.Exp(-sum)))
			}
			out, check := kerneltest.Guarded(t, channels)
			Conv(out, x[r*channels:][:channels], state, w)
			kerneltest.CheckClose(t, "Conv", out, want, 1e-5)
			check()
			own := append([]float32(nil), x[r*channels:][:channels]...)
			Conv(own, own, inPlace, w)
			kerneltest.CheckClose(t, "Conv in place", own, want, 1e-5)
		}
	}
}

// TestDeltaRule compares with the rule written out in float64.
func TestDeltaRule(t *testing.T) {
	kerneltest.EachForm(t, func(t *testing.T) {
		for _, values := range []int{8, 13, 16, 40, 128, 144} {
			testDeltaRule(t, 24, values)
		}
	})
}

func testDeltaRule(t *testing.T, keys, values int) {
	rng := rand.New(rand.NewPCG(3, 4))
	state, exact := make([]float32, keys*values), make([]float64, keys*values)
	q, k, v := make([]float32, keys), make([]float32, keys), make([]float32, values)
	for range 12 {
		kerneltest.Normals(rng, q, 0.2)
		kerneltest.Normals(rng, k, 0.2)
		kerneltest.Normals(rng, v, 1)
		decay, beta := float32(0.5+rng.Float64()/2), float32(rng.Float64())
		for i := range exact {
			exact[i] *= float64(decay)
		}
		want := make([]float32, values)
		for j := range values {
			var held, sum float64
			for i := range keys {
				held += exact[i*values+j] * float64(k[i])
			}
			for i := range keys {
				exact[i*values+j] += float64(k[i]) * float64(beta) * (float64(v[j]) - held)
				sum += exact[i*values+j] * float64(q[i])
			}
			want[j] = float32(sum)
		}
		out, check := kerneltest.Guarded(t, values)
		DeltaRule(out, state, q, k, v, make([]float32, values), decay, beta)
		kerneltest.CheckClose(t, "DeltaRule", out, want, 1e-5)
		check()
	}
}

func BenchmarkDeltaRule(b *testing.B) {
	state, x := make([]float32, 128*128), make([]float32, 128)
	b.SetBytes(int64(4 * len(state)))
	for b.Loop() {
		DeltaRule(make([]float32, 128), state, x, x, x, make([]float32, 128), 0.5, 0.5)
	}
}

func BenchmarkConv(b *testing.B) {
	x, state, w := make([]float32, 8192), make([]float32, 3*8192), make([]float32, 4*8192)
	b.SetBytes(int64(4 * len(x)))
	for b.Loop() {
		Conv(x, x, state, w)
	}
}
