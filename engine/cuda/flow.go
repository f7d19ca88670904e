//go:build cuda

package cuda

import (
	"github.com/confab-tui/confab/engine/model"
	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/matmul"
	"github.com/confab-tui/confab/kernels/rowwise"
)

// What becomes of a value after the operation at hand.

func overlap(a, b model.Ref) bool {
	return a.Buf == b.Buf && a.At < b.At+b.Width && b.At < a.At+a.Width
}

func covers(a, b model.Ref) bool {
	return a.Buf == b.Buf && a.At <= b.At && a.At+a.Width >= b.At+b.Width
}

// readers calls f for every operation from index i on that reads any of ref before all
// of it is written again, until f returns false. Logits are read at the end.
func (c *compiler) readers(ref model.Ref, i int, f func(op model.Op) bool) {
	for ; i < len(c.ops); i++ {
		for _, r := range c.ops[i].Reads(nil) {
			if overlap(r, ref) && !f(c.ops[i]) {
				return
			}
		}
		for _, w := range c.ops[i].Writes(nil) {
			if covers(w, ref) {
				return
			}
		}
	}
	if overlap(c.e.program.Logits, ref) {
		f(nil)
	}
}

// dead says that nobody reads ref from operation i on.
func (c *compiler) dead(ref model.Ref, i int) bool {
	dead := true
	c.readers(ref, i, func(model.Op) bool { dead = false; return false })
	return dead
}

// formFor returns the form in which an operation multiplies exactly ref, FormF32 where
// it reads floats.
func (c *compiler) formFor(op model.Op, ref model.Ref) kernels.Form {
	switch op := op.(type) {
	case *model.MatMul:
		if op.In == ref {
			return c.e.matrices[op.W].Form()
		}
	case *model.Experts:
		up, gate := c.e.matrices[op.Up].Form(), c.e.matrices[op.Gate].Form()
		if op.In == ref && op.IDs != ref && op.Weights != ref && up == gate {
			return up
		}
	}
	return kernels.FormF32
}

// result says where the operation at hand, which is the last of n, leaves ref: as
// floats unless only products read it that want it rounded, and rounded if the first
// of its readers that wants that does.
func (c *compiler) result(ref model.Ref, n int) (kernels.Place, kernels.Rounded, error) {
	floats, form := false, kernels.FormF32
	c.readers(ref, c.at+n, func(op model.Op) bool {
		f := kernels.FormF32
		if op != nil {
			f = c.formFor(op, ref)
		}
		if form == kernels.FormF32 {
			form = f
		}
		floats = floats || f == kernels.FormF32 || f != form
		return true
	})
	place := c.e.place(ref)
	if form == kernels.FormF32 {
		return place, kernels.Rounded{}, nil
	}
	r, err := c.roundedOf(ref, form)
	if err != nil {
		return place, kernels.Rounded{}, err
	}
	c.pending = append(c.pending, r)
	if !floats {
		place = kernels.Place{}
	}
	return place, r.data, nil
}

// roundedOf finds or makes the room for a reference in a form.
func (c *compiler) roundedOf(ref model.Ref, form kernels.Form) (*rounded, error) {
	for _, r := range c.e.rounded {
		if r.ref == ref && r.data.Form == form {
			return r, nil
		}
	}
	rows := c.e.rows
	if c.e.program.Buffers[ref.Buf].Outputs {
		rows = graphRows
	}
	data, err := c.e.newRounded(form, rows, ref.Width)
	if err != nil {
		return nil, err
	}
	if n := matmul.GatheredBytes(c.e.device, form, ref.Width); n > 0 {
		if data.Gathered, err = c.e.alloc(n); err != nil {
			return nil, err
		}
	}
	r := &rounded{ref: ref, data: data}
	c.e.rounded = append(c.e.rounded, r)
	return r, nil
}

func (e *Executor) newRounded(form kernels.Form, rows, width int) (kernels.Rounded, error) {
	r := kernels.Rounded{Form: form, Chunks: (width + 255) / 256}
	values, records := kernels.RoundedBytes(form, rows, width)
	var err error
	if r.Values, err = e.alloc(values); err != nil {
		return r, err
	}
	r.Records, err = e.alloc(records)
	return r, err
}

// input returns ref rounded for a product, queueing the rounding where the operation
// that wrote ref did not do it.
func (c *compiler) input(ref model.Ref, form kernels.Form) (kernels.Rounded, error) {
	if form == kernels.FormF32 {
		return kernels.Rounded{}, nil
	}
	r, err := c.roundedOf(ref, form)
	if err != nil || r.valid {
		return r.data, err
	}
	e := c.e
	a := rowwise.MapArgs{Op: rowwise.MapRound, A: e.place(ref), Rounded: r.data, N: ref.Width}
	rows, _ := c.domain()
	c.add(func(p *pass) {
		a := a
		a.Rows = rows(p)
		rowwise.QueueMap(e.queue, a)
	})
	r.valid = true
	return r.data, nil
}

// written notes that rounded forms of what an operation writes are out of date.
func (c *compiler) written(op model.Op) {
	for _, w := range op.Writes(nil) {
		for _, r := range c.e.rounded {
			if overlap(w, r.ref) {
				r.valid = false
			}
		}
	}
}

// validate notes the rounded forms that the operation at hand has made.
func (c *compiler) validate() {
	for _, r := range c.pending {
		r.valid = true
	}
	c.pending = c.pending[:0]
}
