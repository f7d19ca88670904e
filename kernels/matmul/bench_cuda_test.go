//go:build cuda

package matmul

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/kerneltest"
	"github.com/confab-tui/confab/kernels/rowwise"
)

// BenchmarkDeviceProducts times products as a step has them: one after the other in a
// graph, over more weights than the cache holds. GB/s is of weights.
func BenchmarkDeviceProducts(b *testing.B) {
	q := kerneltest.OnDevice(b)
	r := rand.New(rand.NewPCG(1, 1))
	for _, typ := range []Type{Q4_0, Q4_K, Q6_K, Q8_0, MXFP4, F16, BF16} {
		for _, shape := range [][3]int{{4096, 4096, 1}, {14336, 4096, 2}, {4096, 14336, 1}, {128256, 4096, 1}} {
			if (typ == F16 || typ == BF16) && shape[0] > 14336 {
				continue
			}
			benchProducts(b, q, r, typ, shape[0], shape[1], shape[2])
		}
	}
}

func benchProducts(b *testing.B, q *kernels.Queue, r *rand.Rand, typ Type, n, k, together int) {
	m := &DeviceMatrix{Type: typ, N: n, K: k, Experts: 1}
	copies := max(2, int(400<<20/m.Bytes()))
	noise := make([]byte, m.Bytes())
	for i := range noise {
		noise[i] = byte(r.Uint32()) & 0x3f
	}
	matrices := make([]*DeviceMatrix, copies)
	for i := range matrices {
		c := *m
		c.Data = kerneltest.Put(b, q, noise)
		matrices[i] = &c
	}
	const most = 512
	x := kerneltest.NewRows(b, q, most, k, k).Set(kerneltest.Gaussians(r, most*k))
	rounded := newRounded(b, q, m.Form(), most, k)
	out := kerneltest.NewRows(b, q, most, n*together, n*together)
	for _, rows := range []int{1, 4, 8, 16, 32, 64, 512} {
		b.Run(fmt.Sprintf("type%d-%dx%dx%d-%d", typ, together, n, k, rows), func(b *testing.B) {
			kerneltest.Use(b, q)
			if m.Form() != kernels.FormF32 {
				rowwise.QueueMap(q, rowwise.MapArgs{Op: rowwise.MapRound, A: x.Place(), Rounded: rounded, Rows: rows, N: k})
			}
			seconds := kerneltest.TimeGraph(b, q, func() {
				for i := 0; i+together <= copies; i += together {
					var ps []Product
					for j := range together {
						ps = append(ps, Product{W: matrices[i+j], Out: out.Place().At(j * n)})
					}
					QueueMul(q, ps, x.Place(), rounded, MulRows{Rows: rows})
				}
			}) / float64(copies/together)
			b.ReportMetric(seconds*1e6, "us")
			b.ReportMetric(float64(together)*float64(m.Bytes())/seconds/1e9, "GB/s")
			b.ReportMetric(2*float64(together)*float64(n)*float64(k)*float64(rows)/seconds/1e12, "TFLOP/s")
			b.ReportMetric(0, "ns/op")
		})
	}
}
