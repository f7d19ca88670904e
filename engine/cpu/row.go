package cpu

import (
	"github.com/confab-tui/confab/engine/model"
	"github.com/confab-tui/confab/kernels/rowwise"
)

// rowFunc does a piece of work for a row of a phase's domain.
type rowFunc func(row int)

// rowPhase is a run of pieces that every row goes through by itself, one row after the other: what a
// piece leaves of a row is in the first-level cache for the next.
type rowPhase struct {
	e      *Executor
	domain domain
	pieces []rowFunc
}

// blockRows is the most rows that one unit takes. Few rows are a unit for each worker, so that it
// meets the same ones in every phase.
const blockRows = 8

func (p *rowPhase) block() int {
	return min(max(1, p.e.count(p.domain)/p.e.options.Threads), blockRows)
}

func (p *rowPhase) units() int {
	block := p.block()
	return (p.e.count(p.domain) + block - 1) / block
}

func (p *rowPhase) run(unit, _ int) {
	block := p.block()
	r0 := unit * block
	r1 := min(r0+block, p.e.count(p.domain))
	for r := r0; r < r1; r++ {
		for _, piece := range p.pieces {
			piece(r)
		}
	}
}

// rowOp returns what an operation does to rows, or nil for those that are no such.
func rowOp(e *Executor, op model.Op) rowFunc {
	switch op := op.(type) {
	case *model.Embed:
		return embed(e, op)
	case *model.Norm:
		return norm(e, op)
	case *model.Rope:
		return e.rope(op)
	case *model.Sharpen:
		return func(r int) { sharpen(e.row(op.X, r), op, e.step.Rows[r].Pos) }
	case *model.Store:
		kv := e.kv[op.Cache]
		return func(r int) { kv.Store(e.step.Rows[r].Cell, e.row(op.K, r), e.row(op.V, r)) }
	case *model.Add:
		return func(r int) { rowwise.Add(e.row(op.Out, r), e.row(op.A, r), e.row(op.B, r)) }
	case *model.Scale:
		return func(r int) { rowwise.Scale(e.row(op.Out, r), e.row(op.In, r), op.By) }
	case *model.SoftCap:
		return func(r int) { rowwise.SoftCap(e.row(op.X, r), e.row(op.X, r), op.Cap) }
	case *model.Activate:
		do := activation(op.Act)
		return func(r int) { do(e.row(op.Out, r), e.row(op.In, r)) }
	case *model.Gate:
		return gated(e, op)
	case *model.Route:
		return route(e, op)
	case *model.Give:
		return e.give(op)
	case *model.Take:
		return e.take(op)
	case *model.Select:
		return func(r int) { copy(e.row(op.Out, r), e.row(op.In, int(e.picks[r]))) }
	}
	return nil
}

// give copies what goes to the other half.
func (e *Executor) give(op *model.Give) rowFunc {
	width := op.Width()
	return func(r int) {
		to := e.given[r*width:][:width]
		for _, ref := range op.Refs {
			to = to[copy(to, e.row(ref, r)):]
		}
	}
}

// take copies what comes from the other half.
func (e *Executor) take(op *model.Take) rowFunc {
	width := op.Width()
	return func(r int) {
		from := e.taken[r*width:][:width]
		for _, ref := range op.Refs {
			from = from[copy(e.row(ref, r), from):]
		}
	}
}

func embed(e *Executor, op *model.Embed) rowFunc {
	lookup := e.weights.table(op.Table)
	if op.ByPosition {
		e.positions = int32(op.Table.Rows)
	}
	return func(r int) {
		at := int(e.step.Rows[r].Token)
		if op.ByPosition {
			at = int(e.step.Rows[r].Pos)
		}
		out := e.row(op.Out, r)
		if err := lookup.read(out, at); err != nil {
			panic(err) // the type was read from when the weights were packed
		}
		if op.Scale != 1 {
			rowwise.Scale(out, out, op.Scale)
		}
	}
}

func norm(e *Executor, op *model.Norm) rowFunc {
	var weight, bias []float32
	if op.Weight != nil {
		weight = op.Weight.Values
	}
	if op.Bias != nil {
		bias = op.Bias.Values
	}
	width := op.In.Width / op.Parts
	return func(r int) {
		out, in := e.row(op.Out, r), e.row(op.In, r)
		for at := 0; at < len(in); at += width {
			if op.Center {
				rowwise.LayerNorm(out[at:at+width], in[at:at+width], weight, bias, op.Eps)
			} else {
				rowwise.RMSNorm(out[at:at+width], in[at:at+width], weight, op.Eps)
			}
		}
	}
}

// activation is one without a gate.
func activation(act model.Activation) func(out, x []float32) {
	switch act {
	case model.ActSiLU:
		return rowwise.SiLU
	case model.ActGELU:
		return rowwise.GELU
	case model.ActSigmoid:
		return rowwise.Sigmoid
	case model.ActReLUSquared:
		return rowwise.ReLUSquared
	}
	panic("cpu: " + act.String() + " needs a gate")
}

func gated(e *Executor, op *model.Gate) rowFunc {
	if op.Gate.Width == op.Up.Width {
		return func(r int) { gate(op.Act, e.row(op.Out, r), e.row(op.Gate, r), e.row(op.Up, r)) }
	}
	do := activation(op.Act)
	return func(r int) {
		g := e.row(op.Gate, r)
		do(g, g)
		rowwise.Scale(e.row(op.Out, r), e.row(op.Up, r), g[0])
	}
}

// gpt-oss's constants.
const (
	clampedAlpha = 1.702
	clampedLimit = 7
)

func gate(act model.Activation, out, gate, up []float32) {
	switch act {
	case model.ActSiLU:
		rowwise.SwiGLU(out, gate, up)
	case model.ActGELU:
		rowwise.GeGLU(out, gate, up)
	case model.ActSigmoid:
		rowwise.SigmoidGate(out, gate, up)
	case model.ActSwiGLUClamped:
		rowwise.SwiGLUClamped(out, gate, up, clampedAlpha, clampedLimit)
	case model.ActNone:
		rowwise.Mul(out, gate, up)
	}
}

func route(e *Executor, op *model.Route) rowFunc {
	how := rowwise.Routing{Normalize: op.Normalize, Scale: op.Scale, Groups: op.Groups, GroupsUsed: op.GroupsUsed}
	if op.Bias != nil {
		how.Bias = op.Bias.Values
	}
	switch op.Rule {
	case model.RouteSoftmax:
		how.Rule = rowwise.RouteSoftmax
	case model.RouteChosen:
		how.Rule = rowwise.RouteChosen
	case model.RouteSigmoid:
		how.Rule = rowwise.RouteSigmoid
	}
	return func(r int) { rowwise.Route(e.intRow(op.IDs, r), e.row(op.Weights, r), e.row(op.Scores, r), how) }
}
