//go:build cuda

package cuda

import (
	"fmt"

	"github.com/confab-tui/confab/engine/model"
	"github.com/confab-tui/confab/gpu"
	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/matmul"
	"github.com/confab-tui/confab/kernels/rowwise"
)

// compiler turns a program's operations into launches. Neighbours that one kernel does
// together become one launch; a result that only products with quantised weights
// read is kept in rounded form alone.
type compiler struct {
	e   *Executor
	ops []model.Op
	at  int // the operation being compiled
	out *[]launcher
	// pending are the rounded forms that the operation at hand makes.
	pending []*rounded
	// lists are the rows by expert of the last choice, and listed where its experts are.
	lists  *rowwise.Lists
	listed model.Ref
}

// rounded is a reference's values rounded for products; valid while compiling says
// that it was made since the reference was last written.
type rounded struct {
	ref   model.Ref
	data  kernels.Rounded
	valid bool
}

// rope is the cosines and sines of the step's rows for one rotary table.
type rope struct {
	rotary       *model.Rotary
	freqs, table gpu.Ptr
}

// compile makes the segments and the tail.
func (e *Executor) compile() error {
	c := &compiler{e: e, ops: e.program.Ops}
	c.newSegment()
	if err := c.ropes(); err != nil {
		return err
	}
	for c.at < len(c.ops) {
		if _, ok := c.ops[c.at].(*model.Select); ok {
			c.out = &e.tail
		}
		if outs := c.onOutputs(c.ops[c.at]); outs != (c.out == &e.tail) {
			return fmt.Errorf("cuda: operation %d, a %T, stands on the wrong side of the choice of rows", c.at, c.ops[c.at])
		}
		n, err := c.operation()
		if err != nil {
			return err
		}
		for _, op := range c.ops[c.at : c.at+n] {
			c.written(op)
		}
		c.validate()
		c.at += n
	}
	c.out = &e.tail
	c.add(func(p *pass) { e.sampler.launch(p) })
	return nil
}

func (c *compiler) add(l launcher) { *c.out = append(*c.out, l) }

// onOutputs says whether an operation works on the outputs' rows.
func (c *compiler) onOutputs(op model.Op) bool {
	refs := op.Reads(op.Writes(nil))
	return c.e.program.Buffers[refs[0].Buf].Outputs
}

// rows and count are how many rows the operations compiled now have in a pass, and
// where the device finds how many of them are no padding.
func (c *compiler) domain() (rows func(*pass) int, count func(*pass) gpu.Ptr) {
	if c.out == &c.e.tail {
		return func(p *pass) int { return p.outs }, func(p *pass) gpu.Ptr { return p.in.at(4 * headerOuts) }
	}
	return func(p *pass) int { return p.rows }, func(p *pass) gpu.Ptr { return p.in.at(4 * headerRows) }
}

// place is where a reference's values are.
func (e *Executor) place(r model.Ref) kernels.Place {
	return kernels.Place{Ptr: e.buffers[r.Buf], Stride: e.program.Buffers[r.Buf].Width}.At(r.At)
}

// operation compiles the operation at hand and returns how many it took.
func (c *compiler) operation() (int, error) {
	switch op := c.ops[c.at].(type) {
	case *model.Embed:
		return 1, c.embed(op)
	case *model.MatMul:
		return c.products()
	case *model.Norm:
		if op.Parts > 1 {
			return c.heads()
		}
		if m, r := c.router(op); r != nil {
			return 3, c.normRoute(op, m, r)
		}
		return 1, c.justNorm(op)
	case *model.Rope, *model.Store:
		return c.heads()
	case *model.Attend:
		return 1, c.attend(op, 1, nil, nil)
	case *model.Select:
		return 1, c.choose(op)
	case *model.Route:
		return 1, c.route(op)
	case *model.Experts:
		return c.experts(op)
	case *model.Give:
		c.give(op)
		return 1, nil
	case *model.Take:
		return 1, c.take(op)
	case *model.Conv:
		return 1, c.conv(op)
	case *model.DeltaNet:
		return 1, c.deltaNet(op)
	}
	return c.values()
}

func (c *compiler) embed(op *model.Embed) error {
	e := c.e
	table, out := e.matrices[op.Table], e.place(op.Out)
	if op.ByPosition {
		e.positions = int32(op.Table.Rows)
	}
	c.add(func(p *pass) {
		ids := p.in.at(p.in.tokens)
		if op.ByPosition {
			ids = p.in.at(p.in.positions)
		}
		matmul.QueueEmbed(e.queue, out, table, ids, p.rows, op.Scale)
	})
	return nil
}

func (c *compiler) choose(op *model.Select) error {
	e := c.e
	out, in := e.place(op.Out), e.place(op.In)
	c.add(func(p *pass) { rowwise.QueueSelect(e.queue, out, in, p.in.at(p.in.picks), p.outs, op.Out.Width) })
	return nil
}

func (c *compiler) justNorm(op *model.Norm) error {
	a, err := c.norm(op, 1)
	if err != nil {
		return err
	}
	rows, _ := c.domain()
	c.add(func(p *pass) {
		a := a
		a.Rows = rows(p)
		rowwise.QueueNorm(c.e.queue, a)
	})
	return nil
}

// norm is what a norm, the first of n operations at hand, launches but for the number of rows.
func (c *compiler) norm(op *model.Norm, n int) (a rowwise.NormArgs, err error) {
	e := c.e
	a = rowwise.NormArgs{In: e.place(op.In), N: op.In.Width, Eps: op.Eps, Center: op.Center}
	if a.Weight, err = e.vector(op.Weight); err != nil {
		return a, err
	}
	if a.Bias, err = e.vector(op.Bias); err != nil {
		return a, err
	}
	a.Out, a.Rounded, err = c.result(op.Out, n)
	return a, err
}

// values compiles what works value by value.
func (c *compiler) values() (int, error) {
	e := c.e
	var a rowwise.MapArgs
	var ref model.Ref
	switch op := c.ops[c.at].(type) {
	case *model.Add:
		a, ref = rowwise.MapArgs{Op: rowwise.MapAdd, A: e.place(op.A), B: e.place(op.B)}, op.Out
	case *model.Scale:
		a, ref = rowwise.MapArgs{Op: rowwise.MapScale, A: e.place(op.In), By: op.By}, op.Out
	case *model.Activate:
		kind, ok := map[model.Activation]rowwise.MapOp{model.ActSiLU: rowwise.MapSiLU, model.ActGELU: rowwise.MapGELU,
			model.ActSigmoid: rowwise.MapSigmoid, model.ActReLUSquared: rowwise.MapReLUSquared}[op.Act]
		if !ok {
			return 0, fmt.Errorf("cuda: the activation %v is not supported", op.Act)
		}
		a, ref = rowwise.MapArgs{Op: kind, A: e.place(op.In)}, op.Out
	case *model.Gate:
		kind, err := gateOf(op.Act)
		if op.Gate.Width < op.Up.Width {
			kind, err = rowwise.MapWeigh, nil
			if op.Act != model.ActSigmoid {
				err = fmt.Errorf("cuda: a gate %v of one value is not supported", op.Act)
			}
		}
		if err != nil {
			return 0, err
		}
		a, ref = rowwise.MapArgs{Op: kind, A: e.place(op.Gate), B: e.place(op.Up)}, op.Out
	case *model.SoftCap:
		a, ref = rowwise.MapArgs{Op: rowwise.MapSoftCap, A: e.place(op.X), By: op.Cap}, op.X
	case *model.Sharpen:
		a, ref = rowwise.MapArgs{Op: rowwise.MapSharpen, A: e.place(op.X), By: op.By, Every: float32(op.Every)}, op.X
	default:
		return 0, fmt.Errorf("cuda: the operation %T is not supported", op)
	}
	var err error
	if a.Out, a.Rounded, err = c.result(ref, 1); err != nil {
		return 0, err
	}
	a.N = ref.Width
	rows, _ := c.domain()
	c.add(func(p *pass) {
		a := a
		a.Rows, a.Pos = rows(p), p.in.at(p.in.positions)
		rowwise.QueueMap(e.queue, a)
	})
	return 1, nil
}

func gateOf(act model.Activation) (rowwise.MapOp, error) {
	kind, ok := map[model.Activation]rowwise.MapOp{model.ActSiLU: rowwise.MapGateSiLU, model.ActGELU: rowwise.MapGateGELU,
		model.ActSigmoid: rowwise.MapGateSigmoid, model.ActSwiGLUClamped: rowwise.MapGateClamped, model.ActNone: rowwise.MapGatePlain}[act]
	if !ok {
		return 0, fmt.Errorf("cuda: the gate %v is not supported", act)
	}
	return kind, nil
}
