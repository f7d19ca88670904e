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

// bank is experts' weights, on the device and for the CPU, with a bias and a scale for each.
type bank struct {
	*DeviceMatrix
	data         [][]byte
	bias, scales []float32
}

func newBank(t *testing.T, q *kernels.Queue, r *rand.Rand, typ Type, experts, n, k int) *bank {
	b := &bank{DeviceMatrix: &DeviceMatrix{Type: typ, N: n, K: k, Experts: experts}, data: make([][]byte, experts),
		bias: kerneltest.Gaussians(r, experts*n), scales: kerneltest.Gaussians(r, experts)}
	b.Data = kerneltest.Put(t, q, make([]byte, b.Bytes()))
	for e := range b.data {
		b.data[e] = randomWeights(r, typ, n*k)
		QueueRepack(q, b.DeviceMatrix, e, 0, n, kerneltest.Put(t, q, b.data[e]))
	}
	kerneltest.Wait(t, q)
	return b
}

// chosen is rows that chose experts, the last ones padding.
type chosen struct {
	rows, live, used int
	ids              []int32
	weights          []float32
	lists            *rowwise.Lists
	placed           rowwise.ExpertSum
	count            gpu.Ptr
}

func choose(t *testing.T, q *kernels.Queue, experts, used int, scores []float32) *chosen {
	rows := len(scores) / experts
	c := &chosen{rows: rows, live: rows - rows/4, used: used, ids: make([]int32, rows*used), weights: make([]float32, rows*used)}
	how := rowwise.Routing{Rule: rowwise.RouteSoftmax, Normalize: true, Scale: 1.3}
	for i := range rows {
		rowwise.Route(c.ids[i*used:][:used], c.weights[i*used:][:used], slices.Clone(scores[i*experts:][:experts]), how)
	}
	c.lists, c.placed = newLists(t, q, experts, used, rows)
	c.count = kerneltest.Put(t, q, []int32{int32(c.live)})
	rowwise.QueueRoute(q, c.lists, c.placed.IDs, c.placed.Weights, kerneltest.NewRows(t, q, rows, experts, experts).Set(scores).Place(), how, 0, c.count, rows)
	return c
}

// want returns what products with x come to by the CPU's pieces, a row a token or a pair.
func (c *chosen) want(t *testing.T, b *bank, x []float32, divide int) []float32 {
	want := make([]float32, c.live*c.used*b.N)
	for p := range c.live * c.used {
		e, out := int(c.ids[p]), want[p*b.N:][:b.N]
		copy(out, reference(t, b.Type, b.N, b.K, b.data[e], x[p/divide*b.K:][:b.K], 1))
		rowwise.Add(out, out, b.bias[e*b.N:][:b.N])
	}
	return want
}

// newLists makes room for the lists of rows that choose experts, and for their choice.
func newLists(t testing.TB, q *kernels.Queue, experts, used, rows int) (*rowwise.Lists, rowwise.ExpertSum) {
	put := func(n int) gpu.Ptr { return kerneltest.Put(t, q, make([]int32, n)) }
	return &rowwise.Lists{Experts: put(experts + 1), Starts: put(experts + 1), List: put(rows * used), Count: experts, Used: used},
		rowwise.ExpertSum{IDs: kernels.Place{Ptr: put(rows * used), Stride: used}, Weights: kerneltest.NewRows(t, q, rows, used, used+1).Place()}
}

// mul returns the same on the device.
func (c *chosen) mul(t *testing.T, q *kernels.Queue, b *bank, x []float32, divide int) []float32 {
	out := kerneltest.NewRows(t, q, c.live*c.used, b.N, b.N+3)
	in, rounded := c.input(t, q, b, x, divide)
	QueueMul(q, []Product{{W: b.DeviceMatrix, Out: out.Place(), Bias: kerneltest.Put(t, q, b.bias)}}, in, rounded,
		MulRows{Rows: c.rows, Count: c.count, Lists: c.lists, Divide: divide})
	return out.Get()
}

// gate returns gated products with x. What they leave rounded must be what rounding gives.
func (c *chosen) gate(t *testing.T, q *kernels.Queue, gate, up *bank, x []float32) []float32 {
	pairs, n, form := c.rows*c.used, gate.N, gate.Form()
	out, opened := kerneltest.NewRows(t, q, pairs, n, n+4), kerneltest.NewRows(t, q, pairs, n, n+4)
	in, rounded := c.input(t, q, gate, x, c.used)
	m := rowwise.MapArgs{Op: rowwise.MapGateSiLU, Out: out.Place(), A: out.Place(), B: opened.Place(), Rows: pairs, N: n}
	var arrived gpu.Ptr
	if form != kernels.FormF32 {
		m.Rounded = newRounded(t, q, form, pairs, n)
		arrived = kerneltest.Put(t, q, make([]int32, pairs*m.Rounded.Chunks))
	}
	QueueMulGate(q, Product{W: gate.DeviceMatrix, Out: m.A, Bias: kerneltest.Put(t, q, gate.bias)},
		Product{W: up.DeviceMatrix, Out: m.B, Bias: kerneltest.Put(t, q, up.bias)}, in, rounded,
		MulRows{Rows: c.rows, Count: c.count, Lists: c.lists, Divide: c.used}, m, arrived)
	got := out.Get()[:c.live*c.used*n]
	if form == kernels.FormF32 {
		return got
	}
	again := newRounded(t, q, form, c.live*c.used, n)
	rowwise.QueueMap(q, rowwise.MapArgs{Op: rowwise.MapRound, A: m.A, Rounded: again, Rows: c.live * c.used, N: n})
	kerneltest.Wait(t, q)
	values, records := kernels.RoundedBytes(form, c.live*c.used, n)
	for _, r := range []struct {
		got, want gpu.Ptr
		bytes     int64
	}{{m.Rounded.Values, again.Values, values}, {m.Rounded.Records, again.Records, records}} {
		if a, b := kerneltest.Fetch[byte](t, q, r.got, int(r.bytes)), kerneltest.Fetch[byte](t, q, r.want, int(r.bytes)); !slices.Equal(a, b) {
			t.Errorf("type %d, %d rows: gated products are not rounded as they should be", gate.Type, c.rows)
		}
	}
	if left := kerneltest.Fetch[int32](t, q, arrived, pairs*again.Chunks); slices.Max(left) != 0 {
		t.Errorf("type %d, %d rows: counts are left: %v", gate.Type, c.rows, left)
	}
	return got
}

func (c *chosen) input(t *testing.T, q *kernels.Queue, b *bank, x []float32, divide int) (kernels.Place, kernels.Rounded) {
	rows := c.rows * c.used / divide
	in, rounded := kerneltest.NewRows(t, q, rows, b.K, b.K+8).Set(x), newRounded(t, q, b.Form(), rows, b.K)
	if b.Form() != kernels.FormF32 {
		rowwise.QueueMap(q, rowwise.MapArgs{Op: rowwise.MapRound, A: in.Place(), Rounded: rounded, Rows: rows, N: b.K})
	}
	return in.Place(), rounded
}

// sum returns the sums of the experts of rows, whose pairs are x, and of add, on the device, and
// from what mul gave.
func (c *chosen) sum(t *testing.T, q *kernels.Queue, b *bank, x, pairs, add []float32) (got, want []float32) {
	want = slices.Clone(add[:c.live*b.N])
	for p := range c.live * c.used {
		for j := range b.N {
			want[p/c.used*b.N+j] += c.weights[p] * b.scales[c.ids[p]] * pairs[p*b.N+j]
		}
	}
	s := c.placed
	s.Add, s.Scales = kerneltest.NewRows(t, q, c.rows, b.N, b.N+1).Set(add).Place(), kerneltest.Put(t, q, b.scales)
	out := kerneltest.NewRows(t, q, c.rows, b.N, b.N+2)
	in, rounded := c.input(t, q, b, x, 1)
	QueueMulSum(q, Product{W: b.DeviceMatrix, Out: out.Place(), Bias: kerneltest.Put(t, q, b.bias)}, in, rounded,
		MulRows{Rows: c.rows, Count: c.count, Lists: c.lists, Divide: 1}, s, kerneltest.Put(t, q, make([]float32, c.rows*c.used*b.N)))
	return out.Get()[:c.live*b.N], want
}

// Products of experts with rows and with pairs, and the sums of a row's experts, agree with
// the CPU's; up to 64 rows a row's bits do not depend on the rows beside it. Warps share k or do
// not, and experts have no row, one, or more than are taken at a time.
func TestDeviceExperts(t *testing.T) {
	for _, typ := range deviceTypes {
		t.Run(fmt.Sprintf("type-%d", typ), func(t *testing.T) {
			for _, s := range []expertShape{{40, 4, 48, 256}, {5, 2, 300, 768}, {12, 3, 33, 2304}, {3, 1, 17, 9216}} {
				if !testing.Short() || s.k <= 768 {
					s.check(t, typ)
				}
			}
		})
	}
}

type expertShape struct{ experts, used, n, k int }

func (s expertShape) check(t *testing.T, typ Type) {
	q := kerneltest.OnDevice(t)
	r := rand.New(rand.NewPCG(uint64(typ), uint64(s.k)))
	b, up := newBank(t, q, r, typ, s.experts, s.n, s.k), newBank(t, q, r, typ, s.experts, s.n, s.k)
	limit := 1e-5
	if typ == BF16 {
		limit = 4e-3 // the CPU rounds activations to BF16 there
	}
	for _, rows := range []int{1, 7, 40, 90} {
		c := choose(t, q, s.experts, s.used, kerneltest.Gaussians(r, rows*s.experts))
		what := fmt.Sprintf("%+v, %d rows", s, rows)
		x := randomRows(r, rows*s.used, s.k)
		gates, ups := c.want(t, b, x, s.used), c.want(t, up, x, s.used)
		kerneltest.Near(t, what, c.mul(t, q, b, x, s.used), gates, limit)
		rowwise.SwiGLU(gates, gates, ups)
		kerneltest.Near(t, what+", gated", c.gate(t, q, b, up, x), gates, 2*limit) // two errors multiplied
		got := c.mul(t, q, b, x, 1)
		kerneltest.Near(t, what+", pairs", got, c.want(t, b, x, 1), limit)
		sum, sums := c.sum(t, q, b, x, got, kerneltest.Gaussians(r, rows*s.n))
		kerneltest.Near(t, what+", sums", sum, sums, 1e-5)
	}
}

// A row's experts give the same bits alone and in company, and so does their sum, whichever
// kernel adds up.
func TestDeviceExpertsAlone(t *testing.T) {
	q := kerneltest.OnDevice(t)
	for _, typ := range []Type{Q8_0, Q4_K} {
		const experts, used, n, k, rows = 6, 2, 40, 2304, 60
		r := rand.New(rand.NewPCG(uint64(typ), 3))
		b := newBank(t, q, r, typ, experts, n, k)
		scores, x, add := kerneltest.Gaussians(r, rows*experts), randomRows(r, rows*used, k), kerneltest.Gaussians(r, rows*n)
		all := choose(t, q, experts, used, scores)
		pairs := all.mul(t, q, b, x, 1)
		sums, _ := all.sum(t, q, b, x, pairs, add)
		for row := range 5 {
			one := choose(t, q, experts, used, scores[row*experts:][:experts])
			got := one.mul(t, q, b, x[row*used*k:], 1)
			kerneltest.Same(t, fmt.Sprintf("type %d, row %d", typ, row), got, pairs[row*used*n:][:used*n])
			sum, _ := one.sum(t, q, b, x[row*used*k:], got, add[row*n:])
			kerneltest.Same(t, fmt.Sprintf("type %d, sum of row %d", typ, row), sum, sums[row*n:][:n])
		}
	}
}
