//go:build cuda

package matmul

import (
	"fmt"

	"github.com/confab-tui/confab/gpu"
	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/rowwise"
)

type widenListedArgs struct {
	x, record, out, scale, experts, starts, list    gpu.Ptr
	count, pairs, chunks, form, ldx, k, divide, pad int32
}

type wideExpertArgs struct {
	jobs                                    [2]mulJob
	x, scale, experts, starts, list, hidden gpu.Ptr
	count, pairs, chunks, op, ldh, stages   int32
}

const (
	passRows  = 64 // rows of x that mul_T_experts_wide takes at a time,
	unitWarps = 16 // by so many strips of weights
)

// leastWideEach is how many rows an expert has on average from which on mul_T_experts_wide is faster than
// mul_T_experts_4.
const leastWideEach = 7

// wideExperts says whether a feed-forward goes through half precision, whose error is WideError's for
// each of its products.
func wideExperts(d *gpu.Device, e Experts, rows MulRows) bool {
	l := rows.Lists
	if rows.Wide == 0 || rows.Rows <= narrowRows || rows.Rows*l.Used < leastWideEach*l.Count || e.Gate.W.Type != e.Up.W.Type {
		return false
	}
	for _, w := range []*DeviceMatrix{e.Gate.W, e.Down.W} {
		if w.Form() == kernels.FormF32 {
			return false
		}
		if _, stages := wideStages(d, w.Type, rows); stages < 2 {
			return false
		}
	}
	return true
}

// wideStages is a block's shared memory, and how many stages of a chunk it has room for beside what it joins
// and the lists.
func wideStages(d *gpu.Device, t Type, rows MulRows) (shared, stages int) {
	pairs := rows.Rows * rows.Lists.Used
	most := min(rows.Lists.Count, pairs)
	shared = 1024 + 8*4*32*unitWarps + 4*(2+3*most+pairs/passRows)
	stage := (passRows*512 + unitWarps*tileBytes(t) + 1023) &^ 1023
	stages = min(8, (d.SharedMax-shared)/stage)
	return shared + stages*stage, stages
}

// queueWideExperts queues a feed-forward in half precision: x in the order of the lists, gate and up joined in
// that order at hidden, the same as input of down, whose results go to Pairs, and their sums.
func queueWideExperts(q *kernels.Queue, e Experts, hidden kernels.Place, rows MulRows) {
	l, pairs := rows.Lists, rows.Rows*rows.Lists.Used
	gate, down := e.Gate.W, e.Down.W
	widen := func(kernel string, w *DeviceMatrix, x kernels.Place, record gpu.Ptr) wideExpertArgs {
		a := wideExpertArgs{x: rows.Wide, experts: l.Experts, starts: l.Starts, list: l.List, count: int32(l.Count),
			pairs: int32(pairs), chunks: int32(w.chunks()), op: -1}
		a.scale = a.x + gpu.Ptr(int64(pairs)*int64(a.chunks)*512)
		kernels.Launch(q, kernel, gpu.Config{Grid: [3]int{(pairs + 7) / 8}, Threads: 256}, widenListedArgs{
			x: x.Ptr, record: record, out: a.x, scale: a.scale, experts: a.experts, starts: a.starts, list: a.list, count: a.count,
			pairs: a.pairs, chunks: a.chunks, form: int32(w.Form()), ldx: int32(x.Stride), k: int32(w.K), divide: int32(l.Used)})
		return a
	}
	multiply := func(w *DeviceMatrix, a wideExpertArgs, strips int) {
		shared, stages := wideStages(q.Device, w.Type, rows)
		a.stages = int32(stages)
		units := (min(l.Count, pairs) + pairs/passRows) * ((w.N+15)/16 + strips - 1) / strips
		kernels.Launch(q, fmt.Sprintf("mul_%d_experts_wide", w.Type), gpu.Config{
			Grid: [3]int{min(q.Device.SMs, units)}, Threads: 32*unitWarps + 128, Shared: shared}, a)
	}
	job := func(p Product) mulJob {
		return mulJob{w: p.W.Data, out: p.Out.Ptr, bias: p.Bias, n: int32(p.W.N), ldo: int32(p.Out.Stride)}
	}
	a := widen("widen_listed", gate, kernels.Place{Ptr: e.Rounded.Values}, e.Rounded.Records)
	a.jobs, a.op, a.hidden, a.ldh = [2]mulJob{job(e.Gate), job(e.Up)}, int32(e.Join.Op), hidden.Ptr, int32(hidden.Stride)
	multiply(gate, a, unitWarps/2)
	a = widen("widen_hidden", down, hidden, 0)
	p := e.Down
	p.Out = kernels.Place{Ptr: e.Pairs, Stride: down.N}
	a.jobs[0] = job(p)
	multiply(down, a, unitWarps)
	rowwise.QueueExpertSum(q, e.Down.Out, e.Pairs, e.Sum, rows.Rows, l.Used, down.N)
}
