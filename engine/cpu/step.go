package cpu

import (
	"fmt"

	"github.com/confab-tui/confab/engine/model"
	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/matmul"
)

// check refuses a step that would read or write where it must not.
func (e *Executor) check(s *model.Step) error {
	if len(s.Rows) == 0 || len(s.Rows) > MaxRows {
		return fmt.Errorf("cpu: a step of %d rows; it takes 1 to %d", len(s.Rows), MaxRows)
	}
	vocab, cells := int32(e.program.Spec.Vocab), int32(e.options.Cells)
	for i, r := range s.Rows {
		if r.Token < 0 || r.Token >= vocab || r.Cell < 0 || r.Cell >= cells || r.Pos < 0 || r.Pos >= e.positions {
			return fmt.Errorf("cpu: row %d: token %d of %d, cell %d of %d, position %d of %d", i, r.Token, vocab, r.Cell, cells, r.Pos, e.positions)
		}
	}
	next := 0
	for i, q := range s.Seqs {
		if q.First != next || q.Count < 1 || q.First+q.Count > len(s.Rows) {
			return fmt.Errorf("cpu: sequence %d has rows %d to %d; %d comes next of %d", i, q.First, q.First+q.Count, next, len(s.Rows))
		}
		if len(e.states) > 0 && (q.Slot < 0 || q.Slot >= MaxSlots) {
			return fmt.Errorf("cpu: sequence %d has slot %d of %d", i, q.Slot, MaxSlots)
		}
		next += q.Count
		for j, r := range s.Rows[q.First:next] {
			if int(r.Pos) != int(s.Rows[q.First].Pos)+j || int(r.Pos) >= len(q.Cells) {
				return fmt.Errorf("cpu: sequence %d: its row %d is at position %d, the first at %d, of %d cells",
					i, j, r.Pos, s.Rows[q.First].Pos, len(q.Cells))
			}
		}
		for _, c := range q.Cells[:s.Rows[next-1].Pos+1] {
			if c < 0 || c >= cells {
				return fmt.Errorf("cpu: sequence %d refers to cell %d of %d", i, c, cells)
			}
		}
	}
	if next != len(s.Rows) {
		return fmt.Errorf("cpu: sequences cover %d of %d rows", next, len(s.Rows))
	}
	next = 0
	for i, o := range s.Outputs {
		if o.Row < next || o.Row+len(o.Draft) >= len(s.Rows) {
			return fmt.Errorf("cpu: output %d wants rows %d to %d; %d comes next of %d", i, o.Row, o.Row+len(o.Draft), next, len(s.Rows))
		}
		next = o.Row + 1 + len(o.Draft)
	}
	return nil
}

// prepare makes room for the step and plans what depends on it alone.
func (e *Executor) prepare() {
	e.rows = len(e.step.Rows)
	e.picks = e.picks[:0]
	for _, o := range e.step.Outputs {
		for i := range 1 + len(o.Draft) {
			e.picks = append(e.picks, int32(o.Row+i))
		}
	}
	for i, b := range e.program.Buffers {
		n := b.Width * e.count(domainOf(b))
		if b.Ints {
			e.ints[i] = kernels.Grow(e.ints[i], n)
		} else {
			e.values[i] = kernels.Grow(e.values[i], n)
		}
	}
	for _, in := range e.inputs {
		in.reset(e)
	}
	for _, t := range e.ropes {
		t.values = kernels.Grow(t.values, e.rows*t.width)
	}
	for _, p := range e.plans {
		p.prepare(e.step)
	}
	e.sampler.prepare(e.step)
}

// domain is what the rows of a phase are.
type domain uint8

const (
	allRows domain = iota // the step's rows
	outputs               // those that outputs were asked of
)

func domainOf(b model.Buffer) domain {
	if b.Outputs {
		return outputs
	}
	return allRows
}

// count is how many rows a domain has in this step.
func (e *Executor) count(d domain) int {
	if d == outputs {
		return len(e.picks)
	}
	return e.rows
}

// row returns a reference's values in one row.
func (e *Executor) row(r model.Ref, row int) []float32 {
	return e.values[r.Buf][row*e.program.Buffers[r.Buf].Width+r.At:][:r.Width]
}

// intRow is row for a buffer of ints.
func (e *Executor) intRow(r model.Ref, row int) []int32 {
	return e.ints[r.Buf][row*e.program.Buffers[r.Buf].Width+r.At:][:r.Width]
}

// from returns a buffer's values from one row on, at a reference's first column, and
// how far rows are apart.
func (e *Executor) from(r model.Ref, row int) ([]float32, int) {
	stride := e.program.Buffers[r.Buf].Width
	return e.values[r.Buf][row*stride+r.At:], stride
}

// input is a product's input, prepared for the weights it meets.
type input struct {
	ref    model.Ref
	form   kernels.Form
	domain domain
	data   matmul.Input
	valid  bool // while planning: filled since the reference was last written
}

func (in *input) reset(e *Executor) {
	in.data.Reset(in.form, e.count(in.domain), in.ref.Width)
}

func (in *input) fill(e *Executor, row int) {
	x, stride := e.from(in.ref, 0)
	in.data.Fill(x, stride, row, row+1)
}
