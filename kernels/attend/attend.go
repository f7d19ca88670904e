package attend

import (
	"fmt"

	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/rowwise"
)

// AttendArgs is the shape of softmax attention. Query head h uses key head
// h*KVHeads/Heads.
type AttendArgs struct {
	Heads, KVHeads, KeyDim, ValueDim int
	// Scale multiplies the scores; SoftCap, if not 0, then bounds them to
	// SoftCap*tanh(score/SoftCap).
	Scale, SoftCap float32
	// Window, if not 0, leaves a row the last Window positions, its own included.
	Window int
	// Full lets a row see all of its sequence's cells, later ones too, up to
	// Window back.
	Full bool
}

// AttendSeq is one sequence's part in a step: rows First to First+Count, of which
// the first is at position Pos. Cells[p] is the cell of position p, up to the last
// row's. A row sees the cells up to its own position.
type AttendSeq struct {
	First, Count int
	Pos          int32
	Cells        []int32
}

// cells are those up to the last row's.
func (s *AttendSeq) cells() []int32 { return s.Cells[:int(s.Pos)+s.Count] }

// AttendIO is what one layer's attention reads and writes: row r's heads are at
// Q[r*QStride:], its results at Out[r*OutStride:], both head after head.
type AttendIO struct {
	KV                 *KV
	Q, Out             []float32
	QStride, OutStride int
	// Sinks, if not nil, has one more score a head; it takes part in the softmax
	// and has no value.
	Sinks []float32
}

// Positions are cut into splits at multiples of splitPositions, counted from the
// sequence's start, and splits into blocks. A row's softmax goes over the blocks of
// a split in order, then over the splits in order. That order is the same whether a
// row comes alone or among others and on how many workers, and so are its bits.
const (
	blockPositions = 64
	splitPositions = 256
	// attendRows is about how many pairs of row and head share a block's keys.
	attendRows = 64
	// unseen stands for the largest score while there is none. It is finite, so
	// that the exponential of a difference is 0 or 1 and never undefined.
	unseen = -3e38
)

// AttendPlan spreads the attention of a step over workers. It belongs to one
// executor and is used again from step to step; layers of the same AttendArgs
// share one Prepare. After Prepare, each of the units is Run once, in any order
// and on any workers; after all of them, each of the merges is done once.
type AttendPlan struct {
	args    AttendArgs
	seqs    []AttendSeq
	group   int // query heads a key head
	units   []attendUnit
	merges  []attendTile
	scratch []attendScratch // one a worker
	parts   []float32       // the states of unmerged splits
}

// attendTile is a run of a sequence's rows with the query heads of one key head.
type attendTile struct {
	seq, row, rows, kvHead int
	// split counts from the sequence's start; splits are what the tile sees.
	split, splits int
	// part is where the first split's state begins in parts, or -1: then the unit
	// merges by itself.
	part int
}

// attendUnit is some of a tile's splits; if not all, the tile is in merges.
type attendUnit struct {
	attendTile
	from, to int // splits, counted from the sequence's start
}

// NewAttendPlan makes a plan for a number of workers.
func NewAttendPlan(workers int) *AttendPlan {
	return &AttendPlan{scratch: make([]attendScratch, workers)}
}

// Prepare plans the attention of seqs. The plan keeps seqs until the next Prepare.
func (p *AttendPlan) Prepare(args AttendArgs, seqs []AttendSeq) {
	if args.KVHeads < 1 || args.Heads%args.KVHeads != 0 {
		panic(fmt.Sprintf("attend: AttendPlan of %d heads over %d", args.Heads, args.KVHeads))
	}
	p.args, p.group = args, args.Heads/args.KVHeads
	p.seqs = append(p.seqs[:0], seqs...)
	p.units, p.merges = p.units[:0], p.merges[:0]
	rows := max(1, attendRows/p.group)
	grain := p.grain(rows)
	parts := 0
	for s := range seqs {
		// The last rows see the most: they go first, so that workers end together.
		for end := seqs[s].Count; end > 0; end -= rows {
			row := max(0, end-rows)
			for h := range args.KVHeads {
				parts = p.appendTile(attendTile{seq: s, row: row, rows: end - row, kvHead: h}, grain, parts)
			}
		}
	}
	p.parts = kernels.Grow(p.parts, parts)
	for w := range p.scratch {
		p.scratch[w].placed.seq, p.scratch[w].next = -1, -1
		p.scratch[w].fit(rows*p.group, args.KeyDim, args.ValueDim)
	}
}

// grain is how many splits a unit should have at least: few enough for all workers
// to get several units, which matters when one long sequence is alone.
func (p *AttendPlan) grain(rows int) int {
	const unitsPerWorker = 6
	total := 0
	for s := range p.seqs {
		for end := p.seqs[s].Count; end > 0; end -= rows {
			first, last := p.visible(s, max(0, end-rows), end)
			total += splitsOf(first, last)
		}
	}
	return max(1, total*p.args.KVHeads/(unitsPerWorker*len(p.scratch)))
}

// appendTile adds the units of a tile and returns how long parts is then.
func (p *AttendPlan) appendTile(t attendTile, grain, parts int) int {
	first, last := p.visible(t.seq, t.row, t.row+t.rows)
	t.split, t.splits = first/splitPositions, splitsOf(first, last)
	if t.splits <= grain+grain/2 {
		t.part = -1
		p.units = append(p.units, attendUnit{t, t.split, t.split + t.splits})
		return parts
	}
	t.part = parts
	p.merges = append(p.merges, t)
	pieces := (t.splits + grain - 1) / grain
	for i := range pieces {
		from, to := i*t.splits/pieces, (i+1)*t.splits/pieces
		p.units = append(p.units, attendUnit{t, t.split + from, t.split + to})
	}
	return parts + t.splits*p.stateSize(&t)
}

// visible returns the positions that some of a sequence's rows row to end see.
func (p *AttendPlan) visible(seq, row, end int) (first, last int) {
	s := &p.seqs[seq]
	first, _ = p.window(s, row)
	_, last = p.window(s, end-1)
	return first, last
}

// window returns the positions that a row sees.
func (p *AttendPlan) window(s *AttendSeq, row int) (first, last int) {
	pos := int(s.Pos) + row
	last = pos + 1
	if p.args.Full {
		last = int(s.Pos) + s.Count
	}
	if p.args.Window > 0 {
		first = max(0, pos+1-p.args.Window)
	}
	return first, last
}

func splitsOf(first, last int) int {
	return (last-1)/splitPositions - first/splitPositions + 1
}

// Units is how many units Run takes.
func (p *AttendPlan) Units() int { return len(p.units) }

// Merges is how many merges are left when all units were run; often there are none.
func (p *AttendPlan) Merges() int { return len(p.merges) }

// Run does one unit for a layer. Units run at the same time on different workers.
func (p *AttendPlan) Run(io *AttendIO, unit, worker int) {
	u := &p.units[unit]
	s := &p.scratch[worker]
	rows, stride := u.rows*p.group, roundUp(p.args.ValueDim, kernels.VectorWidth)
	p.loadQueries(io, s, &u.attendTile)
	next := s.next
	s.next = -1
	total := stateOver(s.total, rows, stride)
	for split := u.from; split < u.to; split++ {
		if split == u.to-1 {
			s.next = next
		}
		switch {
		case u.part >= 0:
			p.runSplit(io.KV, s, stateOver(p.part(&u.attendTile, split-u.split), rows, stride), &u.attendTile, split)
		case u.splits == 1: // merging it into nothing would change nothing
			p.runSplit(io.KV, s, total, &u.attendTile, split)
		default:
			state := stateOver(s.split, rows, stride)
			p.runSplit(io.KV, s, state, &u.attendTile, split)
			total.merge(state)
		}
	}
	s.next = -1
	if u.part < 0 {
		p.finish(io, total, &u.attendTile)
	}
}

// Next says, before a worker runs a unit, which it runs after that: the last of the one
// brings the first cells of the other closer.
func (p *AttendPlan) Next(unit, worker int) { p.scratch[worker].next = unit }

// Merge does one merge for a layer. Merges run at the same time on different workers.
func (p *AttendPlan) Merge(io *AttendIO, merge, worker int) {
	t := &p.merges[merge]
	rows, stride := t.rows*p.group, roundUp(p.args.ValueDim, kernels.VectorWidth)
	total := stateOver(p.scratch[worker].total, rows, stride)
	for i := range t.splits {
		total.merge(stateIn(p.part(t, i), rows, stride))
	}
	p.finish(io, total, t)
}

// stateSize is the room that the state of a tile's split takes.
func (p *AttendPlan) stateSize(t *attendTile) int {
	return t.rows * p.group * (roundUp(p.args.ValueDim, kernels.VectorWidth) + 2)
}

// part is the memory of a tile's i-th split.
func (p *AttendPlan) part(t *attendTile, i int) []float32 {
	n := p.stateSize(t)
	return p.parts[t.part+i*n:][:n]
}

// finish adds the sinks and writes a tile's rows.
func (p *AttendPlan) finish(io *AttendIO, total attendState, t *attendTile) {
	dim := p.args.ValueDim
	for i := range t.rows * p.group {
		row, head := p.seqs[t.seq].First+t.row+i/p.group, t.kvHead*p.group+i%p.group
		scale := 1 / total.sum[i]
		if io.Sinks != nil {
			// As if one more split had the sink for its only score.
			top := max(total.top[i], io.Sinks[head])
			mine := rowwise.Exp(total.top[i] - top)
			scale = mine / (total.sum[i]*mine + rowwise.Exp(io.Sinks[head]-top))
		}
		rowwise.Scale(io.Out[row*io.OutStride+head*dim:][:dim], total.out[i*total.stride:][:dim], scale)
	}
}
