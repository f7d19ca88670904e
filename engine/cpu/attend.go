package cpu

import (
	"github.com/confab-tui/confab/engine/model"
	"github.com/confab-tui/confab/kernels/attend"
)

// attendPlan is the spreading of a step's attention, shared by all layers of one shape.
type attendPlan struct {
	args attend.AttendArgs
	plan *attend.AttendPlan
	seqs []attend.AttendSeq
}

func (p *attendPlan) prepare(s *model.Step) {
	p.seqs = p.seqs[:0]
	for _, q := range s.Seqs {
		p.seqs = append(p.seqs, attend.AttendSeq{First: q.First, Count: q.Count, Pos: s.Rows[q.First].Pos, Cells: q.Cells})
	}
	p.plan.Prepare(p.args, p.seqs)
}

// attention is one layer's.
type attention struct {
	e    *Executor
	op   *model.Attend
	plan *attend.AttendPlan
	io   attend.AttendIO
}

func (a *attention) units() int {
	a.io.Q, a.io.QStride = a.e.from(a.op.Q, 0)
	a.io.Out, a.io.OutStride = a.e.from(a.op.Out, 0)
	return a.plan.Units()
}

func (a *attention) run(unit, worker int) { a.plan.Run(&a.io, unit, worker) }

// fetch has the unit that runs before this one ask for its cells.
func (a *attention) fetch(unit, worker int) { a.plan.Next(unit, worker) }

// merging ends an attention that was split by positions.
type merging struct{ a *attention }

func (m merging) units() int { return m.a.plan.Merges() }

func (m merging) run(unit, worker int) { m.a.plan.Merge(&m.a.io, unit, worker) }

// attend adds the phases of one layer's attention.
func (p *planner) attend(op *model.Attend) {
	e := p.e
	c := e.program.Caches[op.Cache]
	args := attend.AttendArgs{Heads: op.Heads, KVHeads: c.KVHeads, KeyDim: c.KeyDim, ValueDim: c.ValueDim,
		Scale: op.Scale, SoftCap: op.SoftCap, Window: op.Window}
	a := &attention{e: e, op: op, plan: e.attendPlan(args), io: attend.AttendIO{KV: e.kv[op.Cache]}}
	if op.Sinks != nil {
		a.io.Sinks = op.Sinks.Values
	}
	p.add(a)
	p.add(merging{a})
}

func (e *Executor) attendPlan(args attend.AttendArgs) *attend.AttendPlan {
	for _, have := range e.plans {
		if have.args == args {
			return have.plan
		}
	}
	e.plans = append(e.plans, &attendPlan{args: args, plan: attend.NewAttendPlan(e.options.Threads)})
	return e.plans[len(e.plans)-1].plan
}
