package screen

import (
	"runtime"
	"testing"
	"time"
)

// TestGarbage: behind a frame there is a collection once enough has come, behind a key sooner.
func TestGarbage(t *testing.T) {
	g := newGarbage()
	begins := func(key bool) bool {
		g.collect(key)
		began := g.running.Load()
		for g.running.Load() {
			time.Sleep(time.Millisecond)
		}
		return began
	}
	runtime.GC()
	if begins(true) {
		t.Error("nothing has come, and it is collected")
	}
	room := g.heap[2].Value.Uint64() - g.heap[1].Value.Uint64()
	kept := make([]byte, room/2)
	if begins(false) {
		t.Error("it is collected at half of the room, without a key")
	}
	if !begins(true) {
		t.Error("it is not collected behind a key, at half of the room")
	}
	runtime.KeepAlive(kept)
}
