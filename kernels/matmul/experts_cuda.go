//go:build cuda

package matmul

import (
	"fmt"
	"slices"

	"github.com/confab-tui/confab/gpu"
	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/rowwise"
)

type expertArgs struct {
	mulArgs
	count, split, used, op               int32
	hidden, ids, weights, scales         gpu.Ptr
	ldi, ldw, ldh, staged, early, unused int32
}

// Experts is a feed-forward: Down of what Join makes of Gate and Up of x, then Sum of a row's experts.
type Experts struct {
	// Gate and Up leave a row a pair, a row of x and one of its experts, at Join.A and Join.B, which Join
	// makes one of: at Join.Rounded, and at Join.Out, which must be somewhere for weights that want floats.
	Gate, Up, Down Product
	X              kernels.Place // as floats, for weights that want that
	Rounded        kernels.Rounded
	Join           rowwise.MapArgs
	Sum            rowwise.ExpertSum // Sum.Add is added to Down.Out, and not Down.Add
	Pairs          gpu.Ptr           // room for Down.W.N values a pair
}

// expertForm is how the kernels for quantised experts (mul_experts.cu) run: 8 times width
// rows at a time, split warps that share k.
type expertForm struct{ width, split int }

// chooseExperts returns the form for lists of rows where a row's experts are so many units of work, for
// so many warps. Up to narrowRows rows all have the split that one row alone has, and so the same
// bits; with more rows no warp needs to share.
func chooseExperts(w *DeviceMatrix, rows MulRows, units, warps int) expertForm {
	f := expertForm{width: 1, split: 1}
	for n := 2; rows.Rows <= narrowRows && n <= 4 && units*n <= warps && n < w.chunks(); n *= 2 {
		f.split = n
	}
	if rows.Rows*rows.Lists.Used > 8*rows.Lists.Count {
		f.width = 4
	}
	return f
}

// shortList is how many pairs blocks keep in shared memory.
const shortList = 1024

// expertWarps is how many warps a multiprocessor has of mul_T_experts_W.
const expertWarps = 16

// fits says that so many blocks of so much shared memory run beside each other; what kernels declare themselves
// takes a kilobyte, and so does the driver.
func fits(d *gpu.Device, blocks, shared int) bool { return blocks*(shared+2048) <= d.SharedMax+1024 }

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

// shared is the memory of a block of warps with slots tiles each, so many floats for the parts of
// results, and rows of x.
func (f expertForm) shared(w *DeviceMatrix, rows MulRows, warps, slots, parts, staged int) int {
	pairs := rows.Rows * rows.Lists.Used
	slotsUsed := min(rows.Lists.Count, pairs)
	lists := 2*slotsUsed + 1 + slotsUsed + pairs/(8*f.width)
	if pairs <= shortList {
		lists += pairs
	}
	values, records := kernels.RoundedBytes(w.Form(), staged, w.K)
	return warps*slots*tileBytes(w.Type) + int(values+records) + 4*(parts+lists)
}

// units is how many strips of experts there are at most for some strips an expert.
func (f expertForm) units(rows MulRows, strips int) int {
	pairs, again := rows.Rows*rows.Lists.Used, 0
	if rows.Rows > 8*f.width {
		again = pairs / (8 * f.width)
	}
	return (min(rows.Lists.Count, pairs) + again) * strips
}

// queueListed queues products of quantised weights with the lists of rows, those of one type together.
func queueListed(q *kernels.Queue, products []Product, rounded kernels.Rounded, rows MulRows, f expertForm) {
	for i, p := range products {
		if slices.IndexFunc(products, func(o Product) bool { return o.W.Type == p.W.Type }) == i {
			a := argsOf(p.W, kernels.Place{}, rounded, rows)
			queueExperts(q, p.W, f, a, rows, expertArgs{op: -1}, fillJobs(&a.jobs, products, p.W.Type, 16))
		}
	}
}

// queueExperts queues products of w's type, of so many strips, with the lists of rows; e says what
// becomes of them where they are gated.
func queueExperts(q *kernels.Queue, w *DeviceMatrix, f expertForm, a mulArgs, rows MulRows, e expertArgs, strips int) {
	l, each := rows.Lists, f.split
	if e.op >= 0 {
		strips, each = strips/2, 2*f.split
	}
	b := f.block(q.Device, w, rows, each, rows.Rows*l.Used/int(a.divide))
	// A few units spread over all multiprocessors; of many rows' units neighbours share x.
	blocks := b.units(rows, strips)
	if b.width > 1 {
		blocks = (blocks*each + b.warps - 1) / b.warps
	}
	e.mulArgs, e.count, e.split, e.used, e.staged = a.listed(l), int32(l.Count), int32(b.split), int32(l.Used), int32(b.staged)
	kernels.Launch(q, fmt.Sprintf("mul_%d_experts_%d", w.Type, b.width), gpu.Config{
		Grid: [3]int{min(q.Device.SMs, blocks)}, Threads: 32 * b.warps, Shared: b.shared}, e)
}

// expertBlock is a block of a form: its warps, the rows of x that it keeps, and its memory.
type expertBlock struct {
	expertForm
	warps, staged, shared int
}

// block returns what finds room, with each warps to a unit and, where there is room for them too, so many rows
// of x: half of the warps where all are too many, and fewer rows at a time where even these are.
func (f expertForm) block(d *gpu.Device, w *DeviceMatrix, rows MulRows, each, staged int) expertBlock {
	b := expertBlock{expertForm: f, warps: expertWarps}
	shared := func() int {
		parts := 0
		if each > 1 {
			parts = 2 * b.warps * 8 * b.width * 17
		}
		return b.expertForm.shared(w, rows, b.warps, expertSlots(w.Type), parts, b.staged)
	}
	if !fits(d, 1, shared()) {
		b.warps /= 2
	}
	if !fits(d, 1, shared()) {
		b.width = 1
	}
	if b.width == 1 {
		b.staged = staged
	}
	if !fits(d, 1, shared()) {
		b.staged = 0
	}
	b.shared = shared()
	return b
}

// listed is the arguments with lists of rows.
func (a mulArgs) listed(l *rowwise.Lists) mulArgs {
	a.experts, a.starts, a.list = l.Experts, l.Starts, l.List
	return a
}

// mostRounded is how many times 256 values a block of a sum rounds itself rather than have a launch do it.
const mostRounded = 64

// QueueExperts queues a feed-forward of the experts that rows, whose Divide does not count, chose. What
// is at Join.A, Join.B, Join.Rounded and Pairs then is undefined: a row or two take fewer launches.
func QueueExperts(q *kernels.Queue, e Experts, rows MulRows) {
	gate, down := e.Gate.W, e.Down.W
	hidden := e.Join.Out
	if hidden.Ptr == 0 {
		hidden = e.Join.A
	}
	if wideExperts(q.Device, e, rows) {
		queueWideExperts(q, e, hidden, rows)
		return
	}
	rows.Divide = rows.Lists.Used
	quantised := gate.Form() != kernels.FormF32
	f := chooseExperts(gate, rows, 2*rows.Lists.Used*((gate.N+15)/16), expertWarps*q.Device.SMs)
	s, summed := chooseSum(q.Device, down, rows)
	joined := quantised && gate.Type == e.Up.W.Type && summed && s.staged > 0 && s.staged*down.chunks() <= mostRounded
	switch products := []Product{e.Gate, e.Up}; {
	case joined:
		a := argsOf(gate, e.X, e.Rounded, rows)
		strips := fillJobs(&a.jobs, products, gate.Type, 16)
		queueExperts(q, gate, f, a, rows, expertArgs{op: int32(e.Join.Op), hidden: hidden.Ptr, ldh: int32(hidden.Stride)}, strips)
	case quantised:
		queueListed(q, products, e.Rounded, rows, f)
		rowwise.QueueMap(q, e.Join)
	default:
		QueueMul(q, products, e.X, e.Rounded, rows)
		rowwise.QueueMap(q, e.Join)
	}
	rows.Divide = 1
	if summed {
		if !joined {
			hidden.Ptr = 0
		}
		queueSum(q, e, s, hidden, rows, quantised)
		return
	}
	out := e.Down.Out
	e.Down.Out = kernels.Place{Ptr: e.Pairs, Stride: down.N}
	if down.Form() == kernels.FormF32 {
		QueueMul(q, []Product{e.Down}, hidden, e.Join.Rounded, rows)
	} else {
		queueListed(q, []Product{e.Down}, e.Join.Rounded, rows, s.expertForm)
	}
	rowwise.QueueExpertSum(q, out, e.Pairs, e.Sum, rows.Rows, rows.Lists.Used, down.N)
}

// sumForm is how mul_T_experts_sum runs: blocks of warps, which keep staged rows of x.
type sumForm struct {
	expertForm
	warps, staged, shared int
}

// chooseSum returns the form of products that a kernel adds up itself, and whether it does.
func chooseSum(d *gpu.Device, w *DeviceMatrix, rows MulRows) (s sumForm, ok bool) {
	// Blocks of half the warps find room beside each other; with more rows they are too few.
	s.warps = expertWarps
	if (w.N+15)/16 > d.SMs {
		s.warps /= 2
	}
	s.expertForm = chooseExperts(w, rows, rows.Lists.Used, s.warps)
	if rows.Rows > 16 {
		s.warps = expertWarps
	}
	pairs := rows.Rows * rows.Lists.Used
	for _, s.staged = range []int{pairs, 0} {
		s.shared = s.expertForm.shared(w, rows, s.warps, sumSlots(w.Type), (s.split*17+2)*pairs, s.staged)
		if fits(d, expertWarps/s.warps, s.shared) {
			break
		}
	}
	return s, w.Form() != kernels.FormF32 && rows.Rows <= narrowRows && s.width == 1 && fits(d, 1, s.shared)
}

// queueSum queues the products of pairs and the sums over a row's experts; of floats, which the kernel
// rounds itself, or if these are nowhere of what is rounded. early: mul_T_experts is in front.
func queueSum(q *kernels.Queue, e Experts, f sumForm, floats kernels.Place, rows MulRows, early bool) {
	p, s := e.Down, e.Sum
	a := argsOf(p.W, kernels.Place{}, e.Join.Rounded, rows)
	p.Add = s.Add
	strips := fillJobs(&a.jobs, []Product{p}, p.W.Type, 16)
	args := expertArgs{mulArgs: a.listed(rows.Lists), count: int32(rows.Lists.Count), split: int32(f.split), used: int32(rows.Lists.Used),
		op: -1, hidden: floats.Ptr, ids: s.IDs.Ptr, weights: s.Weights.Ptr, scales: s.Scales, ldi: int32(s.IDs.Stride),
		ldw: int32(s.Weights.Stride), ldh: int32(floats.Stride), staged: int32(f.staged)}
	if early {
		args.early = 1
	}
	kernels.Launch(q, fmt.Sprintf("mul_%d_experts_sum", p.W.Type), gpu.Config{Grid: [3]int{strips}, Threads: 32 * f.warps, Shared: f.shared}, args)
}
