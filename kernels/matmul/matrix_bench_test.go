package matmul

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/kerneltest"
)

// benchTypes are measured: with one row, those with few bits are bound by arithmetic.
var benchTypes = []Type{Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q4_K, Q5_K, Q6_K, F16, BF16, F32, Q2_K, Q3_K, IQ4_NL, IQ4_XS, MXFP4,
	NVFP4, Q1_0, Q2_0, TQ1_0, TQ2_0, IQ1_S, IQ1_M, IQ2_XXS, IQ2_XS, IQ2_S, IQ3_XXS, IQ3_S}

// product shapes of two real models: layers of these, then the head.
type modelShape struct {
	name   string
	layers int
	shapes [][2]int
	head   [2]int
}

var modelShapes = []modelShape{
	{"smollm2-135m", 30, [][2]int{{576, 576}, {192, 576}, {192, 576}, {576, 576}, {1536, 576}, {1536, 576}, {576, 1536}}, [2]int{49152, 576}},
	{"qwen3-0.6b", 28, [][2]int{{2048, 1024}, {1024, 1024}, {1024, 1024}, {1024, 2048}, {3072, 1024}, {3072, 1024}, {1024, 3072}}, [2]int{151936, 1024}},
}

// BenchmarkMatrixModel runs all the products of a model for a step of so many rows,
// the head for one of them where they are more than 64 (as in prefill). The workers
// do not wait for each other between products.
func BenchmarkMatrixModel(b *testing.B) {
	for _, shape := range modelShapes {
		for _, typ := range benchTypes {
			if shape.shapes[0][1]%formats[typ].values != 0 {
				continue
			}
			model := sync.OnceValue(func() *benchModel { return newBenchModel(b, shape, typ) })
			for _, threads := range []int{1, 2} {
				for _, rows := range []int{1, 2, 4, 8, 16, 32, 64, 512} {
					b.Run(fmt.Sprintf("%s/%s/threads=%d/rows=%d", shape.name, typ, threads, rows), func(b *testing.B) {
						if threads > runtime.GOMAXPROCS(0) {
							b.Skip("needs more processors")
						}
						model().run(b, rows, threads)
					})
				}
			}
		}
	}
}

type benchModel struct {
	products []*Matrix // the head is the last
	bytes    int64
}

func newBenchModel(b *testing.B, s modelShape, typ Type) *benchModel {
	r := rand.New(rand.NewPCG(1, 2))
	m := &benchModel{}
	add := func(n, k int) {
		// The same file bytes serve every layer; the packed copies are apart.
		matrix := pack(b, typ, n, k, benchWeights(r, typ, n*k))
		m.products = append(m.products, matrix)
		m.bytes += matrix.Bytes()
	}
	for range s.layers {
		for _, nk := range s.shapes {
			add(nk[0], nk[1])
		}
	}
	add(s.head[0], s.head[1])
	return m
}

// benchWeights repeats a few random blocks.
func benchWeights(r *rand.Rand, typ Type, n int) []byte {
	f := formats[typ]
	some := randomWeights(r, typ, f.values*64)
	out := make([]byte, n/f.values*f.bytes)
	for at := 0; at < len(out); at += len(some) {
		copy(out[at:], some)
	}
	return out
}

func (m *benchModel) run(b *testing.B, rows, threads int) {
	r := rand.New(rand.NewPCG(3, 4))
	inputs := map[int]*Input{}
	widest, ops := 0, 0.0
	work := func(i int) int {
		if i == len(m.products)-1 && rows > 64 {
			return 1
		}
		return rows
	}
	for i, w := range m.products {
		if inputs[w.K] == nil {
			inputs[w.K] = poisoned(w.Form(), randomRows(r, rows, w.K), rows, w.K)
		}
		widest = max(widest, w.N*work(i))
		ops += 2 * float64(w.N) * float64(w.K) * float64(work(i))
	}
	out := make([]float32, widest)
	all := make([]int32, rows)
	for i := range all {
		all[i] = int32(i)
	}
	b.SetBytes(m.bytes)
	b.ResetTimer()
	best := time.Hour
	for range b.N {
		start := time.Now()
		var wg sync.WaitGroup
		for worker := range threads {
			wg.Go(func() {
				for i, w := range m.products {
					panels := w.Panels()
					w.Mul(out, w.N, inputs[w.K], all[:work(i)], panels*worker/threads, panels*(worker+1)/threads)
				}
			})
		}
		wg.Wait()
		best = min(best, time.Since(start))
	}
	b.ReportMetric(float64(rows)/best.Seconds(), "best-rows/s")
	reportBest(b, best, ops, float64(m.bytes))
}

// BenchmarkMatrixKernel times one product that stays in the second-level cache, over
// stretches so short that the best of them is undisturbed: what a core can do.
func BenchmarkMatrixKernel(b *testing.B) {
	const n, k = 256, 768
	for _, typ := range benchTypes {
		r := rand.New(rand.NewPCG(1, 2))
		m := pack(b, typ, n, k, benchWeights(r, typ, n*k))
		for _, rows := range []int{1, 2, 3, 4, 5, 6, 48} {
			in := poisoned(m.Form(), randomRows(r, rows, k), rows, k)
			out := make([]float32, rows*n)
			for _, form := range matrixForms() {
				b.Run(fmt.Sprintf("%s/%s/rows=%d", form, typ, rows), func(b *testing.B) {
					b.SetBytes(m.Bytes())
					best := time.Hour
					kerneltest.WithForm(form, func() {
						for b.Loop() {
							start := time.Now()
							m.Mul(out, n, in, nil, 0, m.Panels())
							best = min(best, time.Since(start))
						}
					})
					reportBest(b, best, 2*n*k*float64(rows), float64(m.Bytes()))
				})
			}
		}
	}
}

// BenchmarkMatrixStream reads a matrix that no cache holds, in short stretches: what
// memory gives one core and two.
func BenchmarkMatrixStream(b *testing.B) {
	const n, k, panels = 32768, 3072, 8
	for _, typ := range benchTypes {
		m := sync.OnceValue(func() *Matrix {
			return pack(b, typ, n, k, benchWeights(rand.New(rand.NewPCG(1, 2)), typ, n*k))
		})
		for _, threads := range []int{1, 2} {
			for _, rows := range []int{1, 2, 4, 6, 8, 16} {
				b.Run(fmt.Sprintf("%s/threads=%d/rows=%d", typ, threads, rows), func(b *testing.B) {
					if threads > runtime.GOMAXPROCS(0) {
						b.Skip("needs more processors")
					}
					m := m()
					in := poisoned(m.Form(), randomRows(rand.New(rand.NewPCG(1, 2)), rows, k), rows, k)
					out := make([]float32, rows*n)
					share := m.Panels() / threads
					b.ResetTimer()
					best := together(threads, b.N*share/panels, func(worker, i int) {
						p := worker*share + i*panels%share
						m.Mul(out, n, in, nil, p, p+panels)
					})
					some := float64(threads * panels)
					reportBest(b, best, 2*panelRows*k*float64(rows)*some, float64(m.panelBytes)*some)
				})
			}
		}
	}
}

// together runs do on every worker, piece after piece, all beginning a piece at the
// same time; it returns the shortest time that a piece took them all.
func together(threads, pieces int, do func(worker, piece int)) time.Duration {
	var begun, done atomic.Int64
	var wg sync.WaitGroup
	for worker := 1; worker < threads; worker++ {
		wg.Go(func() {
			for i := range pieces {
				for begun.Load() <= int64(i) {
				}
				do(worker, i)
				done.Add(1)
			}
		})
	}
	best := time.Hour
	for i := range pieces {
		start := time.Now()
		begun.Add(1)
		do(0, i)
		for done.Load() < int64((i+1)*(threads-1)) {
		}
		best = min(best, time.Since(start))
	}
	wg.Wait()
	return best
}

func reportBest(b *testing.B, best time.Duration, ops, bytes float64) {
	b.ReportMetric(ops/best.Seconds()/1e9, "best-GOPS")
	b.ReportMetric(bytes/best.Seconds()/1e9, "best-GB/s")
}

// BenchmarkPack reads more than the caches hold, in short stretches.
func BenchmarkPack(b *testing.B) {
	const n, k, panels = 32768, 3072, 8
	for _, typ := range []Type{Q8_0, Q4_0, Q5_0, Q4_K, Q5_K, Q6_K, IQ4_XS, F16, BF16, F32} {
		b.Run(typ.String(), func(b *testing.B) {
			data := benchWeights(rand.New(rand.NewPCG(1, 2)), typ, n*k)
			m, err := NewMatrix(typ, n, k)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(m.Bytes())
			m.Pack(data, 0, m.Panels())
			b.ResetTimer()
			best := together(1, b.N*m.Panels()/panels, func(_, i int) {
				p := i * panels % m.Panels()
				from, to := m.Source(p, p+panels)
				m.Pack(data[from:to], p, p+panels)
			})
			reportBest(b, best, 0, float64(m.panelBytes*panels))
		})
	}
}

func BenchmarkInput(b *testing.B) {
	for _, f := range []kernels.Form{kernels.FormQ8, kernels.FormQ8K} {
		b.Run(fmt.Sprintf("form=%d", f), func(b *testing.B) {
			const rows, k = 64, 3072
			x := randomRows(rand.New(rand.NewPCG(1, 2)), rows, k)
			var in Input
			in.Reset(f, rows, k)
			b.SetBytes(4 * rows * k)
			for b.Loop() {
				in.Fill(x, k, 0, rows)
			}
		})
	}
}
