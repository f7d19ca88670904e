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

// A norm, the router's product and the choice in one launch give what their definitions give, for one
// row, for rows that fit a block and for more, of every width that has a kernel of its own; what is
// left rounded is what rounding gives, and padding is given experts that there are.
func TestDeviceNormRoute(t *testing.T) {
	q := kerneltest.OnDevice(t)
	r := rand.New(rand.NewPCG(2, 9))
	for _, c := range []normRouting{
		{experts: 8, used: 2, n: 256, rows: 1, padding: 1}, {experts: 40, used: 4, n: 100, rows: 9, padding: 1},
		{experts: 128, used: 8, n: 2048, rows: 3, padding: 1}, {experts: 300, used: 10, n: 520, rows: 70, padding: 1},
		{experts: 32, used: 4, n: 2880, rows: 17, padding: 1}, {experts: 128, used: 8, n: 2048, rows: 1},
		{experts: 128, used: 8, n: 2048, padding: 1}, {experts: 32, used: 32, n: 2880, rows: 1},
		{experts: 32, used: 4, n: 2880, padding: 1}, {experts: 30, used: 3, n: 2047, rows: 5, padding: 3},
		{experts: 512, used: 10, n: 4096, rows: 2}, {experts: 4, used: 1, n: 8192, rows: 4},
		{experts: 16, used: 2, n: 64, rows: 1000, padding: 24}, {experts: 128, used: 8, n: 256, rows: 300, padding: 212},
		{experts: 256, used: 8, n: 7168, rows: 3, padding: 1, groups: 8, open: 4, biased: true}, {experts: 256, used: 8, n: 7168, rows: 1, groups: 8, open: 4, biased: true},
		{experts: 64, used: 6, n: 512, rows: 20, groups: 8, open: 3}, {experts: 130, used: 5, n: 512, rows: 6, biased: true},
	} {
		if testing.Short() && c.rows > 100 {
			continue
		}
		for _, rule := range []RouteRule{RouteSoftmax, RouteChosen, RouteSigmoid} {
			c.check(t, q, r, rule)
		}
	}
}

// A row has the same bits alone as among others, of all that is left of it.
func TestDeviceNormRouteAlone(t *testing.T) {
	q := kerneltest.OnDevice(t)
	r := rand.New(rand.NewPCG(2, 10))
	for _, c := range []normRouting{
		{experts: 40, used: 4, n: 100, rows: 37}, {experts: 128, used: 8, n: 2048, rows: 150}, {experts: 32, used: 4, n: 2880, rows: 37},
		{experts: 130, used: 8, n: 7168, rows: 37, biased: true},
	} {
		how, p := c.routing(r, RouteSoftmax), c.operands(r)
		all := c.run(t, q, how, p)
		for _, run := range [][2]int{{0, 1}, {17, 18}, {c.rows - 1, c.rows}, {3, 5}, {9, 16}} {
			part, some := c, p
			part.rows, some.x = run[1]-run[0], p.x[run[0]*c.n:run[1]*c.n]
			if got := part.run(t, q, how, some); !got.equal(all.rows(c, run[0], run[1])) {
				t.Errorf("%+v: rows %v are not alone what they are among all", c, run)
			}
		}
	}
}

type normRouting struct {
	experts, used, n, rows, padding int
	groups, open                    int // of experts, and how many are chosen from
	biased                          bool
}

type normOperands struct{ x, weight, w, bias []float32 }

type normRouted struct {
	ids                   []int32
	weights, scores, norm []float32
	values, records       []byte
}

func (c normRouting) routing(r *rand.Rand, rule RouteRule) Routing {
	how := Routing{Rule: rule, Normalize: rule != RouteChosen, Scale: 1.3, Groups: c.groups, GroupsUsed: c.open}
	if c.biased {
		how.Bias = kerneltest.Gaussians(r, c.experts)
	}
	return how
}

func (c normRouting) operands(r *rand.Rand) normOperands {
	p := normOperands{x: kerneltest.Gaussians(r, c.rows*c.n), weight: kerneltest.Gaussians(r, c.n),
		w: kerneltest.Gaussians(r, c.experts*c.n), bias: kerneltest.Gaussians(r, c.experts)}
	Scale(p.w, p.w, 1/float32(math.Sqrt(float64(c.n)))) // or sigmoids are all 1
	return p
}

const normRoutingEps = 1e-5

// want is what the definitions give, but for what is rounded.
func (c normRouting) want(how Routing, p normOperands) normRouted {
	d := normRouted{norm: make([]float32, len(p.x)), scores: make([]float32, c.rows*c.experts), ids: make([]int32, c.rows*c.used), weights: make([]float32, c.rows*c.used)}
	for i := range c.rows {
		h := d.norm[i*c.n:][:c.n]
		RMSNorm(h, p.x[i*c.n:][:c.n], p.weight, normRoutingEps)
		for e := range c.experts {
			sum := float64(p.bias[e])
			for k, v := range h {
				sum += float64(v) * float64(p.w[e*c.n+k])
			}
			d.scores[i*c.experts+e] = float32(sum)
		}
		Route(d.ids[i*c.used:][:c.used], d.weights[i*c.used:][:c.used], slices.Clone(d.scores[i*c.experts:][:c.experts]), how)
	}
	return d
}

// run is what the device makes of rows and padding, which are no numbers; it fails where lists, padding or
// what is rounded are not what they should be, or something is left for the next launch.
func (c normRouting) run(t *testing.T, q *kernels.Queue, how Routing, p normOperands) normRouted {
	t.Helper()
	rows, x := c.rows+c.padding, slices.Clone(p.x)
	for range c.padding * c.n {
		x = append(x, float32(math.NaN()))
	}
	var choice gpu.Ptr
	if how.Bias != nil {
		choice = kerneltest.Put(t, q, how.Bias)
	}
	l := newLists(t, q, c.experts, c.used, rows)
	ids, weights := kerneltest.Put(t, q, make([]int32, rows*c.used)), kerneltest.NewRows(t, q, rows, c.used, c.used+1)
	out, scores := kerneltest.NewRows(t, q, rows, c.n, c.n+3), kerneltest.NewRows(t, q, rows, c.experts, c.experts+2)
	chunks := (c.n + 255) / 256
	rounding := func() kernels.Rounded {
		values, records := kernels.RoundedBytes(kernels.FormQ8K, rows, c.n)
		return kernels.Rounded{Form: kernels.FormQ8K, Chunks: chunks, Values: kerneltest.Put(t, q, make([]byte, values)), Records: kerneltest.Put(t, q, make([]byte, records))}
	}
	rounded, again := rounding(), rounding()
	QueueNormRoute(q, l, kernels.Place{Ptr: ids, Stride: c.used}, weights.Place(), scores.Place(), how, choice,
		kerneltest.Put(t, q, []int32{int32(c.rows)}), NormArgs{Out: out.Place(), In: kerneltest.NewRows(t, q, rows, c.n, c.n+4).Set(x).Place(),
			Weight: kerneltest.Put(t, q, p.weight), Rounded: rounded, Rows: rows, N: c.n, Eps: normRoutingEps},
		Router{Weights: kerneltest.Put(t, q, routerTiles(p.w, c.experts, c.n)), Bias: kerneltest.Put(t, q, p.bias)})
	QueueMap(q, MapArgs{Op: MapRound, A: out.Place(), Rounded: again, Rows: rows, N: c.n})

	what := fmt.Sprintf("rule %d, %+v", how.Rule, c)
	d := normRouted{ids: kerneltest.Fetch[int32](t, q, ids, rows*c.used), weights: weights.Get(), scores: scores.Get(), norm: out.Get()}
	values, records := kernels.RoundedBytes(kernels.FormQ8K, c.rows, c.n)
	fetch := func(r kernels.Rounded) ([]byte, []byte) {
		return kerneltest.Fetch[byte](t, q, r.Values, int(values)), kerneltest.Fetch[byte](t, q, r.Records, int(records))
	}
	d.values, d.records = fetch(rounded)
	if values, records := fetch(again); !slices.Equal(d.values, values) || !slices.Equal(d.records, records) {
		t.Errorf("%s: norms are not rounded as they should be", what)
	}
	for i := c.rows; i < rows; i++ {
		if padding := d.ids[i*c.used:][:c.used]; slices.Min(padding) < 0 || int(slices.Max(padding)) >= c.experts {
			t.Errorf("%s: padding has the experts %v", what, padding)
		}
	}
	listed(t, q, what, l, d.ids[:c.rows*c.used], rows)
	if left := kerneltest.Fetch[int32](t, q, l.Arrived, 1+rows*c.experts); slices.Max(left) != 0 || slices.Min(left) != 0 {
		t.Errorf("%s: counts or scores are left: %v", what, left)
	}
	return d.rows(c, 0, c.rows)
}

func (c normRouting) check(t *testing.T, q *kernels.Queue, r *rand.Rand, rule RouteRule) {
	t.Helper()
	how, p := c.routing(r, rule), c.operands(r)
	got, want := c.run(t, q, how, p), c.want(how, p)
	what := fmt.Sprintf("rule %d, %+v", rule, c)
	kerneltest.Near(t, what+": norms", got.norm, want.norm, 1e-5)
	kerneltest.Near(t, what+": scores", got.scores, want.scores, 1e-5)
	if !slices.Equal(got.ids, want.ids) {
		t.Fatalf("%s: experts %v, want %v", what, got.ids, want.ids)
	}
	kerneltest.Near(t, what+": weights", got.weights, want.weights, 1e-5)
}

// rows is what is there of rows r0 to r1.
func (d normRouted) rows(c normRouting, r0, r1 int) normRouted {
	chunks := (c.n + 255) / 256
	record := len(d.records) / max(1, len(d.values)/256)
	return normRouted{ids: d.ids[r0*c.used : r1*c.used], weights: d.weights[r0*c.used : r1*c.used], scores: d.scores[r0*c.experts : r1*c.experts],
		norm: d.norm[r0*c.n : r1*c.n], values: d.values[r0*chunks*256 : r1*chunks*256], records: d.records[r0*chunks*record : r1*chunks*record]}
}

func (d normRouted) equal(e normRouted) bool {
	return slices.Equal(d.ids, e.ids) && slices.Equal(d.weights, e.weights) && slices.Equal(d.scores, e.scores) &&
		slices.Equal(d.norm, e.norm) && slices.Equal(d.values, e.values) && slices.Equal(d.records, e.records)
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
