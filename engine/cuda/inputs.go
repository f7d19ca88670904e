//go:build cuda

package cuda

import (
	"fmt"
	"unsafe"

	"github.com/confab-tui/confab/engine/model"
	"github.com/confab-tui/confab/gpu"
	"github.com/confab-tui/confab/kernels/attend"
	"github.com/confab-tui/confab/kernels/sample"
)

// mostHistory is the most tokens that penalties look at.
const mostHistory = 4096

// inputs is the block that a step's inputs travel in: at fixed places the header, the
// rows and the outputs, then packed one after the other the items of attention, the
// lists of cells and the histories, whose places the header names.
type inputs struct {
	host   []byte // pinned
	device gpu.Ptr
	rows   int
	// Byte offsets of the fixed places.
	tokens, positions, cells, parts, pieces, picks, draws, packed int
	used                                                          int
}

// The header's int32: rows and outputs that are no padding, then four for each plan.
const (
	headerRows  = 0
	headerOuts  = 1
	headerPlans = 4
)

func (e *Executor) makeInputs() error {
	lists := 2*e.options.Cells + 1<<16
	if e.options.Context > 0 {
		lists = min(lists, graphRows*e.options.Context+1<<16)
	}
	var err error
	if e.small, err = e.newInputs(graphRows, lists); err == nil {
		e.large, err = e.newInputs(e.rows, lists)
	}
	if err == nil {
		err = e.sampler.init(e)
	}
	return err
}

func (e *Executor) newInputs(rows, lists int) (*inputs, error) {
	in := &inputs{rows: rows}
	at := 0
	place := func(bytes int) int {
		start := at
		at += roundUp(bytes, 64)
		return start
	}
	place(4 * (headerPlans + 4*len(e.plans)))
	in.tokens, in.positions, in.cells = place(4*rows), place(4*rows), place(4*rows)
	in.parts = place(16 * rows * len(e.plans))
	in.pieces = place(16 * e.slots)
	in.picks, in.draws = place(4*graphRows), place(64*graphRows)
	in.packed = at
	place(32 * (e.partRows + rows) * len(e.plans))
	place(4 * lists)
	place(4 * mostHistory * graphRows)
	var err error
	if in.host, err = e.device.Pinned(at); err != nil {
		return nil, err
	}
	clear(in.host)
	in.device, err = e.alloc(int64(at))
	return in, err
}

// view is the block at a byte offset as n values.
func view[T any](in *inputs, at, n int) []T {
	var v T
	if at+n*int(unsafe.Sizeof(v)) > len(in.host) {
		panic(fmt.Sprintf("cuda: %d values at %d in a block of %d", n, at, len(in.host)))
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&in.host[at])), n)
}

// pack puts values behind what is packed already and returns where, in bytes; ok is
// false where they do not fit.
func pack[T any](in *inputs, values []T) (at int, ok bool) {
	b := gpu.Bytes(values)
	if in.used+len(b) > len(in.host) {
		return 0, false
	}
	at = in.used
	copy(in.host[at:], b)
	in.used = roundUp(at+len(b), 16)
	return at, true
}

func (in *inputs) at(offset int) gpu.Ptr { return in.device + gpu.Ptr(offset) }

// plan is where the header names a plan's items.
func (in *inputs) plan(i int) gpu.Ptr { return in.at(4 * (headerPlans + 4*i)) }

// fill writes the block of the rows first to last with the outputs outs, and queues
// its way to the device.
func (e *Executor) fill(p *pass, step *model.Step, first, last int, outs []outputRow) error {
	in, n := p.in, last-first
	in.used = in.packed
	tokens, positions, cells := view[int32](in, in.tokens, p.rows), view[int32](in, in.positions, p.rows), view[int32](in, in.cells, p.rows)
	for i := range p.rows {
		if i < n {
			r := step.Rows[first+i]
			tokens[i], positions[i], cells[i] = r.Token, r.Pos, r.Cell
		} else {
			tokens[i], positions[i], cells[i] = 0, 0, 0
		}
	}
	e.fillPieces(in, step, first, last)
	spans, lists, ok := e.lists(in, step, first, last)
	if !ok {
		return fmt.Errorf("cuda: the cells that a step of %d sequences refers to are more than %d bytes hold", len(step.Seqs), len(in.host))
	}
	header := view[int32](in, 0, headerPlans+4*len(e.plans))
	header[headerRows] = int32(n)
	for _, a := range e.plans {
		shape, err := attend.DeviceShape(e.queue, a.dim, a.group, p.rows)
		if err != nil {
			return err
		}
		a.build(spans, p.rows, shape.Rows(), e.device.SMs, e.partRows, p.rows > graphRows)
		items, ok := pack(in, a.items)
		list, fits := pack(in, a.list)
		if !ok || !fits {
			return fmt.Errorf("cuda: %d items of attention do not fit", len(a.items))
		}
		copy(header[headerPlans+4*a.index:], []int32{int32(len(a.items)), int32(items), int32(lists), int32(list)})
		copy(view[attend.AttendParts](in, in.parts+16*in.rows*a.index, p.rows), a.parts)
	}
	if err := e.fillOutputs(p, step, first, outs); err != nil {
		return err
	}
	return e.queue.Upload(in.device, in.host[:in.used])
}

// lists packs the cells of the sequences that have rows in a slice of the step; spans
// refer to places in the list.
func (e *Executor) lists(in *inputs, step *model.Step, first, last int) (spans []span, at int, ok bool) {
	at = in.used
	for _, s := range step.Seqs {
		from, to := max(s.First, first), min(s.First+s.Count, last)
		if from >= to {
			continue
		}
		pos := int(step.Rows[from].Pos)
		place, fits := pack(in, s.Cells[:pos+to-from])
		if !fits {
			return nil, 0, false
		}
		spans = append(spans, span{row: from - first, rows: to - from, pos: pos, at: (place - at) / 4, cells: s.Cells})
	}
	return spans, at, true
}

// refill writes only other outputs of the same rows.
func (e *Executor) refill(p *pass, step *model.Step, first int, outs []outputRow) error {
	p.in.used = p.in.packed
	// The rows' own inputs have been read; histories may go over them.
	if err := e.fillOutputs(p, step, first, outs); err != nil {
		return err
	}
	return e.queue.Upload(p.in.device, p.in.host[:p.in.used])
}

// fillOutputs writes which rows are sampled and how.
func (e *Executor) fillOutputs(p *pass, step *model.Step, first int, outs []outputRow) error {
	in := p.in
	view[int32](in, 0, headerPlans)[headerOuts] = int32(len(outs))
	picks := view[int32](in, in.picks, graphRows)
	clear(picks)
	draws := view[sample.DrawRow](in, in.draws, graphRows)
	for i, o := range outs {
		picks[i] = int32(o.row - first)
		params := e.sampler.params(step, o)
		if len(params.History) > mostHistory {
			return fmt.Errorf("cuda: penalties look at %d tokens, at most %d: lower repeat_last_n", len(params.History), mostHistory)
		}
		at, ok := pack(in, params.History)
		if !ok {
			return fmt.Errorf("cuda: the histories of %d outputs do not fit", len(outs))
		}
		draws[i] = sample.DrawRowOf(&params, at/4)
	}
	return nil
}
