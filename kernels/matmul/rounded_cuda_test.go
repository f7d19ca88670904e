//go:build cuda

package matmul

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/kerneltest"
	"github.com/confab-tui/confab/kernels/rowwise"
)

// A norm that rounds its result serves a product as rounding afterwards does.
func TestDeviceNormRounds(t *testing.T) {
	q := kerneltest.OnDevice(t)
	r := rand.New(rand.NewPCG(1, 4))
	for _, typ := range []Type{Q8_0, Q4_K} {
		const rows, n, k = 5, 64, 1024
		m, _ := loadMatrix(t, q, r, typ, n, k)
		in := kerneltest.NewRows(t, q, rows, k, k).Set(kerneltest.Gaussians(r, rows*k))
		middle := kerneltest.NewRows(t, q, rows, k, k)
		rounded := newRounded(t, q, m.Form(), rows, k)
		rowwise.QueueNorm(q, rowwise.NormArgs{Out: middle.Place(), In: in.Place(), Rounded: rounded, Rows: rows, N: k, Eps: 1e-5})
		out := kerneltest.NewRows(t, q, rows, n, n)
		QueueMul(q, []Product{{W: m, Out: out.Place()}}, kernels.Place{}, rounded, MulRows{Rows: rows})
		kerneltest.Same(t, fmt.Sprintf("type %d", typ), out.Get(), deviceProduct(t, q, m, middle.Get(), rows))
	}
}

// Routing and a feed-forward of experts, against the CPU's pieces.
func TestDeviceExperts(t *testing.T) {
	q := kerneltest.OnDevice(t)
	r := rand.New(rand.NewPCG(1, 7))
	for _, rows := range []int{1, 7, 40} {
		for _, rule := range []rowwise.RouteRule{rowwise.RouteSoftmax, rowwise.RouteChosen, rowwise.RouteSigmoid} {
			const experts, used, k, n = 40, 4, 256, 48
			how := rowwise.Routing{Rule: rule, Normalize: rule != rowwise.RouteChosen, Scale: 1.3}
			scores := kerneltest.Gaussians(r, rows*experts)
			wantIDs, wantWeights := make([]int32, rows*used), make([]float32, rows*used)
			for i := range rows {
				rowwise.Route(wantIDs[i*used:][:used], wantWeights[i*used:][:used], slices.Clone(scores[i*experts:][:experts]), how)
			}
			ids, weights := kerneltest.Put(t, q, make([]int32, rows*used)), kerneltest.NewRows(t, q, rows, used, used)
			rowwise.QueueRoute(q, kernels.Place{Ptr: ids, Stride: used}, weights.Place(), kerneltest.NewRows(t, q, rows, experts, experts+1).Set(scores).Place(), how, 0, rows, experts, used)
			if got := kerneltest.Fetch[int32](t, q, ids, rows*used); !slices.Equal(got, wantIDs) {
				t.Fatalf("rule %d: experts %v, want %v", rule, got, wantIDs)
			}
			kerneltest.Near(t, fmt.Sprintf("weights of rule %d", rule), weights.Get(), wantWeights, 1e-5)

			lists := rowwise.Lists{Experts: kerneltest.Put(t, q, make([]int32, experts)), Starts: kerneltest.Put(t, q, make([]int32, experts+1)),
				List: kerneltest.Put(t, q, make([]int32, rows*used)), Count: experts, Used: used}
			live := rows - rows/4
			rowwise.QueueExpertLists(q, &lists, kernels.Place{Ptr: ids, Stride: used}, kerneltest.Put(t, q, []int32{int32(live)}), rows)
			m := &DeviceMatrix{Type: Q4_K, N: n, K: k, Experts: experts}
			m.Data = kerneltest.Put(t, q, make([]byte, m.Bytes()))
			x := randomRows(r, rows, k)
			bias := kerneltest.Gaussians(r, experts*n)
			want := make([]float32, live*used*n)
			data := make([][]byte, experts)
			for e := range data {
				data[e] = randomWeights(r, Q4_K, n*k)
				QueueRepack(q, m, e, 0, n, kerneltest.Put(t, q, data[e]))
			}
			for p := range live * used {
				e := int(wantIDs[p])
				copy(want[p*n:], reference(t, Q4_K, n, k, data[e], x[p/used*k:][:k], 1))
				rowwise.Add(want[p*n:][:n], want[p*n:][:n], bias[e*n:][:n])
			}
			rounded := newRounded(t, q, kernels.FormQ8K, rows, k)
			rowwise.QueueMap(q, rowwise.MapArgs{Op: rowwise.MapRound, A: kerneltest.NewRows(t, q, rows, k, k).Set(x).Place(), Rounded: rounded, Rows: rows, N: k})
			out := kerneltest.NewRows(t, q, live*used, n, n)
			QueueMul(q, []Product{{W: m, Out: out.Place(), Bias: kerneltest.Put(t, q, bias)}}, kernels.Place{}, rounded,
				MulRows{Rows: rows, Lists: &lists, Divide: used})
			kerneltest.Near(t, fmt.Sprintf("experts, %d rows", rows), out.Get(), want, 1e-5)

			sums := make([]float32, live*n)
			for p := range live * used {
				for j := range n {
					sums[p/used*n+j] += wantWeights[p] * want[p*n+j]
				}
			}
			sum := kerneltest.NewRows(t, q, live, n, n+2)
			rowwise.QueueExpertSum(q, sum.Place(), out.Place().Ptr, kernels.Place{Ptr: ids, Stride: used}, weights.Place(), 0, live, used, n)
			kerneltest.Near(t, "sum of experts", sum.Get(), sums, 1e-5)
		}
	}
}
