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
	products := []Product{{W: b.DeviceMatrix, Out: out.Place(), Bias: kerneltest.Put(t, q, b.bias)}}
	rows := MulRows{Rows: c.rows, Count: c.count, Lists: c.lists, Divide: divide}
	if b.Form() == kernels.FormF32 {
		QueueMul(q, products, in, rounded, rows)
	} else {
		queueListed(q, products, rounded, rows, chooseExperts(b.DeviceMatrix, rows, 4, 16))
	}
	return out.Get()
}

// feedHow says what gates do, and where half precision has room.
type feedHow struct {
	op   rowwise.MapOp
	wide gpu.Ptr
}

// feed returns what a feed-forward of x makes of gate and up, a row a pair, and with add its result.
func (c *chosen) feed(t *testing.T, q *kernels.Queue, gate, up, down *bank, x, add []float32) (hidden, sums []float32) {
	return c.feedWith(t, q, feedHow{op: rowwise.MapGateSiLU}, gate, up, down, x, add)
}

func (c *chosen) feedWith(t *testing.T, q *kernels.Queue, how feedHow, gate, up, down *bank, x, add []float32) (hidden, sums []float32) {
	pairs, n := c.rows*c.used, gate.N
	a, b := kerneltest.NewRows(t, q, pairs, n, n+4), kerneltest.NewRows(t, q, pairs, n, n+4)
	joined, out := kerneltest.NewRows(t, q, pairs, n, n+8), kerneltest.NewRows(t, q, c.rows, down.N, down.N+2)
	e := Experts{
		Gate:  Product{W: gate.DeviceMatrix, Out: a.Place(), Bias: kerneltest.Put(t, q, gate.bias)},
		Up:    Product{W: up.DeviceMatrix, Out: b.Place(), Bias: kerneltest.Put(t, q, up.bias)},
		Down:  Product{W: down.DeviceMatrix, Out: out.Place(), Bias: kerneltest.Put(t, q, down.bias)},
		Join:  rowwise.MapArgs{Op: how.op, Out: joined.Place(), A: a.Place(), B: b.Place(), Rows: pairs, N: n},
		Sum:   c.placed,
		Pairs: kerneltest.Put(t, q, make([]float32, pairs*down.N)),
	}
	e.X, e.Rounded = c.input(t, q, gate, x, c.used)
	if down.Form() != kernels.FormF32 {
		e.Join.Rounded = newRounded(t, q, down.Form(), pairs, n)
	}
	e.Sum.Add, e.Sum.Scales = kerneltest.NewRows(t, q, c.rows, down.N, down.N+1).Set(add).Place(), kerneltest.Put(t, q, down.scales)
	QueueExperts(q, e, MulRows{Rows: c.rows, Count: c.count, Lists: c.lists, Wide: how.wide})
	return joined.Get()[:c.live*c.used*n], out.Get()[:c.live*down.N]
}

func (c *chosen) input(t *testing.T, q *kernels.Queue, b *bank, x []float32, divide int) (kernels.Place, kernels.Rounded) {
	rows := c.rows * c.used / divide
	in, rounded := kerneltest.NewRows(t, q, rows, b.K, b.K+8).Set(x), newRounded(t, q, b.Form(), rows, b.K)
	if b.Form() != kernels.FormF32 {
		rowwise.QueueMap(q, rowwise.MapArgs{Op: rowwise.MapRound, A: in.Place(), Rounded: rounded, Rows: rows, N: b.K})
	}
	return in.Place(), rounded
}

// sum returns what the experts of rows come to with their weights, whose pairs are given, and add.
func (c *chosen) sum(b *bank, pairs, add []float32) []float32 {
	sums := slices.Clone(add[:c.live*b.N])
	for p := range c.live * c.used {
		for j := range b.N {
			sums[p/c.used*b.N+j] += c.weights[p] * b.scales[c.ids[p]] * pairs[p*b.N+j]
		}
	}
	return sums
}

// Products of experts with rows and with pairs, and feed-forwards, agree with the CPU's. Warps share k or do
// not, and experts have no row, one, or more than are taken at a time.
func TestDeviceExperts(t *testing.T) {
	for _, typ := range deviceTypes {
		t.Run(fmt.Sprintf("type-%d", typ), func(t *testing.T) {
			for _, s := range []expertShape{{40, 4, 48, 256, 256}, {5, 2, 300, 768, 768}, {12, 3, 33, 2304, 256}, {3, 1, 17, 9216, 256}} {
				if !testing.Short() || s.k <= 768 {
					s.check(t, typ)
				}
			}
		})
	}
}

// expertShape is n results of k values, and values between gate and down: 32 more for types that can.
type expertShape struct{ experts, used, n, k, hidden int }

func (s expertShape) check(t *testing.T, typ Type) {
	q := kerneltest.OnDevice(t)
	r := rand.New(rand.NewPCG(uint64(typ), uint64(s.k)))
	if values, _ := typ.block(); values <= 32 {
		s.hidden += 32
	}
	b, gate, up, down := newBank(t, q, r, typ, s.experts, s.n, s.k), newBank(t, q, r, typ, s.experts, s.hidden, s.k),
		newBank(t, q, r, typ, s.experts, s.hidden, s.k), newBank(t, q, r, typ, s.experts, s.n, s.hidden)
	limit := 1e-5
	if typ == BF16 {
		limit = 4e-3 // the CPU rounds activations to BF16 there
	}
	for _, rows := range []int{1, 2, 7, 40, 90} {
		c := choose(t, q, s.experts, s.used, kerneltest.Gaussians(r, rows*s.experts))
		what := fmt.Sprintf("%+v, %d rows", s, rows)
		x, add := randomRows(r, rows*s.used, s.k), kerneltest.Gaussians(r, rows*s.n)
		kerneltest.Near(t, what, c.mul(t, q, b, x, s.used), c.want(t, b, x, s.used), limit)
		kerneltest.Near(t, what+", pairs", c.mul(t, q, b, x, 1), c.want(t, b, x, 1), limit)
		hidden, sums := c.feed(t, q, gate, up, down, x, add)
		want := c.want(t, gate, x, s.used)
		rowwise.SwiGLU(want, want, c.want(t, up, x, s.used))
		kerneltest.Near(t, what+", gated", hidden, want, 2*limit) // two errors multiplied
		kerneltest.Near(t, what+", sums", sums, c.sum(down, c.want(t, down, hidden, 1), add), limit)
	}
}

// A row's feed-forward gives the same bits alone and in company, in however many launches.
func TestDeviceExpertsAlone(t *testing.T) {
	q := kerneltest.OnDevice(t)
	for _, typ := range []Type{Q8_0, Q4_K, MXFP4} {
		const experts, used, n, k, hidden, rows = 6, 2, 40, 2304, 768, 60
		r := rand.New(rand.NewPCG(uint64(typ), 3))
		gate, up, down := newBank(t, q, r, typ, experts, hidden, k), newBank(t, q, r, typ, experts, hidden, k), newBank(t, q, r, typ, experts, n, hidden)
		scores, x, add := kerneltest.Gaussians(r, rows*experts), randomRows(r, rows*used, k), kerneltest.Gaussians(r, rows*n)
		all := choose(t, q, experts, used, scores)
		between, sums := all.feed(t, q, gate, up, down, x, add)
		for row := range 5 {
			one := choose(t, q, experts, used, scores[row*experts:][:experts])
			got, sum := one.feed(t, q, gate, up, down, x[row*k:], add[row*n:])
			kerneltest.Same(t, fmt.Sprintf("type %d, row %d between", typ, row), got, between[row*used*hidden:][:used*hidden])
			kerneltest.Same(t, fmt.Sprintf("type %d, row %d", typ, row), sum, sums[row*n:][:n])
		}
	}
}

// Blocks of experts find room on every device, whatever the rows and their experts.
func TestExpertBlocksFit(t *testing.T) {
	for _, d := range []*gpu.Device{{SMs: 24, SharedMax: 99 << 10}, {SMs: 128, SharedMax: 99 << 10}, {SMs: 108, SharedMax: 163 << 10}, {SMs: 132, SharedMax: 227 << 10}} {
		for _, typ := range deviceTypes {
			w := &DeviceMatrix{Type: typ, N: 4096, K: 14336}
			if w.Form() == kernels.FormF32 {
				continue
			}
			for _, l := range []rowwise.Lists{{Count: 8, Used: 2}, {Count: 40, Used: 8}, {Count: 128, Used: 8}, {Count: 512, Used: 22}} {
				for rows := 1; rows <= 4096; rows *= 2 {
					m := MulRows{Rows: rows, Lists: &l, Divide: 1}
					f := chooseExperts(w, m, l.Used, expertWarps)
					for _, each := range []int{f.split, 2 * f.split} { // alone, and gated where a sum rounds
						if each > f.split && rows*l.Used > mostRounded {
							continue
						}
						if b := f.block(d, w, m, each, rows*l.Used); !fits(d, 1, b.shared) || each > b.warps {
							t.Errorf("type %d, %d rows, %d of %d experts, %d warps to a unit: %+v has no room in %d KB",
								typ, rows, l.Used, l.Count, each, b, d.SharedMax>>10)
						}
					}
					if s, ok := chooseSum(d, w, m); ok && !fits(d, 1, s.shared) {
						t.Errorf("type %d, %d rows, %d of %d experts: sums %+v have no room in %d KB", typ, rows, l.Used, l.Count, s, d.SharedMax>>10)
					}
				}
			}
		}
	}
}

// Lists would be ignored with quantised weights.
func TestExpertListsWantFloats(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("quantised weights were multiplied with lists of rows")
		}
	}()
	QueueMul(nil, []Product{{W: &DeviceMatrix{Type: Q4_K, N: 16, K: 256, Experts: 8}}}, kernels.Place{}, kernels.Rounded{},
		MulRows{Rows: 1, Lists: &rowwise.Lists{Count: 8, Used: 2}})
}
