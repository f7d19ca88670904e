package cpu

import (
	"sync"
	"sync/atomic"
)

// phase is a piece of a step whose units may run in any order, on any worker.
type phase interface {
	// units says how many there are in this step; it is asked once all earlier
	// phases have ended, and not at the same time as anything else.
	units() int
	run(unit, worker int)
}

// team is the executor's workers. The caller of run is worker 0, the others are
// goroutines that live as long as the team:
//
//	take units of the phase -> none left: arrive -> last to arrive? -> open the next phase
//	                                             \-> wait for it: spin, then sleep
//
// Whoever arrives last also runs the phases that have a single unit, so these cost no
// waiting of their own. Between runs the workers wait in the same place, and
// nobody spins for longer than spins.
type team struct {
	n      int
	phases []phase
	at     int // the open phase
	count  int64

	_       [64]byte
	next    atomic.Int64 // the unit to take
	_       [56]byte
	arrived atomic.Int64
	_       [56]byte
	// turn is twice the number of openings so far, plus one between runs. It is
	// written last in an opening, so that who has seen it sees at and count too.
	turn   atomic.Uint64
	_      [56]byte
	asleep atomic.Int64
	mutex  sync.Mutex
	wake   sync.Cond
	closed bool
	done   sync.WaitGroup
}

// spins is how often a waiting worker looks before it sleeps: some 50 microseconds.
const spins = 1000

func newTeam(n int) *team {
	t := &team{n: n}
	t.wake.L = &t.mutex
	t.turn.Store(1)
	for w := 1; w < n; w++ {
		t.done.Add(1)
		go func() {
			defer t.done.Done()
			t.work(w, 1)
		}()
	}
	return t
}

// run runs the phases in order, on all workers, and returns when they have ended.
func (t *team) run(phases []phase) {
	t.phases, t.at = phases, -1
	seen := t.turn.Load()
	t.open()
	t.work(0, seen)
}

// close ends the workers.
func (t *team) close() {
	t.mutex.Lock()
	t.closed = true
	t.mutex.Unlock()
	t.release(t.turn.Load() + 2)
	t.done.Wait()
}

// work takes part in phases, from the first that was opened after the turn seen. Worker
// 0 returns at the end of the run, the others when the team closes.
func (t *team) work(worker int, seen uint64) {
	for {
		seen = t.wait(seen)
		if seen&1 != 0 {
			if worker == 0 || t.closing() {
				return
			}
			continue
		}
		p := t.phases[t.at]
		for u := t.next.Add(1) - 1; u < t.count; u = t.next.Add(1) - 1 {
			p.run(int(u), worker)
		}
		if t.arrived.Add(1) == int64(t.n) {
			t.open()
		}
	}
}

// open goes on to the next phase with work for several, running what has one unit.
// Nobody else is running when it is called.
func (t *team) open() {
	for t.at++; t.at < len(t.phases); t.at++ {
		n := t.phases[t.at].units()
		if n > 1 && t.n > 1 {
			t.count = int64(n)
			t.next.Store(0)
			t.arrived.Store(0)
			t.release((t.turn.Load() | 1) + 1)
			return
		}
		for u := range n {
			t.phases[t.at].run(u, 0)
		}
	}
	t.release((t.turn.Load() + 1) | 1)
}

// release publishes a turn and wakes who sleeps.
func (t *team) release(turn uint64) {
	t.turn.Store(turn)
	if t.asleep.Load() > 0 {
		t.mutex.Lock()
		t.wake.Broadcast()
		t.mutex.Unlock()
	}
}

// wait returns the turn once it is another than the one seen.
func (t *team) wait(seen uint64) uint64 {
	for range spins {
		if now := t.turn.Load(); now != seen {
			return now
		}
		pause()
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.asleep.Add(1)
	for t.turn.Load() == seen {
		t.wake.Wait()
	}
	t.asleep.Add(-1)
	return t.turn.Load()
}

func (t *team) closing() bool {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.closed
}
