//go:build cuda

package cuda

import (
	"github.com/confab-tui/confab/engine/model"
	"github.com/confab-tui/confab/kernels/attend"
)

// A row's positions are cut into chunks of firstChunk, or of the smallest power of two
// times it that leaves no more than mostChunks. The size follows from the row's own
// position, so a row's sums are the same whatever else is in the step.
const (
	firstChunk = 64
	mostChunks = 64
)

// attendPlan is the cutting of a step's attention into items, for all layers with the
// same window and the same kernel.
type attendPlan struct {
	window, group, dim, kvHeads int
	index                       int
	items                       []attend.AttendItem
	parts                       []attend.AttendParts
}

// attendPlan finds or makes the plan for a layer.
func (e *Executor) attendPlan(op *model.Attend) *attendPlan {
	c := e.program.Caches[op.Cache]
	want := attendPlan{window: op.Window, group: op.Heads / c.KVHeads, dim: max(c.KeyDim, c.ValueDim), kvHeads: c.KVHeads}
	for _, p := range e.plans {
		if p.window == want.window && p.group == want.group && p.dim == want.dim && p.kvHeads == want.kvHeads {
			return p
		}
	}
	want.index = len(e.plans)
	e.plans = append(e.plans, &want)
	return &want
}

func chunkOf(pos int) int {
	chunk := firstChunk
	for pos >= mostChunks*chunk {
		chunk *= 2
	}
	return chunk
}

// span is some neighbouring rows of one sequence, by their place in the step's slice,
// and where the sequence's cells begin in the list.
type span struct {
	row, rows, pos, cells int
}

// build cuts the attention of rows that stand in spans; each is how many rows an item
// takes. Wide steps have rows enough to keep the device busy without cutting
// positions as finely.
func (p *attendPlan) build(spans []span, rows, each, sms, limit int, wide bool) {
	tiles := 0
	for _, s := range spans {
		tiles += (s.rows + each - 1) / each
	}
	whole := wide && tiles*p.kvHeads >= sms
	for least := firstChunk; ; least *= 2 {
		p.items = p.items[:0]
		p.parts = append(p.parts[:0], make([]attend.AttendParts, rows)...)
		records := 0
		for _, s := range spans {
			records = p.cut(s, each, least, whole, records)
		}
		if records <= limit {
			return
		}
	}
}

// cut adds a span's items and returns how many records there are then.
func (p *attendPlan) cut(s span, each, least int, whole bool, records int) int {
	for at := 0; at < s.rows; {
		pos := s.pos + at
		chunk := max(least, chunkOf(pos))
		n := 1
		for n < each && at+n < s.rows && (whole || chunkOf(pos+n) == chunkOf(pos)) {
			n++
		}
		first, last := 0, pos+n
		if p.window > 0 {
			first = max(0, pos+1-p.window)
		}
		if whole {
			chunk = roundUp(last, 64)
		}
		count := (last-1)/chunk - first/chunk + 1
		for i := range n {
			p.parts[s.row+at+i] = attend.AttendParts{First: int32(records + i), Count: int32(count), Distance: int32(n), Chunk: int32(first / chunk)}
		}
		for c := first / chunk; c*chunk < last; c++ {
			p.items = append(p.items, attend.AttendItem{Row: int32(s.row + at), Rows: int32(n), Pos: int32(pos), Cells: int32(s.cells),
				From: int32(max(c*chunk, first&^63)), To: int32(min(last, (c+1)*chunk)), Part: int32(records)})
			records += n
		}
		at += n
	}
	return records
}
