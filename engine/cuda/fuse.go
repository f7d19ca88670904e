//go:build cuda

package cuda

import (
	"fmt"
	"math"

	"github.com/confab-tui/confab/engine/model"
	"github.com/confab-tui/confab/gpu"
	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/attend"
	"github.com/confab-tui/confab/kernels/matmul"
	"github.com/confab-tui/confab/kernels/rowwise"
)

// products compiles neighbouring products of one input, or a product with the sum that
// follows it.
func (c *compiler) products() (int, error) {
	e := c.e
	first := c.ops[c.at].(*model.MatMul)
	w := e.matrices[first.W]
	in, err := c.input(first.In, w.Form())
	if err != nil {
		return 0, err
	}
	var list []matmul.Product
	n := 0
	for c.at+n < len(c.ops) && len(list) < matmul.MaxProducts {
		op, ok := c.ops[c.at+n].(*model.MatMul)
		if !ok || op.In != first.In || e.matrices[op.W].Form() != w.Form() || overlap(op.Out, first.In) && (w.Form() == kernels.FormF32 || n > 0) {
			break
		}
		bias, err := e.vector(op.Bias)
		if err != nil {
			return 0, err
		}
		list = append(list, matmul.Product{W: e.matrices[op.W], Out: e.place(op.Out), Bias: bias})
		n++
	}
	if n == 0 {
		return 0, fmt.Errorf("cuda: operation %d multiplies %v in place", c.at, first.In)
	}
	if add, other, ok := c.sumOf(first.Out); n == 1 && ok && !(overlap(add.Out, first.In) && w.Form() == kernels.FormF32) {
		list[0].Out, list[0].Add = e.place(add.Out), e.place(other)
		n++
	}
	x := e.place(first.In)
	rows, count := c.domain()
	c.add(func(p *pass) {
		matmul.QueueMul(e.queue, list, x, in, matmul.MulRows{Rows: rows(p), Count: count(p), Wide: e.wide})
	})
	return n, nil
}

// sumOf returns the sum of an operation's result and something else, which is the operation after it,
// if nobody else reads the result and the sum can be written at once.
func (c *compiler) sumOf(out model.Ref) (sum *model.Add, other model.Ref, ok bool) {
	if c.at+1 >= len(c.ops) {
		return nil, other, false
	}
	sum, ok = c.ops[c.at+1].(*model.Add)
	if !ok || (sum.A == out) == (sum.B == out) {
		return nil, other, false
	}
	other = sum.A
	if other == out {
		other = sum.B
	}
	if overlap(other, out) || overlap(sum.Out, other) && sum.Out != other {
		return nil, other, false
	}
	return sum, other, sum.Out == out || c.dead(out, c.at+2)
}

// headRun collects what happens to heads of one reference.
type headRun struct {
	ref    model.Ref
	part   rowwise.HeadPart
	rotary *model.Rotary
	cache  bool
}

// heads compiles a run of norms of heads, rotations and stores.
func (c *compiler) heads() (int, error) {
	var runs []*headRun
	n := 0
	for c.at+n < len(c.ops) {
		more, ok, err := c.join(runs, c.ops[c.at+n])
		if err != nil {
			return 0, err
		}
		if !ok {
			break
		}
		runs = more
		n++
	}
	if op, ok := c.ops[c.at].(*model.Store); ok && n == 0 && overlap(op.K, op.V) {
		return 1, c.store(op)
	}
	if n == 0 {
		return 0, fmt.Errorf("cuda: operation %d, a %T of %v, which does not fit the kernel for heads, is not supported", c.at, c.ops[c.at], c.ops[c.at].Reads(nil))
	}
	var parts []rowwise.HeadPart
	for _, r := range runs {
		parts = append(parts, c.headPart(r, n))
	}
	e := c.e
	turn := func(p *pass, rows int) { rowwise.QueueHeads(e.queue, parts, rows, p.in.at(p.in.cells)) }
	if op, fused := c.attendOf(runs, n); op != nil {
		if err := c.attend(op, n+1, &fused, func(p *pass) { turn(p, p.rows) }); err != nil {
			return 0, err
		}
		return n + 1, nil
	}
	rows, _ := c.domain()
	c.add(func(p *pass) { turn(p, rows(p)) })
	return n, nil
}

// headPart completes what happens to a run's heads in the next n operations.
func (c *compiler) headPart(r *headRun, n int) rowwise.HeadPart {
	part := r.part
	part.X = c.e.place(r.ref)
	part.Keep = (part.Norm || r.rotary != nil) && !c.dead(r.ref, c.at+n)
	if r.rotary != nil {
		t := c.e.rope(r.rotary)
		part.Table, part.Pairs, part.Interleaved = t.table, len(r.rotary.Freqs), r.rotary.Interleaved
	}
	return part
}

// attendOf returns the attention that follows n operations on heads, with the parts
// that its kernel can see to itself: those of its queries and of the keys and values that
// are stored for it, where nobody else reads them. It is nil where there are others.
func (c *compiler) attendOf(runs []*headRun, n int) (*model.Attend, fusedHeads) {
	var f fusedHeads
	if c.at+n >= len(c.ops) {
		return nil, f
	}
	op, ok := c.ops[c.at+n].(*model.Attend)
	if !ok {
		return nil, f
	}
	room, stored := c.e.caches[op.Cache], 0
	f.q = rowwise.HeadPart{X: c.e.place(op.Q), Heads: op.Heads, Dim: op.Q.Width / op.Heads}
	for _, r := range runs {
		part := c.headPart(r, n+1)
		switch {
		case part.Keep:
			return nil, f
		case r.ref == op.Q && part.Cache == 0:
			f.q = part
		case part.Cache == room.keys && r.cache:
			f.k = part
			stored++
		case part.Cache == room.values && r.cache:
			f.v = part
			stored++
		default:
			return nil, f
		}
	}
	if stored != 2 {
		return nil, f
	}
	return op, f
}

// store compiles a store of keys and values that have columns in common. It changes neither.
func (c *compiler) store(op *model.Store) error {
	e, heads, room := c.e, c.e.program.Caches[op.Cache].KVHeads, c.e.caches[op.Cache]
	if op.K.Width > heads*rowwise.MaxHeadDim {
		return fmt.Errorf("cuda: a store of keys %d wide is not supported: at most %d are", op.K.Width/heads, rowwise.MaxHeadDim)
	}
	parts := []rowwise.HeadPart{
		{X: e.place(op.K), Heads: heads, Dim: op.K.Width / heads, Cache: room.keys, CellWidth: room.keyWidth},
		{X: e.place(op.V), Heads: heads, Dim: op.V.Width / heads, Cache: room.values, CellWidth: room.valueWidth},
	}
	rows, _ := c.domain()
	c.add(func(p *pass) { rowwise.QueueHeads(e.queue, parts, rows(p), p.in.at(p.in.cells)) })
	return nil
}

// join adds an operation to the runs, if it fits: a reference's steps come in the order
// norm, rotation, store.
func (c *compiler) join(runs []*headRun, op model.Op) ([]*headRun, bool, error) {
	switch op := op.(type) {
	case *model.Norm:
		if op.Parts == 1 || op.Out != op.In {
			return runs, false, nil
		}
		runs, r, fresh := find(runs, op.In, op.Parts)
		if !fresh {
			return runs, false, nil
		}
		var err error
		r.part.Norm, r.part.Center, r.part.Eps = true, op.Center, op.Eps
		if r.part.Weight, err = c.e.vector(op.Weight); err == nil {
			r.part.Bias, err = c.e.vector(op.Bias)
		}
		return runs, true, err
	case *model.Rope:
		more, r, _ := find(runs, op.X, op.Heads)
		if r == nil || r.rotary != nil || r.cache {
			return runs, false, nil
		}
		r.rotary = op.Table
		return more, true, nil
	case *model.Store:
		cache := c.e.program.Caches[op.Cache]
		more, k, _ := find(runs, op.K, cache.KVHeads)
		more, v, _ := find(more, op.V, cache.KVHeads)
		if k == nil || v == nil || k == v || k.cache || v.cache {
			return runs, false, nil
		}
		room := c.e.caches[op.Cache]
		k.part.Cache, k.part.CellWidth, k.cache = room.keys, room.keyWidth, true
		v.part.Cache, v.part.CellWidth, v.cache = room.values, room.valueWidth, true
		return more, true, nil
	}
	return runs, false, nil
}

// find returns the run of a reference with so many heads, made anew where there is none
// and room for one; nil where the reference meets another's.
func find(runs []*headRun, ref model.Ref, heads int) (more []*headRun, r *headRun, fresh bool) {
	for _, r := range runs {
		if r.ref == ref && r.part.Heads == heads {
			return runs, r, false
		}
		if overlap(r.ref, ref) {
			return runs, nil, false
		}
	}
	if len(runs) == rowwise.MaxHeadParts || ref.Width%heads != 0 || ref.Width/heads > rowwise.MaxHeadDim {
		return runs, nil, false
	}
	r = &headRun{ref: ref, part: rowwise.HeadPart{Heads: heads, Dim: ref.Width / heads}}
	return append(runs[:len(runs):len(runs)], r), r, true
}

// ropes makes the tables of all rotations and queues them first.
func (c *compiler) ropes() error {
	e := c.e
	for _, op := range c.ops {
		r, ok := op.(*model.Rope)
		if !ok || e.rope(r.Table) != nil {
			continue
		}
		t := &rope{rotary: r.Table}
		var err error
		if t.freqs, err = e.upload(gpu.Bytes(r.Table.Freqs)); err != nil {
			return err
		}
		pairs := len(r.Table.Freqs)
		if t.table, err = e.alloc(8 * int64(pairs) * int64(e.rows)); err != nil {
			return err
		}
		e.ropes = append(e.ropes, t)
		c.add(func(p *pass) {
			rowwise.QueueRopeTable(e.queue, t.table, t.freqs, p.in.at(p.in.positions), p.rows, pairs, r.Table.Magnitude)
		})
	}
	return nil
}

func (e *Executor) rope(r *model.Rotary) *rope {
	for _, t := range e.ropes {
		if t.rotary == r {
			return t
		}
	}
	return nil
}

// fusedHeads is what attention does to the products' results before it begins.
type fusedHeads struct{ q, k, v rowwise.HeadPart }

// attend compiles attention, the last of n operations. With fused it sees to the heads
// itself in steps of up to graphRows rows; in wider ones, where items would do the same
// work many times over, turn queues that before.
func (c *compiler) attend(op *model.Attend, n int, fused *fusedHeads, turn launcher) error {
	e := c.e
	shape := e.program.Caches[op.Cache]
	if shape.ValueDim%2 != 0 || op.Heads%shape.KVHeads != 0 {
		return fmt.Errorf("cuda: attention of %d heads over %d with values %d wide is not supported", op.Heads, shape.KVHeads, shape.ValueDim)
	}
	sinks, err := e.vector(op.Sinks)
	if err != nil {
		return err
	}
	out, to, err := c.result(op.Out, n)
	if err != nil {
		return err
	}
	plan := e.attendPlan(op)
	if _, err := attend.DeviceShape(e.queue, plan.dim, plan.group, 1); err != nil {
		return err
	}
	room := e.caches[op.Cache]
	plain := fusedHeads{
		q: rowwise.HeadPart{X: e.place(op.Q), Heads: op.Heads, Dim: shape.KeyDim},
		k: rowwise.HeadPart{Heads: shape.KVHeads, Dim: shape.KeyDim, Cache: room.keys, CellWidth: room.keyWidth},
		v: rowwise.HeadPart{Heads: shape.KVHeads, Dim: shape.ValueDim, Cache: room.values, CellWidth: room.valueWidth},
	}
	d := attend.DeviceAttend{AttendArgs: attend.AttendArgs{Heads: op.Heads, KVHeads: shape.KVHeads, KeyDim: shape.KeyDim,
		ValueDim: shape.ValueDim, Scale: op.Scale, SoftCap: op.SoftCap, Window: op.Window},
		Parts: e.parts}
	result := attend.AttendResult{Out: out, Rounded: to, Sinks: sinks}
	c.add(func(p *pass) {
		d, heads := d, plain
		d.Items = math.MaxInt32
		if p.rows > graphRows {
			d.Items = len(plan.items)
		}
		if fused != nil && p.rows <= graphRows {
			heads = *fused
		} else if turn != nil {
			turn(p)
		}
		d.Q, d.K, d.V = heads.q, heads.k, heads.v
		d.Step, d.Plan, d.Positions = p.in.device, p.in.plan(plan.index), p.in.at(p.in.positions)
		d.PartsOf = p.in.at(p.in.parts + 16*p.in.rows*plan.index)
		s, err := attend.DeviceShape(e.queue, plan.dim, plan.group, p.rows)
		if err != nil {
			panic(err)
		}
		attend.QueueAttend(e.queue, s, &d)
		attend.QueueAttendJoin(e.queue, &d, &result, p.rows)
	})
	return nil
}
