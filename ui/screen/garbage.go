package screen

import (
	"runtime"
	"runtime/metrics"
	"sync/atomic"
)

// garbage is collected between frames, behind one that shows a key if there are any, since
// nobody presses the next one at once. Left to itself the runtime begins in the midst of a
// frame, where memory is asked for, and takes the processors from it, and from a key that
// waits for it.
type garbage struct {
	heap    [3]metrics.Sample // bytes in use, those that outlived the last collection, and the goal at which the runtime begins
	running atomic.Bool
}

func newGarbage() *garbage {
	return &garbage{heap: [...]metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/live:bytes"}, {Name: "/gc/heap/goal:bytes"},
	}}
}

// collect begins a collection where of what may come until the goal three quarters have
// come, behind a key one.
func (g *garbage) collect(key bool) {
	metrics.Read(g.heap[:])
	used, lived, goal := g.heap[0].Value.Uint64(), g.heap[1].Value.Uint64(), g.heap[2].Value.Uint64()
	quarters := uint64(3)
	if key {
		quarters = 1
	}
	if goal < lived || used < lived+(goal-lived)/4*quarters || !g.running.CompareAndSwap(false, true) {
		return
	}
	go func() {
		runtime.GC()
		g.running.Store(false)
	}()
}
