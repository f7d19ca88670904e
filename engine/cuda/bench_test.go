//go:build cuda

package cuda

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/confab-tui/confab/engine/model"
)

var (
	benchModel = flag.String("model", builtin, "the model file that benchmarks run")
	benchEager = flag.Bool("eager", false, "benchmarks launch kernel by kernel, for profilers that see no graphs")
)

// BenchmarkDecode advances sequences by a token a step, as chats do.
func BenchmarkDecode(b *testing.B) {
	e := benchStart(b)
	for _, width := range []int{1, 2, 4, 8, 16, 32, 64} {
		b.Run(sizeName(width), func(b *testing.B) { benchDecode(b, e, width, 128, 0) })
	}
	b.Run("1-at-4096", func(b *testing.B) { benchDecode(b, e, 1, 4096, 0) })
	b.Run("1-at-8192", func(b *testing.B) { benchDecode(b, e, 1, 8192, 0) })
	b.Run("16-at-4096", func(b *testing.B) { benchDecode(b, e, 16, 4096, 0) })
	b.Run("8-apart-at-2100", func(b *testing.B) { benchDecode(b, e, 8, 2100, 0) })
	b.Run("8-of-one-at-2100", func(b *testing.B) { benchDecode(b, e, 8, 2100, 2000) })
}

// BenchmarkPrefill evaluates a prompt that has nothing before it.
func BenchmarkPrefill(b *testing.B) {
	e := benchStart(b)
	for _, n := range []int{128, 512, 2048, 4096} {
		b.Run(sizeName(n), func(b *testing.B) {
			s := newSequence(n)
			tokens := prompt(rand.New(rand.NewPCG(1, 1)), n, e.program.Spec.Vocab)
			run := func() {
				s.tokens = s.tokens[:0]
				st := s.step(tokens)
				st.Outputs = []model.Output{{Row: n - 1}}
				if _, err := e.Run(st); err != nil {
					b.Fatal(err)
				}
			}
			report(b, run, n)
		})
	}
}

func benchStart(b *testing.B) *Executor {
	begin := time.Now()
	e := start(b, load(b, *benchModel), Options{Cells: benchCells + 1, Eager: *benchEager})
	device, sources = e.Name(), sourceHash(b)
	b.Logf("%s, loaded in %.1f s", e.Name(), time.Since(begin).Seconds())
	return e
}

// benchCells holds what the deepest benchmark refers to.
const benchCells = 80 * 1024

func sizeName(n int) string {
	return fmt.Sprintf("x%d", n)
}

// benchDecode advances width sequences that have depth positions, of which the first
// shared are the same cells.
func benchDecode(b *testing.B, e *Executor, width, depth, shared int) {
	st := &model.Step{}
	sampling := model.DefaultSampling()
	for i := range width {
		cells := make([]int32, depth+1)
		for p := range cells {
			cells[p] = int32(1 + p)
			if p >= shared {
				cells[p] += int32(i * (depth + 1 - shared))
			}
		}
		st.Rows = append(st.Rows, model.Row{Token: int32(100 + i), Pos: int32(depth), Cell: cells[depth]})
		st.Seqs = append(st.Seqs, model.Seq{First: i, Count: 1, Cells: cells})
		st.Outputs = append(st.Outputs, model.Output{Row: i, Sampling: model.SamplingRow{Sampling: sampling, Seed: 1, Pos: int32(depth + 1)}})
	}
	report(b, func() {
		if _, err := e.Run(st); err != nil {
			b.Fatal(err)
		}
	}, width)
}

// report runs f for about a second and gives the median time and the tokens a second.
func report(b *testing.B, f func(), tokens int) {
	f()
	var times []time.Duration
	for begin := time.Now(); time.Since(begin) < 700*time.Millisecond || len(times) < 5; {
		t := time.Now()
		f()
		times = append(times, time.Since(t))
	}
	slices.Sort(times)
	median := times[len(times)/2].Seconds()
	b.ReportMetric(median*1e3, "ms/step")
	b.ReportMetric(float64(tokens)/median, "tok/s")
	b.ReportMetric(0, "ns/op")
	figures = append(figures, fmt.Sprintf("%-28s %8.3f ms/step %9.1f tok/s", b.Name(), median*1e3, float64(tokens)/median))
}
