//go:build cuda

package matmul

import (
	"fmt"

	"github.com/confab-tui/confab/gpu"
	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/rowwise"
)

type expertArgs struct {
	mulArgs
	count, split, used, op        int32
	hidden                        gpu.Ptr
	rounded                       kernels.RoundedArgs
	arrived, ids, weights, scales gpu.Ptr
	ldi, ldw, ldh, pad            int32
}

// expertForm is how the kernels for quantised experts (mul_experts.cu) run: 8 times width
// rows at a time, split warps that share k.
type expertForm struct{ width, split int }

// chooseExperts returns the form for lists of rows: warps go over at least 2 tiles each where k
// allows it, and over all of k where there are rows enough to keep all of them busy.
func chooseExperts(w *DeviceMatrix, rows MulRows) expertForm {
	f := expertForm{width: 1, split: 1}
	for rows.Rows <= narrowRows && f.split < 4 && w.chunks() > 4*f.split {
		f.split *= 2
	}
	if rows.Rows*rows.Lists.Used > 8*rows.Lists.Count {
		f.width = 4
	}
	return f
}

// shortList is how many pairs blocks keep in shared memory.
const shortList = 1024

// expertWarps is how many warps a block of mul_T_experts_W has.
const expertWarps = 8

// expertSlots is how many tiles each of them has on their way, sumSlots how many each of
// mul_T_experts_sum has.
func expertSlots(t Type) int {
	switch n := tileBytes(t); {
	case n <= 2560:
		return 4
	case n <= 3360:
		return 3
	}
	return 2
}

func sumSlots(t Type) int {
	if tileBytes(t) <= 2560 {
		return 3
	}
	return 2
}

// shared is the memory of a block of warps with slots tiles each and so many floats for
// the parts of results.
func (f expertForm) shared(w *DeviceMatrix, rows MulRows, warps, slots, parts int) int {
	pairs := rows.Rows * rows.Lists.Used
	slotsUsed := min(rows.Lists.Count, pairs)
	lists := 2*slotsUsed + 1 + slotsUsed + pairs/(8*f.width)
	if pairs <= shortList {
		lists += pairs
	}
	return warps*slots*tileBytes(w.Type) + 4*(parts+lists)
}

// units is how many strips of experts there are at most for some strips an expert.
func (f expertForm) units(rows MulRows, strips int) int {
	pairs := rows.Rows * rows.Lists.Used
	return (min(rows.Lists.Count, pairs) + pairs/(8*f.width)) * strips
}

// queueExperts queues products of w's type with the lists of rows; e says what becomes of them
// where they are gated.
func queueExperts(q *kernels.Queue, w *DeviceMatrix, a mulArgs, rows MulRows, e expertArgs) {
	l, f := rows.Lists, chooseExperts(w, rows)
	strips, each := int(a.jobs[MaxProducts-1].blocks), f.split
	if e.op >= 0 {
		strips, each = int(a.jobs[0].blocks), 2*f.split
	}
	shared := func() int {
		parts := 0
		if each > 1 {
			parts = 2 * expertWarps * 8 * f.width * 17
		}
		return f.shared(w, rows, expertWarps, expertSlots(w.Type), parts)
	}
	if shared() > q.Device.SharedMax {
		f.width = 1
	}
	resident := 1
	if 2*(shared()+1024) <= q.Device.SharedMax+1024 {
		resident = 2
	}
	e.mulArgs, e.count, e.split, e.used = a.listed(l), int32(l.Count), int32(f.split), int32(l.Used)
	blocks := (f.units(rows, strips)*each + expertWarps - 1) / expertWarps
	kernels.Launch(q, fmt.Sprintf("mul_%d_experts_%d", w.Type, f.width), gpu.Config{
		Grid: [3]int{min(resident*q.Device.SMs, blocks)}, Threads: 32 * expertWarps, Shared: shared()}, e)
}

// listed is the arguments with lists of rows.
func (a mulArgs) listed(l *rowwise.Lists) mulArgs {
	a.experts, a.starts, a.list = l.Experts, l.Starts, l.List
	return a
}

// QueueMulGate queues two products with lists of rows, into m.A and m.B, and m, which joins them; in one
// launch, which leaves m.B alone and may use m.A, where a row or two meet quantised weights of one type.
// arrived is room for an int32, 0 but while a launch runs, for each pair and 256 values.
func QueueMulGate(q *kernels.Queue, gate, up Product, x kernels.Place, rounded kernels.Rounded, rows MulRows, m rowwise.MapArgs, arrived gpu.Ptr) {
	products := []Product{gate, up}
	// Where warps have a unit after another, they would wait for each other's rounding.
	f := chooseExperts(gate.W, rows)
	once := f.units(rows, (gate.W.N+15)/16)*2*f.split <= 2*q.Device.SMs*expertWarps
	if !once || gate.W.Type != up.W.Type || gate.W.Form() == kernels.FormF32 {
		QueueMul(q, products, x, rounded, rows)
		rowwise.QueueMap(q, m)
		return
	}
	hidden := m.Out
	if hidden.Ptr == 0 {
		hidden = m.A
	}
	a := argsOf(gate.W, x, rounded, rows)
	fillJobs(&a.jobs, products, gate.W.Type, 16)
	queueExperts(q, gate.W, a, rows, expertArgs{op: int32(m.Op), hidden: hidden.Ptr, ldh: int32(hidden.Stride),
		rounded: m.Rounded.Args(m.Rows), arrived: arrived})
}

// QueueMulSum queues p.Out[r] = the sum over a row's experts, as s says, of p.W·x[pair] (+ p.Bias),
// where a pair is a row and one of its experts; s.Add is added, and not p.Add. pairs is room for
// N values a pair.
func QueueMulSum(q *kernels.Queue, p Product, x kernels.Place, rounded kernels.Rounded, rows MulRows, s rowwise.ExpertSum, pairs gpu.Ptr) {
	l, f, warps := rows.Lists, chooseExperts(p.W, rows), 16
	// Blocks of half the warps find room beside each other; with more rows they are too few.
	if (p.W.N+15)/16 > q.Device.SMs && rows.Rows <= 16 {
		warps = 8
	}
	shared := f.shared(p.W, rows, warps, sumSlots(p.W.Type), (f.split*17+2)*rows.Rows*l.Used)
	if p.W.Form() == kernels.FormF32 || rows.Rows > narrowRows || f.width > 1 || shared > q.Device.SharedMax {
		out := p.Out
		p.Out = kernels.Place{Ptr: pairs, Stride: p.W.N}
		QueueMul(q, []Product{p}, x, rounded, rows)
		rowwise.QueueExpertSum(q, out, pairs, s, rows.Rows, l.Used, p.W.N)
		return
	}
	a := argsOf(p.W, x, rounded, rows)
	p.Add = s.Add
	strips := fillJobs(&a.jobs, []Product{p}, p.W.Type, 16)
	kernels.Launch(q, fmt.Sprintf("mul_%d_experts_sum", p.W.Type), gpu.Config{Grid: [3]int{strips}, Threads: 32 * warps, Shared: shared},
		expertArgs{mulArgs: a.listed(l), count: int32(l.Count), split: int32(f.split), used: int32(l.Used), op: -1, ids: s.IDs.Ptr,
			weights: s.Weights.Ptr, scales: s.Scales, ldi: int32(s.IDs.Stride), ldw: int32(s.Weights.Stride)})
}
