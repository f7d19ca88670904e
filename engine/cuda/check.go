//go:build cuda

package cuda

import (
	"fmt"

	"github.com/confab-tui/confab/engine/model"
)

// check refuses a step that would read or write where it must not.
func (e *Executor) check(s *model.Step) error {
	if len(s.Rows) == 0 || len(s.Rows) > MaxRows {
		return fmt.Errorf("cuda: a step of %d rows; it takes 1 to %d", len(s.Rows), MaxRows)
	}
	vocab, cells := int32(e.program.Spec.Vocab), int32(e.options.Cells)
	for i, r := range s.Rows {
		if r.Token < 0 || r.Token >= vocab || r.Cell < 0 || r.Cell >= cells || r.Pos < 0 || r.Pos >= e.positions {
			return fmt.Errorf("cuda: row %d: token %d of %d, cell %d of %d, position %d of %d", i, r.Token, vocab, r.Cell, cells, r.Pos, e.positions)
		}
	}
	next := 0
	var taken uint64 // slots
	for i, q := range s.Seqs {
		if q.First != next || q.Count < 1 || q.First+q.Count > len(s.Rows) {
			return fmt.Errorf("cuda: sequence %d has rows %d to %d; %d comes next of %d", i, q.First, q.First+q.Count, next, len(s.Rows))
		}
		next += q.Count
		if e.slots > 0 {
			if q.Slot < 0 || q.Slot >= e.slots || taken>>q.Slot&1 != 0 {
				return fmt.Errorf("cuda: sequence %d has slot %d of %d, which must be its own", i, q.Slot, e.slots)
			}
			taken |= 1 << q.Slot
		}
		if err := checkSequence(s, i, cells); err != nil {
			return err
		}
	}
	if next != len(s.Rows) {
		return fmt.Errorf("cuda: sequences cover %d of %d rows", next, len(s.Rows))
	}
	next = 0
	for i, o := range s.Outputs {
		if o.Row < next || o.Row+len(o.Draft) >= len(s.Rows) {
			return fmt.Errorf("cuda: output %d wants rows %d to %d; %d comes next of %d", i, o.Row, o.Row+len(o.Draft), next, len(s.Rows))
		}
		next = o.Row + 1 + len(o.Draft)
	}
	return nil
}

func checkSequence(s *model.Step, i int, cells int32) error {
	q := &s.Seqs[i]
	first := int(s.Rows[q.First].Pos)
	for j, r := range s.Rows[q.First : q.First+q.Count] {
		if int(r.Pos) != first+j || int(r.Pos) >= len(q.Cells) {
			return fmt.Errorf("cuda: sequence %d: its row %d is at position %d, the first at %d, of %d cells",
				i, j, r.Pos, first, len(q.Cells))
		}
	}
	for _, c := range q.Cells[:first+q.Count] {
		if c < 0 || c >= cells {
			return fmt.Errorf("cuda: sequence %d refers to cell %d of %d", i, c, cells)
		}
	}
	return nil
}
