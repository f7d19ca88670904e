//go:build cuda

package matmul

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/confab-tui/confab/gpu"
	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/kerneltest"
	"github.com/confab-tui/confab/kernels/rowwise"
)

// BenchmarkDeviceExperts times what a feed-forward of experts is made of, in the shapes of
// Qwen3 30B-A3B and gpt-oss 20B, one layer after the other in a graph. GB/s is of the experts that
// were chosen.
func BenchmarkDeviceExperts(b *testing.B) {
	q := kerneltest.OnDevice(b)
	for _, s := range []struct {
		name                         string
		experts, used, width, hidden int
		typ                          Type
	}{{"qwen3-30b-a3b", 128, 8, 2048, 768, Q4_K}, {"gpt-oss-20b", 32, 4, 2880, 2880, MXFP4}} {
		b.Run(s.name, func(b *testing.B) {
			kerneltest.Use(b, q)
			f := newBenchExperts(b, q, s.experts, s.used, s.width, s.hidden, s.typ)
			for _, rows := range []int{1, 4, 16, 64, 96, 128, 192, 256, 512} {
				b.Run(fmt.Sprint(rows), func(b *testing.B) {
					kerneltest.Use(b, q)
					f.run(b, rows, 0)
				})
				if rows > narrowRows && f.wide != 0 {
					b.Run(fmt.Sprintf("%d-wide", rows), func(b *testing.B) {
						kerneltest.Use(b, q)
						f.run(b, rows, f.wide)
					})
				}
			}
		})
	}
}

const (
	benchLayers = 4
	benchRows   = 512
)

type benchExperts struct {
	q                *kernels.Queue
	r                *rand.Rand
	experts, used    int
	gate, up, down   []*DeviceMatrix
	x, hidden, pairs *kerneltest.DeviceRows
	in, out          kernels.Rounded
	lists            *rowwise.Lists
	sum              rowwise.ExpertSum
	wide             gpu.Ptr // room for half precision, or 0
}

func newBenchExperts(b *testing.B, q *kernels.Queue, experts, used, width, hidden int, typ Type) *benchExperts {
	f := &benchExperts{q: q, r: rand.New(rand.NewPCG(1, 1)), experts: experts, used: used}
	bank := func(n, k int) (banks []*DeviceMatrix) {
		m := DeviceMatrix{Type: typ, N: n, K: k, Experts: experts}
		noise := make([]byte, m.Bytes())
		for i := range noise {
			noise[i] = byte(f.r.Uint32()) & 0x3f
		}
		for range benchLayers {
			c := m
			c.Data = kerneltest.Put(b, q, noise)
			banks = append(banks, &c)
		}
		return banks
	}
	f.gate, f.up, f.down = bank(hidden, width), bank(hidden, width), bank(width, hidden)
	f.x = kerneltest.NewRows(b, q, benchRows, width, width).Set(kerneltest.Gaussians(f.r, benchRows*width))
	f.hidden = kerneltest.NewRows(b, q, benchRows*used, 2*hidden, 2*hidden).Set(kerneltest.Gaussians(f.r, benchRows*used*2*hidden))
	f.pairs = kerneltest.NewRows(b, q, benchRows*used, width, width)
	f.in, f.out = newRounded(b, q, f.gate[0].Form(), benchRows, width), newRounded(b, q, f.gate[0].Form(), benchRows*used, hidden)
	f.lists, f.sum = newLists(b, q, experts, used, benchRows)
	f.sum.Add = f.x.Place()
	if n := WideBytes(q.Device, benchRows*used, max(width, hidden)); n > 0 {
		f.wide = kerneltest.Put(b, q, make([]byte, n))
	}
	return f
}

func (f *benchExperts) run(b *testing.B, rows int, wide gpu.Ptr) {
	n, k := f.down[0].K, f.down[0].N
	scores := kerneltest.NewRows(b, f.q, rows, f.experts, f.experts).Set(kerneltest.Gaussians(f.r, rows*f.experts))
	how := rowwise.Routing{Rule: rowwise.RouteSoftmax, Normalize: true, Scale: 1}
	route := func(int) { rowwise.QueueRoute(f.q, f.lists, f.sum.IDs, f.sum.Weights, scores.Place(), how, 0, 0, rows) }
	rowwise.QueueMap(f.q, rowwise.MapArgs{Op: rowwise.MapRound, A: f.x.Place(), Rounded: f.in, Rows: rows, N: k})
	gate, up := f.hidden.Place(), f.hidden.Place().At(n)
	parts := []struct {
		unit   string
		launch func(layer int)
	}{
		{"route", route},
		{"feed", func(i int) {
			QueueExperts(f.q, Experts{Gate: Product{W: f.gate[i], Out: gate}, Up: Product{W: f.up[i], Out: up}, Down: Product{W: f.down[i], Out: f.x.Place()},
				Rounded: f.in, Join: rowwise.MapArgs{Op: rowwise.MapGateSiLU, A: gate, B: up, Rounded: f.out, Rows: rows * f.used, N: n},
				Sum: f.sum, Pairs: f.pairs.Place().Ptr}, MulRows{Rows: rows, Lists: f.lists, Wide: wide})
		}},
	}
	total := 0.0
	for _, p := range parts {
		seconds := kerneltest.TimeGraph(b, f.q, func() {
			for i := range benchLayers {
				p.launch(i)
			}
		}) / benchLayers
		total += seconds
		b.ReportMetric(seconds*1e6, p.unit+"-us")
	}
	chosen := slices.Compact(slices.Sorted(slices.Values(kerneltest.Fetch[int32](b, f.q, f.sum.IDs.Ptr, rows*f.used))))
	bytes := float64(len(chosen)) / float64(f.experts) * float64(f.gate[0].Bytes()+f.up[0].Bytes()+f.down[0].Bytes())
	b.ReportMetric(bytes/total/1e9, "GB/s")
	b.ReportMetric(0, "ns/op")
}
