//go:build cuda

package rowwise

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/confab-tui/confab/gpu"
	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/kerneltest"
)

// A norm, the router's product and the choice in one launch give what their definitions give, for
// rows that fit a block at once and more; what is left rounded is what rounding gives, and padding
// is given experts that there are.
func TestDeviceNormRoute(t *testing.T) {
	q := kerneltest.OnDevice(t)
	r := rand.New(rand.NewPCG(2, 9))
	for _, c := range []normRouting{{8, 2, 256, 1}, {40, 4, 100, 9}, {128, 8, 2048, 3}, {300, 10, 520, 70}, {32, 4, 2880, 17}} {
		for _, rule := range []RouteRule{RouteSoftmax, RouteChosen, RouteSigmoid} {
			c.check(t, q, r, Routing{Rule: rule, Normalize: rule != RouteChosen, Scale: 1.3})
		}
	}
}

type normRouting struct{ experts, used, n, rows int }

func (c normRouting) check(t *testing.T, q *kernels.Queue, r *rand.Rand, how Routing) {
	t.Helper()
	const eps = 1e-5
	x, weight := kerneltest.Gaussians(r, c.rows*c.n), kerneltest.Gaussians(r, c.n)
	w, bias := kerneltest.Gaussians(r, c.experts*c.n), kerneltest.Gaussians(r, c.experts)
	Scale(w, w, 1/float32(math.Sqrt(float64(c.n)))) // or sigmoids are all 1
	norms, scores := make([]float32, len(x)), make([]float32, c.rows*c.experts)
	ids, weights := make([]int32, c.rows*c.used), make([]float32, c.rows*c.used)
	for i := range c.rows {
		h := norms[i*c.n:][:c.n]
		RMSNorm(h, x[i*c.n:][:c.n], weight, eps)
		for e := range c.experts {
			sum := float64(bias[e])
			for k, v := range h {
				sum += float64(v) * float64(w[e*c.n+k])
			}
			scores[i*c.experts+e] = float32(sum)
		}
		Route(ids[i*c.used:][:c.used], weights[i*c.used:][:c.used], slices.Clone(scores[i*c.experts:][:c.experts]), how)
	}

	rows := c.rows + 1
	for range c.n {
		x = append(x, float32(math.NaN()))
	}
	l := newLists(t, q, c.experts, c.used, rows)
	gotIDs, gotWeights := kerneltest.Put(t, q, make([]int32, rows*c.used)), kerneltest.NewRows(t, q, rows, c.used, c.used+1)
	out, gotScores := kerneltest.NewRows(t, q, rows, c.n, c.n+3), kerneltest.NewRows(t, q, rows, c.experts, c.experts+2)
	rounding := func() kernels.Rounded {
		values, records := kernels.RoundedBytes(kernels.FormQ8K, rows, c.n)
		return kernels.Rounded{Form: kernels.FormQ8K, Chunks: (c.n + 255) / 256,
			Values: kerneltest.Put(t, q, make([]byte, values)), Records: kerneltest.Put(t, q, make([]byte, records))}
	}
	rounded, again := rounding(), rounding()
	QueueNormRoute(q, l, kernels.Place{Ptr: gotIDs, Stride: c.used}, gotWeights.Place(), gotScores.Place(), how, 0,
		kerneltest.Put(t, q, []int32{int32(c.rows)}), NormArgs{Out: out.Place(), In: kerneltest.NewRows(t, q, rows, c.n, c.n+4).Set(x).Place(),
			Weight: kerneltest.Put(t, q, weight), Rounded: rounded, Rows: rows, N: c.n, Eps: eps},
		Router{Weights: kerneltest.Put(t, q, routerTiles(w, c.experts, c.n)), Bias: kerneltest.Put(t, q, bias)})
	QueueMap(q, MapArgs{Op: MapRound, A: out.Place(), Rounded: again, Rows: c.rows, N: c.n})

	what := fmt.Sprintf("rule %d, %+v", how.Rule, c)
	kerneltest.Near(t, what+": norms", out.Get()[:len(norms)], norms, 1e-5)
	kerneltest.Near(t, what+": scores", gotScores.Get()[:len(scores)], scores, 1e-5)
	got := kerneltest.Fetch[int32](t, q, gotIDs, rows*c.used)
	if !slices.Equal(got[:len(ids)], ids) {
		t.Fatalf("%s: experts %v, want %v", what, got, ids)
	}
	if padding := got[len(ids):]; slices.Min(padding) < 0 || int(slices.Max(padding)) >= c.experts {
		t.Errorf("%s: padding has the experts %v", what, padding)
	}
	kerneltest.Near(t, what+": weights", gotWeights.Get()[:len(weights)], weights, 1e-5)
	listed(t, q, what, l, ids)
	values, records := kernels.RoundedBytes(kernels.FormQ8K, c.rows, c.n)
	same := func(a, b gpu.Ptr, n int64) bool {
		return slices.Equal(kerneltest.Fetch[byte](t, q, a, int(n)), kerneltest.Fetch[byte](t, q, b, int(n)))
	}
	if !same(rounded.Values, again.Values, values) || !same(rounded.Records, again.Records, records) {
		t.Errorf("%s: norms are not rounded as they should be", what)
	}
	if left := kerneltest.Fetch[int32](t, q, l.Arrived, 1+rows); slices.Max(left) != 0 {
		t.Errorf("%s: counts are left: %v", what, left)
	}
}

// routerTiles brings a matrix into tiles of 16 x 16, as tile.cuh says.
func routerTiles(w []float32, rows, n int) []float32 {
	across := (n + 15) / 16
	tiles := make([]float32, (rows+15)/16*across*256)
	for r := range rows {
		for k := range n {
			at := (r/16*across+k/16)*256 + r%16/8*128 + r%8*16 + k%16
			tiles[at] = w[r*n+k]
		}
	}
	return tiles
}
