//go:build cuda

package cuda

import (
	"fmt"

	"github.com/confab-tui/confab/engine/model"
	"github.com/confab-tui/confab/gpu"
	"github.com/confab-tui/confab/kernels/recurrent"
)

// mostSlots is how many sequences a program with recurrent layers can have at a time,
// where their states are no more than an eighth of the free memory; fewestSlots, where
// they are.
const (
	mostSlots   = 64
	fewestSlots = 4
)

// Slots is how many sequences can have a memory in recurrent layers at a time, 0 where
// the program has no such layers.
func (e *Executor) Slots() int { return e.slots }

// stateWidths are how many values each of the program's states takes in one slot.
func stateWidths(p *model.Program) []int {
	widths := make([]int, len(p.States))
	for i, s := range p.States {
		widths[i] = s.Width
	}
	for _, op := range p.Ops {
		if d, ok := op.(*model.DeltaNet); ok {
			widths[d.State] = recurrent.DeltaState(d.ValueHeads, d.KeyDim, d.ValueDim)
		}
	}
	return widths
}

// allocateStates makes room for what recurrent layers remember; what it holds is
// undefined until a sequence begins.
func (e *Executor) allocateStates(free int64) error {
	widths := stateWidths(e.program)
	if len(widths) == 0 {
		return nil
	}
	var each int64
	for _, w := range widths {
		each += 4 * int64(w)
	}
	for e.slots = mostSlots; e.slots > fewestSlots && (int64(e.slots)*each > free/8 || e.besides() > free); {
		e.slots /= 2
	}
	for _, w := range widths {
		p, err := e.alloc(4 * int64(w) * int64(e.slots))
		if err != nil {
			return err
		}
		e.states = append(e.states, p)
	}
	return nil
}

// pieces are how many sequences a pass may have rows of; the kernels find the real ones
// in its inputs.
func (e *Executor) pieces(p *pass) int { return min(p.rows, e.slots) }

func (c *compiler) conv(op *model.Conv) error {
	e := c.e
	if op.Taps > recurrent.MaxTaps {
		return fmt.Errorf("cuda: a convolution of %d taps is not supported: at most %d are", op.Taps, recurrent.MaxTaps)
	}
	if op.Act != model.ActSiLU && op.Act != model.ActNone {
		return fmt.Errorf("cuda: a convolution followed by %v is not supported", op.Act)
	}
	weight, err := e.vector(op.Weight)
	if err != nil {
		return err
	}
	args := recurrent.ConvArgs{Out: e.place(op.Out), In: e.place(op.In), Weight: weight, State: e.states[op.State],
		Channels: op.In.Width, Taps: op.Taps, SiLU: op.Act == model.ActSiLU}
	c.add(func(p *pass) { recurrent.QueueConv(e.queue, args, p.in.at(p.in.pieces), e.pieces(p)) })
	return nil
}

func (c *compiler) deltaNet(op *model.DeltaNet) error {
	e := c.e
	if op.KeyDim > recurrent.MaxDeltaKeys {
		return fmt.Errorf("cuda: a delta rule with keys %d wide is not supported: at most %d are", op.KeyDim, recurrent.MaxDeltaKeys)
	}
	var vectors [2]gpu.Ptr
	for i, v := range []*model.Vector{op.A, op.DtBias} {
		var err error
		if vectors[i], err = e.vector(v); err != nil {
			return err
		}
	}
	args := recurrent.DeltaArgs{Out: e.place(op.Out), Q: e.place(op.Q), K: e.place(op.K), V: e.place(op.V), Alpha: e.place(op.Alpha),
		Beta: e.place(op.Beta), Decay: vectors[0], Bias: vectors[1], State: e.states[op.State], Heads: op.ValueHeads,
		KeyHeads: op.KeyHeads, KeyDim: op.KeyDim, ValueDim: op.ValueDim, Eps: op.Eps}
	c.add(func(p *pass) { recurrent.QueueDeltaRule(e.queue, args, p.in.at(p.in.pieces), e.pieces(p)) })
	return nil
}

// fillPieces writes which rows of a slice of the step belong to which slot.
func (e *Executor) fillPieces(in *inputs, step *model.Step, first, last int) {
	pieces := view[recurrent.Piece](in, in.pieces, e.slots)
	clear(pieces)
	n := 0
	for _, s := range step.Seqs {
		from, to := max(s.First, first), min(s.First+s.Count, last)
		if from >= to || n == len(pieces) {
			continue
		}
		fresh := int32(0)
		if step.Rows[from].Pos == 0 {
			fresh = 1
		}
		pieces[n] = recurrent.Piece{First: int32(from - first), Count: int32(to - from), Slot: int32(s.Slot), Fresh: fresh}
		n++
	}
}
