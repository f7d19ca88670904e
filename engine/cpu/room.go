package cpu

import (
	"math"

	"github.com/confab-tui/confab/engine/model"
	"github.com/confab-tui/confab/kernels/attend"
)

// room has memory found for cells before they are wanted. The system finds it chunk by chunk when the
// first cell is stored, for all layers in the same step: of a 0.6B model every 1,024 cells 112 MB, for
// which one token of an answer would wait 30 to 400 ms.
type room struct {
	kv    []*attend.KV
	cells int
	// top is above every cell that was stored.
	top int
	// ready is how many chunks of each have memory.
	ready []int
}

func newRoom(kv []*attend.KV, cells int) *room {
	return &room{kv: kv, cells: cells, ready: make([]int, len(kv))}
}

// reach takes note of a step's rows. While the second half of a chunk fills up, one cache after
// the other gets the next one.
func (r *room) reach(rows []model.Row) {
	for _, row := range rows {
		r.top = max(r.top, int(row.Cell)+1)
	}
	for i, kv := range r.kv {
		r.fill(i, kv.Chunk()/2*(len(r.kv)-i)/len(r.kv))
	}
}

// more does a piece of what reach would do later, and says whether there was one.
func (r *room) more() bool {
	for i, kv := range r.kv {
		if r.fill(i, kv.Chunk()/2) {
			return true
		}
	}
	return false
}

// fill gives a cache its next chunk if that has one of the next lead cells. Chunks that
// cells were stored in have memory.
func (r *room) fill(i, lead int) bool {
	chunk := r.kv[i].Chunk()
	next := max(r.ready[i], (r.top+chunk-1)/chunk)
	if next*chunk >= min(r.top+lead, r.cells) {
		return false
	}
	r.ready[i] = next + 1
	if !r.kv[i].Populate(next) {
		r.ready[i] = math.MaxInt / chunk
	}
	return true
}
