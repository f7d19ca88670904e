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
	if n := left(r); n != len(kvs) {
		t.Errorf("there are %d pieces to do at first, want one chunk of each", n)
	}
	stored(5, 1, 1, 1, 1)
	stored(511, 1, 1, 1, 1)
	stored(512, 2, 1, 1, 1)
	stored(700, 2, 2, 1, 1)
	stored(3, 2, 2, 1, 1)
	if n := left(r); n != 2 {
		t.Errorf("%d pieces are left to do when there is time, want 2", n)
	}
	stored(2000, 3, 3, 3, 3) // the last one, which is cut short
	stored(2499, 3, 3, 3, 3)
	if n := left(r); n != 0 {
		t.Errorf("%d pieces are left at the end", n)
	}
	r = newRoom(kvs, cells)
	stored(600, 2, 0, 0, 0) // which found the memory of the first chunk itself
}

// left does all there is to do, and says how many pieces it was.
func left(r *room) int {
	n := 0
	for r.more() {
		n++
	}
	return n
}

// TestRoomWithout: where memory cannot be found early, nothing is tried again.
func TestRoomWithout(t *testing.T) {
	r := newRoom([]*attend.KV{attend.NewKV(100, 1, 16, 16, false)}, 100) // less than a huge page
	if n := left(r); n != 1 {
		t.Errorf("it is tried %d times", n)
	}
	r.reach([]model.Row{{Cell: 90}})
	if left(r) != 0 {
		t.Error("it is tried again")
	}
}

// Steps say which cells they store.
func TestStepsReach(t *testing.T) {
	e := tiny(t, tinyLlama, 1)
	s := newSequence(20)
	if _, err := e.Run(s.step(someTokens(20, e.program.Spec.Vocab), 19)); err != nil {
		t.Fatal(err)
	}
	if want := int(slices.Max(s.cells)) + 1; e.room.top != want {
		t.Errorf("after a step the cells below %d count as stored, want %d", e.room.top, want)
	}
}
