package attend

import (
	"math/bits"

	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/rowwise"
)

// attendScratch is one worker's room for a tile. Widths of out and values are
// rounded up to whole vectors.
type attendScratch struct {
	queries []float32 // [rows][KeyDim], scaled
	keys    []float32 // [KeyDim][blockPositions], so that a vector holds one dimension of many keys
	values  []float32 // [blockPositions][stride]
	scores  []float32 // [rows][blockPositions]
	shrink  []float32 // [rows], what a new largest score leaves of the sums so far
	masks   []uint64  // [rows], the positions of the block that a row sees
	split   []float32 // two states
	total   []float32
	placed  placedCells
	next    int // the unit that is run after the split at hand, or -1
	// Cells of a block at hand and of the next, where they are not in a row of places.
	block, ahead blockCells
}

func (s *attendScratch) fit(rows, keyDim, valueDim int) {
	rows = max(rows, attendCellsRows)
	stride := roundUp(valueDim, kernels.VectorWidth)
	s.queries = kernels.Grow(s.queries, rows*keyDim)
	s.keys = kernels.Grow(s.keys, roundUp(keyDim, kernels.VectorWidth)*blockPositions)
	s.values = kernels.Grow(s.values, blockPositions*stride)
	s.scores = kernels.Grow(s.scores, rows*blockPositions)
	s.shrink = kernels.Grow(s.shrink, rows)
	s.split = kernels.Grow(s.split, rows*(stride+2))
	s.total = kernels.Grow(s.total, rows*(stride+2))
	if len(s.masks) < rows {
		s.masks = make([]uint64, rows)
	}
}

// attendState is a softmax under way for a tile's rows: out and sum are relative
// to exp(top).
type attendState struct {
	out      []float32 // [rows][stride]
	top, sum []float32 // [rows]
	stride   int
}

// stateOver lays a state out over memory and clears it.
func stateOver(memory []float32, rows, stride int) attendState {
	n := rows * stride
	s := attendState{out: memory[:n], top: memory[n : n+rows], sum: memory[n+rows : n+2*rows], stride: stride}
	clear(s.out)
	clear(s.sum)
	for i := range s.top {
		s.top[i] = unseen
	}
	return s
}

// stateIn finds the state that stateOver laid out.
func stateIn(memory []float32, rows, stride int) attendState {
	n := rows * stride
	return attendState{out: memory[:n], top: memory[n : n+rows], sum: memory[n+rows : n+2*rows], stride: stride}
}

// merge takes the scores of another state into this one.
func (s *attendState) merge(other attendState) {
	if s.mergeFast(other) {
		return
	}
	for i, top := range other.top {
		largest := max(s.top[i], top)
		mine, its := rowwise.Exp(s.top[i]-largest), rowwise.Exp(top-largest)
		s.top[i] = largest
		s.sum[i] = s.sum[i]*mine + other.sum[i]*its
		row := s.out[i*s.stride : (i+1)*s.stride]
		for d, v := range other.out[i*s.stride : (i+1)*s.stride] {
			row[d] = row[d]*mine + v*its
		}
	}
}

// loadQueries gathers and scales a tile's queries.
func (p *AttendPlan) loadQueries(io *AttendIO, s *attendScratch, t *attendTile) {
	dim := p.args.KeyDim
	for i := range t.rows * p.group {
		row, head := p.seqs[t.seq].First+t.row+i/p.group, t.kvHead*p.group+i%p.group
		rowwise.Scale(s.queries[i*dim:][:dim], io.Q[row*io.QStride+head*dim:][:dim], p.args.Scale)
	}
}

// placedCells are the places of a sequence's cells in the KVs of one shape.
type placedCells struct {
	seq, heads, shift int
	places            []int32
}

func (c *placedCells) of(kv *KV, seq int, cells []int32) []int32 {
	if c.seq != seq || c.heads != kv.heads || c.shift != kv.shift {
		c.seq, c.heads, c.shift, c.places = seq, kv.heads, kv.shift, c.places[:0]
		for _, cell := range cells {
			c.places = append(c.places, kv.place(cell))
		}
	}
	return c.places
}

// runSplit adds a split's scores to a cleared state.
func (p *AttendPlan) runSplit(kv *KV, s *attendScratch, state attendState, t *attendTile, split int) {
	seq := &p.seqs[t.seq]
	first, last := p.visible(t.seq, t.row, t.row+t.rows)
	first, last = max(first, split*splitPositions), min(last, (split+1)*splitPositions)
	rows := t.rows * p.group
	places := s.placed.of(kv, t.seq, seq.cells())
	for start := first &^ (blockPositions - 1); start < last; start += blockPositions {
		end := min(start+blockPositions, last)
		from := max(first, start)
		p.mask(s.masks[:rows], seq, t, start)
		cells, at := places[from:end], from-start
		if !kv.attendCellScoresFast(s.scores, s.queries, t.kvHead, s.block.of(places, start), at, end-start, rows) {
			kv.turnKeys(s.keys, t.kvHead, cells, at)
			attendScores(s.scores, s.queries, s.keys, rows, p.args.KeyDim)
		}
		attendSoftmax(s.scores, s.masks[:rows], state, s.shrink, p.args.SoftCap)
		ahead := p.following(kv, s, t, places, end, last)
		if !kv.attendCellValuesFast(state.out, s.scores[at:], s.shrink, t.kvHead, cells, rows, ahead) {
			kv.readValues(s.values, t.kvHead, cells)
			attendValues(state.out, s.scores[at:], s.values, s.shrink, rows, len(cells), state.stride)
		}
	}
}

// blockCells are the places of a block's positions.
type blockCells [blockPositions]int32

// of returns the block that begins at a position, in c where places does not have all of it;
// the last one fills it up then.
func (c *blockCells) of(places []int32, start int) *blockCells {
	if start+blockPositions <= len(places) {
		return (*blockCells)(places[start:])
	}
	for j := copy(c[:], places[start:]); j < blockPositions; j++ {
		c[j] = places[len(places)-1]
	}
	return c
}

// cellsAhead are the cells that are read after those at hand, and for which head.
type cellsAhead struct {
	head  int
	block *blockCells
}

// following returns what is read after the block that ends at a position: the next one of the
// split up to last, or the first of the worker's next unit.
func (p *AttendPlan) following(kv *KV, s *attendScratch, t *attendTile, places []int32, end, last int) cellsAhead {
	if end < last || s.next < 0 {
		return cellsAhead{t.kvHead, s.ahead.of(places, min(end, len(places)-1)&^(blockPositions-1))}
	}
	u := &p.units[s.next]
	first, _ := p.visible(u.seq, u.row, u.row+u.rows)
	first = max(first, u.from*splitPositions) &^ (blockPositions - 1)
	if u.seq == t.seq {
		return cellsAhead{u.kvHead, s.ahead.of(places, first)}
	}
	cells := s.ahead.of(p.seqs[u.seq].cells(), first)
	for j, cell := range cells {
		s.ahead[j] = kv.place(cell)
	}
	return cellsAhead{u.kvHead, &s.ahead}
}

// mask sets the positions of a block that each row and head of a tile sees.
func (p *AttendPlan) mask(masks []uint64, seq *AttendSeq, t *attendTile, start int) {
	for r := range t.rows {
		first, last := p.window(seq, t.row+r)
		from, to := max(0, first-start), max(0, min(last-start, blockPositions))
		var mask uint64
		if from < to {
			mask = (^uint64(0) >> (blockPositions - to)) &^ (1<<from - 1)
		}
		for g := range p.group {
			masks[r*p.group+g] = mask
		}
	}
}

// turnKeys writes the keys of cells to columns at and on of dst, which is
// [keyDim][blockPositions]. The other columns get anything finite or not: their
// scores are masked.
func (kv *KV) turnKeys(dst []float32, head int, cells []int32, at int) {
	if kv.turnKeysFast(dst, head, cells, at) {
		return
	}
	for j, cell := range cells {
		from := (head<<kv.shift + int(cell)) * kv.keyStride
		for d := range kv.keyDim {
			if kv.keyFloats != nil {
				dst[d*blockPositions+at+j] = kv.keyFloats[from+d]
			} else {
				dst[d*blockPositions+at+j] = kernels.F16ToF32(kv.keyHalves[from+d])
			}
		}
	}
}

// readValues writes the values of cells to dst, [len(cells)][valueStride].
func (kv *KV) readValues(dst []float32, head int, cells []int32) {
	if kv.readValuesFast(dst, head, cells) {
		return
	}
	for j, cell := range cells {
		from := (head<<kv.shift + int(cell)) * kv.valueStride
		row := dst[j*kv.valueStride : (j+1)*kv.valueStride]
		if kv.valueFloats != nil {
			copy(row, kv.valueFloats[from:])
			continue
		}
		for d := range row {
			row[d] = kernels.F16ToF32(kv.valueHalves[from+d])
		}
	}
}

// attendScores is scores[i][j] = sum over d of queries[i][d] * keys[d][j], added
// in the order of d whatever the width of the implementation.
func attendScores(scores, queries, keys []float32, rows, dim int) {
	if attendScoresFast(scores, queries, keys, rows, dim) {
		return
	}
	for i := range rows {
		row := scores[i*blockPositions : (i+1)*blockPositions]
		clear(row)
		for d, q := range queries[i*dim : (i+1)*dim] {
			for j, k := range keys[d*blockPositions : (d+1)*blockPositions] {
				row[j] += q * k
			}
		}
	}
}

// attendSoftmax turns each row of a block's scores into exp(score-top), 0 where its
// mask has no bit, with the row's largest score so far as the new top of the state.
// It adds them to the sums, and leaves in shrink what the earlier ones were
// multiplied by.
func attendSoftmax(scores []float32, masks []uint64, state attendState, shrink []float32, cap float32) {
	if attendSoftmaxFast(scores, masks, state, shrink, cap) {
		return
	}
	for i, mask := range masks {
		row := scores[i*blockPositions : (i+1)*blockPositions]
		largest := state.top[i]
		for m := mask; m != 0; m &= m - 1 {
			j := bits.TrailingZeros64(m)
			if cap != 0 {
				row[j] = rowwise.SoftCapOf(row[j], cap)
			}
			largest = max(largest, row[j])
		}
		var added float32
		for j := range row {
			if mask>>j&1 == 0 {
				row[j] = 0
				continue
			}
			row[j] = rowwise.Exp(row[j] - largest)
			added += row[j]
		}
		shrink[i] = rowwise.Exp(state.top[i] - largest)
		state.top[i], state.sum[i] = largest, state.sum[i]*shrink[i]+added
	}
}

// attendValues is out[i] = out[i]*shrink[i] + sum over j < n of
// weights[i][j] * values[j], added in the order of j; rows of weights are
// blockPositions apart, those of values and out stride wide.
func attendValues(out, weights, values, shrink []float32, rows, n, stride int) {
	if attendValuesFast(out, weights, values, shrink, rows, n, stride) {
		return
	}
	for i := range rows {
		row := out[i*stride : (i+1)*stride]
		for d := range row {
			row[d] *= shrink[i]
		}
		for j, w := range weights[i*blockPositions:][:n] {
			for d, v := range values[j*stride : (j+1)*stride] {
				row[d] += w * v
			}
		}
	}
}
