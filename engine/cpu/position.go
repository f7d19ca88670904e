package cpu

import (
	"math"

	"github.com/confab-tui/confab/engine/model"
	"github.com/confab-tui/confab/kernels/rowwise"
)

// ropeTable holds sines and cosines of the step's positions for one of the program's
// rotary tables. They are computed once a step, by the first operation that needs
// them.
type ropeTable struct {
	rotary *model.Rotary
	rope   rowwise.Rope
	width  int
	values []float32 // width for each row
}

// rope returns what a rotary operation does to rows.
func (e *Executor) rope(op *model.Rope) rowFunc {
	t, known := e.table(op.Table)
	return func(r int) {
		table := t.values[r*t.width:][:t.width]
		if !known {
			t.rope.Table(table, e.step.Rows[r].Pos)
		}
		t.rope.Apply(e.row(op.X, r), op.Heads, t.rotary.Dim, table)
	}
}

// table returns the table of a rotary, and whether it was asked for before.
func (e *Executor) table(r *model.Rotary) (t *ropeTable, known bool) {
	for _, t := range e.ropes {
		if t.rotary == r {
			return t, true
		}
	}
	t = &ropeTable{rotary: r, width: 2 * len(r.Freqs),
		rope: rowwise.Rope{Freqs: r.Freqs, Magnitude: r.Magnitude, Interleaved: r.Interleaved}}
	e.ropes = append(e.ropes, t)
	return t, false
}

// sharpen multiplies x by what the position asks for.
func sharpen(x []float32, op *model.Sharpen, pos int32) {
	by := 1 + float64(op.By)*math.Log(1+math.Floor(float64(pos)/float64(op.Every)))
	rowwise.Scale(x, x, float32(by))
}
