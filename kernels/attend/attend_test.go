package attend

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/kerneltest"
)

// attendCase is one sequence of rows tokens with attention of args over it, all
// cells scattered over a larger KV whose other cells are NaN.
type attendCase struct {
	args  AttendArgs
	rows  int // evaluated rows, the last of the sequence
	depth int // positions before them
	f32   bool
	sinks bool
}

func (c attendCase) String() string {
	a := c.args
	return fmt.Sprintf("%d/%d x %d/%d rows %d depth %d window %d cap %g f32 %v sinks %v full %v",
		a.Heads, a.KVHeads, a.KeyDim, a.ValueDim, c.rows, c.depth, a.Window, a.SoftCap, c.f32, c.sinks, a.Full)
}

func attendCases() []attendCase {
	args := func(heads, kv, key, value int) AttendArgs {
		return AttendArgs{Heads: heads, KVHeads: kv, KeyDim: key, ValueDim: value, Scale: float32(1 / math.Sqrt(float64(key)))}
	}
	window := args(8, 2, 64, 64)
	window.Window = 100
	capped := args(4, 2, 256, 256)
	capped.SoftCap, capped.Window = 20, 300
	narrow := args(8, 4, 96, 128)
	narrow.SoftCap, narrow.Window = 15, 70
	full := args(4, 4, 64, 64)
	full.Full, full.Window = true, 90
	return []attendCase{
		{args: args(8, 2, 128, 128), rows: 1, depth: 0},
		{args: args(8, 2, 128, 128), rows: 10, depth: 700},
		{args: args(8, 2, 128, 128), rows: 1, depth: 700},
		{args: args(8, 8, 64, 64), rows: 70, depth: 3, sinks: true},
		{args: args(6, 2, 80, 80), rows: 5, depth: 255},
		{args: args(4, 2, 96, 96), rows: 20, depth: 257, f32: true},
		{args: args(5, 1, 40, 24), rows: 9, depth: 64},
		{args: args(3, 1, 13, 7), rows: 20, depth: 50},
		{args: args(2, 1, 13, 7), rows: 3, depth: 300, f32: true},
		{args: args(16, 1, 192, 128), rows: 3, depth: 600},
		{args: args(71, 1, 64, 64), rows: 2, depth: 100},
		{args: args(40, 2, 576, 512), rows: 3, depth: 150},
		{args: args(34, 2, 72, 12), rows: 20, depth: 70, sinks: true},
		{args: window, rows: 20, depth: 600, sinks: true},
		{args: window, rows: 130, depth: 0},
		{args: args(10, 2, 128, 128), rows: 150, depth: 70, sinks: true},
		{args: args(6, 2, 80, 72), rows: 100, depth: 130},
		{args: args(71, 1, 64, 64), rows: 66, depth: 0},
		{args: args(8, 4, 40, 20), rows: 70, depth: 130},
		{args: args(6, 3, 256, 256), rows: 140, depth: 70},
		{args: args(6, 2, 192, 128), rows: 90, depth: 200, sinks: true},
		{args: capped, rows: 5, depth: 500},
		{args: narrow, rows: 75, depth: 90},
		{args: full, rows: 8, depth: 200},
	}
}

// attendData is a case with its tensors.
type attendData struct {
	attendCase
	kv    *KV
	cells []int32
	q     []float32 // [rows][Heads*KeyDim]
	k, v  []float32 // [positions][KVHeads*dim], as the cells round them
	s     []float32
}

func newAttendData(c attendCase) *attendData {
	rng := rand.New(rand.NewPCG(3, 4))
	a, n := c.args, c.depth+c.rows
	d := &attendData{attendCase: c, q: make([]float32, c.rows*a.Heads*a.KeyDim),
		k: make([]float32, n*a.KVHeads*a.KeyDim), v: make([]float32, n*a.KVHeads*a.ValueDim)}
	kerneltest.Normals(rng, d.q, 1)
	kerneltest.Normals(rng, d.k, 1)
	kerneltest.Normals(rng, d.v, 1)
	total := n + 50
	d.kv = NewKV(total, a.KVHeads, a.KeyDim, a.ValueDim, c.f32)
	if c.rows%2 == 1 {
		inChunks(d.kv, 5)
	}
	for _, halves := range [][]uint16{d.kv.keyHalves, d.kv.valueHalves} {
		for i := range halves {
			halves[i] = 0x7e00
		}
	}
	for _, floats := range [][]float32{d.kv.keyFloats, d.kv.valueFloats} {
		for i := range floats {
			floats[i] = float32(math.NaN())
		}
	}
	for _, cell := range rng.Perm(total)[:n] {
		d.cells = append(d.cells, int32(cell))
	}
	for p, cell := range d.cells {
		d.kv.Store(cell, d.k[p*a.KVHeads*a.KeyDim:][:a.KVHeads*a.KeyDim], d.v[p*a.KVHeads*a.ValueDim:][:a.KVHeads*a.ValueDim])
	}
	if !c.f32 {
		for _, x := range [][]float32{d.k, d.v} {
			for i := range x {
				x[i] = kernels.F16ToF32(kernels.F32ToF16(x[i]))
			}
		}
	}
	if c.sinks {
		d.s = make([]float32, a.Heads)
		kerneltest.Normals(rng, d.s, 2)
	}
	return d
}

// want is attention by its definition, in double precision.
func (d *attendData) want() []float32 {
	a := d.args
	var out []float32
	for r := range d.rows {
		pos := d.depth + r
		first, last := 0, pos+1
		if a.Full {
			last = d.depth + d.rows
		}
		if a.Window > 0 {
			first = max(0, pos+1-a.Window)
		}
		for h := range a.Heads {
			g := h * a.KVHeads / a.Heads
			q := d.q[(r*a.Heads+h)*a.KeyDim:][:a.KeyDim]
			sum, result := 0.0, make([]float64, a.ValueDim)
			if d.s != nil {
				sum = math.Exp(float64(d.s[h]))
			}
			for p := first; p < last; p++ {
				score := 0.0
				for i, k := range d.k[(p*a.KVHeads+g)*a.KeyDim:][:a.KeyDim] {
					score += float64(q[i]) * float64(k)
				}
				score *= float64(a.Scale)
				if a.SoftCap != 0 {
					score = float64(a.SoftCap) * math.Tanh(score/float64(a.SoftCap))
				}
				w := math.Exp(score)
				sum += w
				for i, v := range d.v[(p*a.KVHeads+g)*a.ValueDim:][:a.ValueDim] {
					result[i] += w * float64(v)
				}
			}
			for _, v := range result {
				out = append(out, float32(v/sum))
			}
		}
	}
	return out
}

// run evaluates the case's rows in one step with others before and after, in
// chunks of the sizes given, on a number of workers.
func (d *attendData) run(t testing.TB, workers int, chunk int) []float32 {
	a := d.args
	outWidth, qWidth := a.Heads*a.ValueDim, a.Heads*a.KeyDim
	out, check := kerneltest.Guarded(t, d.rows*outWidth)
	plan := NewAttendPlan(workers)
	io := &AttendIO{KV: d.kv, Q: d.q, Out: out, QStride: qWidth, OutStride: outWidth, Sinks: d.s}
	for row := 0; row < d.rows; row += chunk {
		n := min(chunk, d.rows-row)
		last := d.depth + row + n
		seq := AttendSeq{First: row, Count: n, Pos: int32(d.depth + row), Cells: d.cells[:last]}
		plan.Prepare(a, []AttendSeq{seq})
		runPlan(plan, io)
	}
	check()
	return out
}

// runPlan does a plan's work, the last unit first.
func runPlan(plan *AttendPlan, io *AttendIO) {
	workers := len(plan.scratch)
	for u := plan.Units() - 1; u >= 0; u-- {
		plan.Run(io, u, u%workers)
	}
	for m := range plan.Merges() {
		plan.Merge(io, m, m%workers)
	}
}

func TestAttend(t *testing.T) {
	for _, c := range attendCases() {
		d := newAttendData(c)
		want := d.want()
		kerneltest.EachForm(t, func(t *testing.T) {
			got := d.run(t, 2, c.rows)
			kerneltest.CheckClose(t, c.String(), got, want, 1e-5)
		})
	}
}

// A row's result is the same bits alone and in any company, on any number of workers.
func TestAttendOrder(t *testing.T) {
	for _, c := range attendCases() {
		d := newAttendData(c)
		kerneltest.EachForm(t, func(t *testing.T) {
			if kerneltest.Plain() && c.rows*(c.depth+c.rows)*c.args.Heads*c.args.KeyDim > 2e6 {
				return // the plain form is slow, and the small cases tell as much
			}
			want := d.run(t, 1, c.rows)
			for _, how := range [][2]int{{64, c.rows}, {3, c.rows}, {1, 1}, {3, 2}, {64, 7}, {1, 16}} {
				workers, chunk := how[0], how[1]
				if c.args.Full && chunk != c.rows {
					continue // its rows see the step's later ones
				}
				for i, g := range d.run(t, workers, chunk) {
					if math.Float32bits(g) != math.Float32bits(want[i]) {
						t.Fatalf("%v: %d workers, chunks of %d: [%d] is %g, was %g", c, workers, chunk, i, g, want[i])
					}
				}
			}
		})
	}
}

// Sequences of one step do not touch each other, and units are spread over workers.
func TestAttendManySequences(t *testing.T) {
	c := attendCase{args: AttendArgs{Heads: 4, KVHeads: 2, KeyDim: 64, ValueDim: 64, Scale: 0.125}, rows: 40, depth: 600}
	d := newAttendData(c)
	want := d.run(t, 1, c.rows)
	out, check := kerneltest.Guarded(t, len(want))
	plan := NewAttendPlan(8)
	seqs := []AttendSeq{
		{First: 0, Count: 1, Pos: 600, Cells: d.cells[:601]},
		{First: 1, Count: 38, Pos: 601, Cells: d.cells[:639]},
		{First: 39, Count: 1, Pos: 639, Cells: d.cells[:640]},
	}
	plan.Prepare(c.args, seqs)
	if plan.Units() < 16 {
		t.Errorf("%d units for 8 workers", plan.Units())
	}
	runPlan(plan, &AttendIO{KV: d.kv, Q: d.q, Out: out, QStride: 256, OutStride: 256})
	check()
	kerneltest.CheckClose(t, "sequences", out, want, 0)
}
