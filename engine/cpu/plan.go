package cpu

import (
	"fmt"
	"slices"

	"github.com/confab-tui/confab/engine/model"
	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/rowwise"
)

// planner turns a program's operations into phases. Operations that go row by row
// join the open row phase, products that do not depend on each other the open
// product.
type planner struct {
	e      *Executor
	phases []phase
	// Which of these is the last phase, if it can still take an operation.
	rows    *rowPhase
	product *product
	// biases are to be added to the open product's results.
	biases []*model.MatMul
	room   *expertRoom
}

func plan(e *Executor) ([]phase, error) {
	p := &planner{e: e}
	products := false // the operation before was one
	for i, op := range e.program.Ops {
		if _, ok := op.(*model.MatMul); !ok {
			p.addBiases()
		} else if !products {
			p.fillAll(e.program.Ops[i:])
		}
		_, products = op.(*model.MatMul)
		switch op := op.(type) {
		case *model.MatMul:
			p.matMul(op)
		case *model.Attend:
			p.attend(op)
		case *model.Experts:
			p.experts(op)
		case *model.Conv:
			p.add(newConv(e, op))
		case *model.DeltaNet:
			p.add(newDeltaNet(e, op))
		default:
			run := rowOp(e, op)
			if run == nil {
				return nil, fmt.Errorf("cpu: the operation %T is not supported", op)
			}
			p.row(p.domain(op), run)
		}
		p.written(op)
		if give, ok := op.(*model.Give); ok {
			p.cut(give.Width())
		}
	}
	p.addBiases()
	p.add(&samplePhase{e})
	p.cut(0)
	return p.phases, nil
}

// cut ends a part.
func (p *planner) cut(gives int) {
	p.e.parts = append(p.e.parts, part{len(p.phases), gives})
	p.rows, p.product = nil, nil
}

// add appends a phase that takes no more operations.
func (p *planner) add(ph phase) {
	p.phases = append(p.phases, ph)
	p.rows, p.product = nil, nil
}

// row appends a piece to the open row phase, or to a new one where the domain changes.
func (p *planner) row(d domain, run rowFunc) {
	if p.rows == nil || p.rows.domain != d {
		ph := &rowPhase{e: p.e, domain: d}
		p.add(ph)
		p.rows = ph
	}
	p.rows.pieces = append(p.rows.pieces, run)
}

// domain is that of the operation's results, or of its operands where it has none.
func (p *planner) domain(op model.Op) domain {
	refs := op.Reads(op.Writes(nil))
	return domainOf(p.e.program.Buffers[refs[0].Buf])
}

// written notes that inputs made of what an operation writes are out of date.
func (p *planner) written(op model.Op) {
	for _, w := range op.Writes(nil) {
		for _, in := range p.e.inputs {
			if overlap(w, in.ref) {
				in.valid = false
			}
		}
	}
}

func overlap(a, b model.Ref) bool {
	return a.Buf == b.Buf && a.At < b.At+b.Width && b.At < a.At+a.Width
}

// filled returns the prepared input for a reference, filling it where it is not.
func (p *planner) filled(ref model.Ref, form kernels.Form) *input {
	e := p.e
	at := slices.IndexFunc(e.inputs, func(in *input) bool { return in.ref == ref && in.form == form })
	if at < 0 {
		at = len(e.inputs)
		e.inputs = append(e.inputs, &input{ref: ref, form: form, domain: domainOf(e.program.Buffers[ref.Buf])})
	}
	in := e.inputs[at]
	if !in.valid {
		p.row(in.domain, func(row int) { in.fill(e, row) })
		in.valid = true
	}
	return in
}

// fillAll fills the inputs of the products that ops begin with, up to the first that reads
// what one of them writes, so that they are one phase though their inputs differ: those of
// single heads do.
func (p *planner) fillAll(ops []model.Op) {
	var outs []model.Ref
	for _, op := range ops {
		m, ok := op.(*model.MatMul)
		if !ok || slices.ContainsFunc(outs, func(out model.Ref) bool { return overlap(out, m.In) }) {
			return
		}
		p.filled(m.In, p.e.weights.of(m.W, 0).Form())
		outs = append(outs, m.Out)
	}
}

// matMul adds a product to the open phase of products, if that does not write what
// this one reads.
func (p *planner) matMul(op *model.MatMul) {
	m := p.e.weights.of(op.W, 0)
	if p.unfinished(op.In) || p.unfinished(op.Out) {
		p.addBiases()
	}
	open := p.product
	in := p.filled(op.In, m.Form())
	if open == nil || p.product != open || open.domain != in.domain {
		open = &product{e: p.e, domain: in.domain}
		p.add(open)
		p.product = open
	}
	open.items = append(open.items, productItem{m, in, op.Out})
	open.cut()
	if op.Bias != nil {
		p.biases = append(p.biases, op)
	}
}

// unfinished says whether the open phase of products writes to what the reference names, or
// a bias is yet to be added there.
func (p *planner) unfinished(r model.Ref) bool {
	if p.product != nil && p.product.writes(r) {
		return true
	}
	return slices.ContainsFunc(p.biases, func(op *model.MatMul) bool { return overlap(op.Out, r) })
}

// addBiases closes the open phase of products and adds their biases.
func (p *planner) addBiases() {
	p.product = nil
	e := p.e
	for _, op := range p.biases {
		p.row(p.domain(op), func(row int) {
			out := e.row(op.Out, row)
			rowwise.Add(out, out, op.Bias.Values)
		})
	}
	p.biases = p.biases[:0]
}
