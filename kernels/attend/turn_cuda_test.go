//go:build cuda

package attend

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/kerneltest"
	"github.com/confab-tui/confab/kernels/rowwise"
)

// Heads that attention norms and rotates itself give the bits that they give where a kernel
// has done that before: results, and keys and values in cells.
func TestDeviceAttendTurnsHeads(t *testing.T) {
	q := kerneltest.OnDevice(t)
	for _, c := range []attendCase{
		{args: AttendArgs{Heads: 16, KVHeads: 8, KeyDim: 128, ValueDim: 128}, rows: 1, depth: 100},
		{args: AttendArgs{Heads: 32, KVHeads: 4, KeyDim: 128, ValueDim: 128}, rows: 1, depth: 127},
		{args: AttendArgs{Heads: 32, KVHeads: 4, KeyDim: 128, ValueDim: 128}, rows: 2, depth: 62},
		{args: AttendArgs{Heads: 32, KVHeads: 2, KeyDim: 64, ValueDim: 40}, rows: 1, depth: 0},
		{args: AttendArgs{Heads: 8, KVHeads: 4, KeyDim: 80, ValueDim: 80}, rows: 70, depth: 3},
		{args: AttendArgs{Heads: 8, KVHeads: 4, KeyDim: 256, ValueDim: 256}, rows: 3, depth: 64},
		{args: AttendArgs{Heads: 4, KVHeads: 2, KeyDim: 512, ValueDim: 256}, rows: 2, depth: 10},
	} {
		c.args.Scale = float32(1 / math.Sqrt(float64(c.args.KeyDim)))
		t.Run(c.String(), func(t *testing.T) {
			kerneltest.Use(t, q)
			for _, center := range []bool{false, true} {
				h := newTurnedHeads(t, q, c, center)
				fused, apart := h.attend(true), h.attend(false)
				for i, what := range []string{"the result", "keys in cells", "values in cells"} {
					if !slices.Equal(fused[i], apart[i]) {
						t.Errorf("centred %t: %s are others", center, what)
					}
				}
			}
		})
	}
}

// turnedHeads is a case whose keys and values before its rows stand in cells as they are,
// and whose rows' heads are to be normed, centred and with a bias, and rotated.
type turnedHeads struct {
	*attendData
	t     *testing.T
	queue *kernels.Queue
	parts [3]rowwise.HeadPart // of queries, keys, values
}

func newTurnedHeads(t *testing.T, q *kernels.Queue, c attendCase, center bool) *turnedHeads {
	h, r := &turnedHeads{attendData: newAttendData(c), t: t, queue: q}, rand.New(rand.NewPCG(5, 6))
	a := c.args
	pairs := a.KeyDim/2 - 5
	freqs, positions := make([]float64, pairs), make([]int32, c.rows)
	for i := range freqs {
		freqs[i] = 1 / (1 + float64(i))
	}
	for i := range positions {
		positions[i] = int32(c.depth + i)
	}
	table := kerneltest.Put(t, q, make([]float32, 2*pairs*c.rows))
	rowwise.QueueRopeTable(q, table, kerneltest.Put(t, q, freqs), kerneltest.Put(t, q, positions), c.rows, pairs, 1)
	for i, x := range [][]float32{h.q, h.k[c.depth*a.KVHeads*a.KeyDim:], h.v[c.depth*a.KVHeads*a.ValueDim:]} {
		p := rowwise.HeadPart{Heads: a.KVHeads, Dim: a.KeyDim, CellWidth: roundUp(a.KeyDim, 8)}
		switch i {
		case 0:
			p.Heads, p.CellWidth = a.Heads, 0
		case 2:
			p.Dim, p.CellWidth = a.ValueDim, roundUp(a.ValueDim, 8)
		}
		if i < 2 {
			p.Table, p.Pairs, p.Interleaved = table, pairs, center
			p.Norm, p.Center, p.Eps, p.Weight = true, center, 1e-6, kerneltest.Put(t, q, kerneltest.Gaussians(r, p.Dim))
			if center {
				p.Bias = kerneltest.Put(t, q, kerneltest.Gaussians(r, p.Dim))
			}
		}
		n := p.Heads * p.Dim
		p.X = kerneltest.NewRows(t, q, c.rows, n, n+5).Set(x).Place()
		h.parts[i] = p
	}
	return h
}

// attend returns the bits of the result, keys and values in cells.
func (h *turnedHeads) attend(fused bool) (bits [3][]uint32) {
	t, q, a, n := h.t, h.queue, h.args, h.depth+h.rows
	parts, cells := h.parts, n+50
	for i, x := range [][]float32{h.k, h.v} {
		p := &parts[1+i]
		halves := make([]uint16, cells*p.Heads*p.CellWidth)
		for j, cell := range h.cells[:h.depth] {
			for k, v := range x[j*p.Heads*p.Dim:][:p.Heads*p.Dim] {
				halves[(int(cell)*p.Heads+k/p.Dim)*p.CellWidth+k%p.Dim] = kernels.F32ToF16(v)
			}
		}
		p.Cache = kerneltest.Put(t, q, halves)
	}
	if !fused {
		turned := parts
		turned[0].X = kerneltest.NewRows(t, q, h.rows, a.Heads*a.KeyDim, a.Heads*a.KeyDim).Set(h.q).Place()
		turned[0].Keep = true
		rowwise.QueueHeads(q, turned[:], h.rows, kerneltest.Put(t, q, h.cells[h.depth:]))
		parts[0] = rowwise.HeadPart{X: turned[0].X, Heads: a.Heads, Dim: a.KeyDim}
		for i := 1; i < 3; i++ {
			parts[i].X, parts[i].Norm, parts[i].Table, parts[i].Pairs = kernels.Place{}, false, 0, 0
		}
	}
	shape, err := plainShape(q, max(a.KeyDim, a.ValueDim), a.Heads/a.KVHeads, h.rows)
	if err != nil {
		t.Fatal(err)
	}
	items, of, records := cutRows(h.attendData, shape.Rows(), 64)
	list, positions := make([]int32, h.rows), make([]int32, h.rows)
	for i := range list {
		list[i], positions[i] = int32(i), int32(h.depth+i)
	}
	block := append([]int32{int32(len(items)), 16, int32(16 + 32*len(items)), int32(16 + 32*len(items) + 4*n)}, intsOf(items)...)
	step := kerneltest.Put(t, q, append(append(block, h.cells...), list...))
	out := kerneltest.NewRows(t, q, h.rows, a.Heads*a.ValueDim, a.Heads*a.ValueDim)
	d := DeviceAttend{AttendArgs: a, Q: parts[0], K: parts[1], V: parts[2], Step: step, Plan: step,
		Positions: kerneltest.Put(t, q, positions), PartsOf: kerneltest.Put(t, q, of),
		Parts: kerneltest.Put(t, q, make([]float32, records*a.PartFloats())), Items: len(items)}
	QueueAttend(q, shape, &d)
	QueueAttendJoin(q, &d, &AttendResult{Out: out.Place()}, h.rows)
	result := out.Get()
	if slices.ContainsFunc(result, func(v float32) bool { return v != v }) {
		t.Errorf("fused %t: the result has NaN", fused)
	}
	bits[0] = bitsOf(result)
	for i, p := range parts[1:] {
		bits[1+i] = kerneltest.Fetch[uint32](t, q, p.Cache, cells*p.Heads*p.CellWidth/2)
	}
	return bits
}
