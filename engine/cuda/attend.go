//go:build cuda

package cuda

import (
	"math"
	"slices"

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
	list                        []int32 // rows that items refer to; first all of them in order

	each, least int // of the cutting at hand: how many rows an item takes, the least size of chunks
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
// and the sequence's cells with their place in the list.
type span struct {
	row, rows, pos, at int
	cells              []int32
}

// fewestWide is the least size of chunks in wide steps.
const fewestWide = 256

// build cuts the attention of rows that stand in spans, whose order it changes; each is
// how many rows an item takes. Wide steps cut positions only as far as the device has more
// multiprocessors than there are items and heads.
func (p *attendPlan) build(spans []span, rows, each, sms, limit int, wide bool) {
	tiles, deepest := 0, 0
	for _, s := range spans {
		tiles += (s.rows + each - 1) / each
		deepest = max(deepest, s.pos+s.rows)
	}
	p.each, p.least = each, firstChunk
	if wide {
		pieces := max(1, sms/max(1, tiles*p.kvHeads))
		p.least = max(fewestWide, roundUp((deepest+pieces-1)/pieces, firstChunk))
	}
	for p.number(spans, rows) > limit {
		p.least *= 2
	}
	p.items, p.list = p.items[:0], p.list[:0]
	for i := range rows {
		p.list = append(p.list, int32(i))
	}
	if !wide && p.window == 0 {
		p.share(spans)
		return
	}
	for _, s := range spans {
		p.cut(s, 0)
	}
	// Blocks take items in turn: the longest first.
	slices.SortStableFunc(p.items, func(a, b attend.AttendItem) int { return int(b.To - b.From - a.To + a.From) })
}

// chunk is the size of the chunks that a row at a position sees.
func (p *attendPlan) chunk(pos int) int { return max(p.least, chunkOf(pos)) }

// first is the first position that a row at a position sees.
func (p *attendPlan) first(pos int) int {
	if p.window == 0 {
		return 0
	}
	return max(0, pos+1-p.window)
}

// number gives every row its records and returns how many there are.
func (p *attendPlan) number(spans []span, rows int) int {
	p.parts = append(p.parts[:0], make([]attend.AttendParts, rows)...)
	records := 0
	for _, s := range spans {
		for i := range s.rows {
			chunk := p.chunk(s.pos + i)
			first := p.first(s.pos+i) / chunk
			count := (s.pos+i)/chunk - first + 1
			p.parts[s.row+i] = attend.AttendParts{First: int32(records), Count: int32(count), Chunk: int32(first)}
			records += count
		}
	}
	return records
}

// cut adds the items of a span from a chunk on.
func (p *attendPlan) cut(s span, from int) {
	for at := 0; at < s.rows; {
		low := s.pos + at
		chunk, n := p.chunk(low), 1
		for n < p.each && at+n < s.rows && p.chunk(low+n) == chunk {
			n++
		}
		for c := max(from, p.first(low)/chunk); c*chunk < low+n; c++ {
			// Of these rows, those that see any of the chunk.
			begin, last := max(low, c*chunk), low+n-1
			for p.first(last) >= (c+1)*chunk {
				last--
			}
			p.items = append(p.items, attend.AttendItem{List: int32(s.row + begin - s.pos), Rows: int32(last - begin + 1),
				From: int32(max(c*chunk, p.first(begin)&^63)), To: int32(min(last+1, (c+1)*chunk)),
				Cells: int32(s.at), Fresh: int32(s.pos), FreshRow: int32(s.row), Chunk: int32(c)})
		}
		at += n
	}
}

// share adds the items of spans, so that cells that several of them begin with are read
// once for all. Only spans whose rows are cut alike can share.
func (p *attendPlan) share(spans []span) {
	for len(spans) > 0 {
		chunk := p.chunk(spans[0].pos)
		n := toFront(spans, func(s span) bool { return p.chunk(s.pos) == chunk && p.chunk(s.pos+s.rows-1) == chunk })
		if n == 0 {
			p.cut(spans[0], 0)
			n = 1
		} else {
			p.together(spans[:n], 0, chunk)
		}
		spans = spans[n:]
	}
}

// together adds the items of spans that have all cells before chunk c in common.
func (p *attendPlan) together(spans []span, c, chunk int) {
	list := -1 // where all their rows are
	for len(spans) > 1 {
		first := spans[0]
		if (c+1)*chunk > first.pos {
			p.cut(first, c)
			spans, list = spans[1:], -1
			continue
		}
		n := toFront(spans, func(s span) bool {
			return (c+1)*chunk <= s.pos && slices.Equal(s.cells[c*chunk:(c+1)*chunk], first.cells[c*chunk:(c+1)*chunk])
		})
		if n < len(spans) {
			p.together(spans[n:], c, chunk)
			spans, list = spans[:n], -1
			continue
		}
		if list < 0 {
			list = len(p.list)
			for _, s := range spans {
				for i := range s.rows {
					p.list = append(p.list, int32(s.row+i))
				}
			}
		}
		for at := list; at < len(p.list); at += p.each {
			p.items = append(p.items, attend.AttendItem{List: int32(at), Rows: int32(min(p.each, len(p.list)-at)),
				From: int32(c * chunk), To: int32((c + 1) * chunk), Cells: int32(first.at), Fresh: math.MaxInt32, Chunk: int32(c)})
		}
		c++
	}
	for _, s := range spans {
		p.cut(s, c)
	}
}

// toFront moves the spans that f holds for to the front and returns how many they are.
func toFront(spans []span, f func(span) bool) int {
	n := 0
	for i := range spans {
		if f(spans[i]) {
			spans[n], spans[i] = spans[i], spans[n]
			n++
		}
	}
	return n
}
