package cpu

import (
	"slices"
	"testing"

	"github.com/confab-tui/confab/engine/model"
	"github.com/confab-tui/confab/kernels/attend"
)

// TestRoom: chunks get memory one after the other while those in front of them fill up, and when there
// is time.
func TestRoom(t *testing.T) {
	const cells = 2500
	var kvs []*attend.KV
	for range 4 {
		kvs = append(kvs, attend.NewKV(cells, 8, 128, 128, false))
	}
	if kvs[0].Chunk() != 1024 {
		t.Fatalf("a chunk has %d cells", kvs[0].Chunk())
	}
	if !kvs[0].Populate(0) {
		t.Skip("this system does not populate memory on demand")
	}
	r := newRoom(kvs, cells)
	stored := func(cell int32, want ...int) {
		t.Helper()
		r.reach([]model.Row{{Cell: cell}, {Cell: 0}})
		if !slices.Equal(r.ready, want) {
			t.Errorf("after cell %d %v chunks are ready, want %v", cell, r.ready, want)
		}
	}
	for range kvs {
		if !r.more() {
			t.Error("there is nothing to do at first")
		}
	}
	if r.more() {
		t.Error("there is more to do than one chunk of each")
	}
	stored(5, 1, 1, 1, 1)
	stored(511, 1, 1, 1, 1)
	stored(512, 2, 1, 1, 1)
	stored(700, 2, 2, 1, 1)
	stored(3, 2, 2, 1, 1)
	if !r.more() || !r.more() || r.more() {
		t.Errorf("what was left is not done when there is time: %v", r.ready)
	}
	stored(2000, 3, 3, 3, 3) // the last one, which is cut short
	stored(2499, 3, 3, 3, 3)
	if r.more() {
		t.Error("there is more to do at the end")
	}
}

// TestRoomWithout: where memory cannot be found early, nothing is tried again.
func TestRoomWithout(t *testing.T) {
	r := newRoom([]*attend.KV{attend.NewKV(100, 1, 16, 16, false)}, 100) // less than a huge page
	if !r.more() || r.more() {
		t.Error("it is not tried once")
	}
	r.reach([]model.Row{{Cell: 90}})
	if r.more() {
		t.Error("it is tried again")
	}
}
