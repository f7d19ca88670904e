package cpu

import (
	"math"

	"github.com/confab-tui/confab/engine/model"
	"github.com/confab-tui/confab/kernels/recurrent"
	"github.com/confab-tui/confab/kernels/rowwise"
)

// MaxSlots is how many sequences a program with recurrent layers can have at a time.
const MaxSlots = 16

// Slots is how many sequences can have a memory in recurrent layers at a time, 0 where
// the program has no such layers.
func (e *Executor) Slots() int {
	if len(e.program.States) == 0 {
		return 0
	}
	return MaxSlots
}

// memory returns a sequence's part of a state, zeroed where the sequence begins.
func (e *Executor) memory(state int, q *model.Seq, at, width int) []float32 {
	all := e.program.States[state].Width
	m := e.states[state][q.Slot*all+at:][:width]
	if e.step.Rows[q.First].Pos == 0 {
		clear(m)
	}
	return m
}

// conv is a phase; a unit is some channels of one sequence.
type conv struct {
	e    *Executor
	op   *model.Conv
	taps []float32 // [taps][channels]
	// blocks of channels have states of their own, one after the other.
	starts []int
	do     func(out, x, state, w []float32)
}

// convChannels is the most channels of a unit.
const convChannels = 512

func newConv(e *Executor, op *model.Conv) *conv {
	c := &conv{e: e, op: op, do: recurrent.Conv}
	if op.Act == model.ActNone {
		c.do = recurrent.Convolve
	}
	n := op.In.Width
	for at := 0; at < n; at += convChannels {
		c.starts = append(c.starts, at)
		for tap := range op.Taps {
			for i := at; i < min(n, at+convChannels); i++ {
				c.taps = append(c.taps, op.Weight.Values[i*op.Taps+tap])
			}
		}
	}
	return c
}

func (c *conv) units() int { return len(c.e.step.Seqs) * len(c.starts) }

func (c *conv) run(unit, _ int) {
	q := &c.e.step.Seqs[unit/len(c.starts)]
	from := c.starts[unit%len(c.starts)]
	to := min(c.op.In.Width, from+convChannels)
	past := c.op.Taps - 1
	state := c.e.memory(c.op.State, q, from*past, (to-from)*past)
	for r := q.First; r < q.First+q.Count; r++ {
		c.do(c.e.row(c.op.Out, r)[from:to], c.e.row(c.op.In, r)[from:to], state, c.taps[from*c.op.Taps:to*c.op.Taps])
	}
}

// deltaNet is a phase; a unit is one value head of one sequence.
type deltaNet struct {
	e       *Executor
	op      *model.DeltaNet
	scratch [][]float32 // one a worker: q, k, change
}

func newDeltaNet(e *Executor, op *model.DeltaNet) *deltaNet {
	d := &deltaNet{e: e, op: op}
	for range e.options.Threads {
		d.scratch = append(d.scratch, make([]float32, 2*op.KeyDim+op.ValueDim))
	}
	return d
}

func (d *deltaNet) units() int { return len(d.e.step.Seqs) * d.op.ValueHeads }

func (d *deltaNet) run(unit, worker int) {
	op, e := d.op, d.e
	s := &e.step.Seqs[unit/op.ValueHeads]
	head := unit % op.ValueHeads
	size := op.KeyDim * op.ValueDim
	state := e.memory(op.State, s, head*size, size)
	scratch := d.scratch[worker]
	q, k, change := scratch[:op.KeyDim], scratch[op.KeyDim:2*op.KeyDim], scratch[2*op.KeyDim:]
	keys, values := head%op.KeyHeads*op.KeyDim, head*op.ValueDim
	root := float32(1 / math.Sqrt(float64(op.KeyDim)))
	for r := s.First; r < s.First+s.Count; r++ {
		unitLength(q, e.row(op.Q, r)[keys:][:op.KeyDim], op.Eps, root)
		unitLength(k, e.row(op.K, r)[keys:][:op.KeyDim], op.Eps, 1)
		decay, beta := d.rates(r, head)
		recurrent.DeltaRule(e.row(op.Out, r)[values:][:op.ValueDim], state, q, k,
			e.row(op.V, r)[values:][:op.ValueDim], change, decay, beta)
	}
}

// rates are by how much a head forgets and learns.
func (d *deltaNet) rates(row, head int) (decay, beta float32) {
	alpha := float64(d.e.row(d.op.Alpha, row)[head] + d.op.DtBias.Values[head])
	soft := alpha
	if alpha < 20 {
		soft = math.Log1p(math.Exp(alpha))
	}
	raw := float64(d.e.row(d.op.Beta, row)[head])
	return float32(math.Exp(float64(d.op.A.Values[head]) * soft)), float32(1 / (1 + math.Exp(-raw)))
}

// unitLength divides x by its length, of at least eps, and multiplies it by scale.
func unitLength(out, x []float32, eps, scale float32) {
	var sum float64
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	rowwise.Scale(out, x, scale/max(float32(math.Sqrt(sum)), eps))
}
