package rowwise

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/kerneltest"
)

var mapCases = []struct {
	name string
	run  func(out, a, b []float32)
	want func(a, b float64) float64
}{
	{"Add", Add, func(a, b float64) float64 { return a + b }},
	{"Mul", Mul, func(a, b float64) float64 { return a * b }},
	{"Scale", func(out, a, b []float32) { Scale(out, a, 0.7) }, func(a, b float64) float64 { return a * 0.7 }},
	{"AddScaled", func(out, a, b []float32) { copy(out, b); AddScaled(out, a, -1.3) }, func(a, b float64) float64 { return b - 1.3*a }},
	{"SoftCap", func(out, a, b []float32) { SoftCap(out, a, 30) }, func(a, b float64) float64 { return 30 * math.Tanh(a/30) }},
	{"SwiGLU", SwiGLU, func(a, b float64) float64 { return a / (1 + math.Exp(-a)) * b }},
	{"GeGLU", GeGLU, func(a, b float64) float64 { return geluHalf(a) * b }},
	{"SwiGLUClamped", func(out, a, b []float32) { SwiGLUClamped(out, a, b, 1.702, 7) }, func(a, b float64) float64 {
		a, b = min(a, 7), max(-7, min(b, 7))
		return a / (1 + math.Exp(-1.702*a)) * (b + 1)
	}},
	{"SigmoidGate", SigmoidGate, func(a, b float64) float64 { return b / (1 + math.Exp(-a)) }},
	{"ReLUSquared", func(out, a, b []float32) { ReLUSquared(out, a) }, func(a, b float64) float64 { return max(a, 0) * max(a, 0) }},
	{"SiLU", func(out, a, b []float32) { SiLU(out, a) }, func(a, b float64) float64 { return a / (1 + math.Exp(-a)) }},
	{"GELU", func(out, a, b []float32) { GELU(out, a) }, func(a, b float64) float64 { return geluHalf(a) }},
	{"Sigmoid", func(out, a, b []float32) { Sigmoid(out, a) }, func(a, b float64) float64 { return 1 / (1 + math.Exp(-a)) }},
}

func geluExact(x float64) float64 {
	return x / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
}

// geluHalf rounds as GELU does.
func geluHalf(x float64) float64 {
	if x >= 10 {
		return x
	}
	half := func(v float64) float64 { return float64(kernels.F16ToF32(kernels.F32ToF16(float32(v)))) }
	return half(geluExact(half(max(x, -10))))
}

func TestMap(t *testing.T) {
	for _, c := range mapCases {
		tolerance := 2e-6
		switch c.name {
		case "SoftCap":
			tolerance = 1e-5 // in units of the last place of the cap, not of the value
		case "GELU", "GeGLU":
			tolerance = 0x1p-11 // where a half is rounded the other way
		}
		kerneltest.EachForm(t, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			for n := range 70 {
				a, b := make([]float32, n), make([]float32, n)
				kerneltest.Normals(rng, a, 5)
				kerneltest.Normals(rng, b, 5)
				for i, extreme := range []float32{0, 100, -100, 1e-30, -1e30} {
					if i < n {
						a[n-1-i] = extreme
					}
				}
				want := make([]float32, n)
				for i := range want {
					want[i] = float32(c.want(float64(a[i]), float64(b[i])))
				}
				out, check := kerneltest.Guarded(t, n)
				c.run(out, a, b)
				kerneltest.CheckClose(t, c.name, out, want, tolerance)
				check()
			}
		})
	}
}

func BenchmarkMap(b *testing.B) {
	x, y, out := make([]float32, 8192), make([]float32, 8192), make([]float32, 8192)
	kerneltest.Normals(rand.New(rand.NewPCG(1, 2)), x, 1)
	for _, c := range mapCases {
		b.Run(fmt.Sprintf("%s/%d", c.name, len(x)), func(b *testing.B) {
			b.SetBytes(int64(4 * len(x)))
			for b.Loop() {
				c.run(out, x, y)
			}
		})
	}
}
