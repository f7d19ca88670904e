package cpu

import (
	"fmt"
	"runtime/debug"
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

// fetcher is a phase that can bring a unit's data closer. It is told before a worker runs a
// unit what that worker runs after it.
type fetcher interface{ fetch(unit, worker int) }

// sharer is a phase that says itself which units fall to which worker. A worker's follow
// each other, and those of the worker before.
type sharer interface {
	share(worker int) (from, to int)
}

// team is the executor's workers. The caller of run is worker 0, the others are
// goroutines that live as long as the team:
//
//	take a unit -> run it -> take another .. none left -> report what was run
//	     ^                                                  |           \-> all were run: open the next phase
//	     \------------- a phase was opened <- wait: spin, then sleep
//
// A phase's units are shared out evenly, in order, so that a worker meets the same rows, heads and
// weights from phase to phase and from step to step; who has no more takes the last ones
// of others. A phase ends when its units were run, not when all workers have come: one
// that the system keeps off the processor holds nobody up unless it is in the middle of a unit.
// Whoever opens a phase of a single unit runs it on the spot. Between runs the
// workers wait in the same place; nobody spins for longer than spins.
type team struct {
	// idle is called again and again by a worker that waits for the end of a phase it worked in. It
	// takes so little time that nobody waits for that worker, and says false where it did nothing.
	idle   func(phase, worker int) bool
	phases []phase
	at     int   // the open phase
	count  int64 // its units, and one for opening it: the opener reports that like a unit
	seq    uint64
	// failed is the first panic of a unit. It ends the run, whose caller panics with it.
	failed atomic.Pointer[failure]
	shares []share

	_ [64]byte
	// opened changes with every opening; it is 2 seq, and 1 more between runs.
	opened atomic.Uint64
	_      [56]byte
	// ran counts the units of the open phase that were run and reported.
	ran atomic.Int64
	_   [56]byte

	asleep atomic.Int64
	mutex  sync.Mutex
	wake   sync.Cond
	closed atomic.Bool
	done   sync.WaitGroup
}

// spins is how often a waiting worker looks before it sleeps: some 100 microseconds.
const spins = 2000

func newTeam(n int, idle func(phase, worker int) bool) *team {
	t := &team{idle: idle, shares: make([]share, n)}
	t.opened.Store(1)
	t.wake.L = &t.mutex
	for w := 1; w < n; w++ {
		t.done.Add(1)
		go func() {
			defer t.done.Done()
			debug.SetPanicOnFault(true) // a model's file may be cut short under its mapping
			t.work(w, 0)
		}()
	}
	return t
}

// run runs the phases from one on in order, on all workers, and returns when they have ended.
// It panics where a unit did; the team can run again.
func (t *team) run(phases []phase, from int) {
	t.phases, t.at = phases, from-1
	t.work(0, t.open())
	if f := t.failed.Swap(nil); f != nil {
		panic(f)
	}
}

// failure is a panic on its way from a worker to who called it.
type failure struct {
	what  any
	stack []byte
}

func (f *failure) Error() string { return fmt.Sprint(f.what) }

// Unwrap gives the error that the panic was, such as one of the runtime.
func (f *failure) Unwrap() error {
	err, _ := f.what.(error)
	return err
}

// Stack is where it happened.
func (f *failure) Stack() string { return string(f.stack) }

// try runs a piece of work on any goroutine and keeps its panic where it is the first.
func try(failed *atomic.Pointer[failure], do func()) {
	defer func() {
		if what := recover(); what != nil {
			failed.CompareAndSwap(nil, &failure{what, debug.Stack()})
		}
	}()
	do()
}

// close ends the workers.
func (t *team) close() {
	t.closed.Store(true)
	t.rest()
	t.done.Wait()
}

// work takes part in phases. Worker 0 returns at the end of a run, the others when the
// team closes. The worker has ran units to report.
func (t *team) work(worker int, ran int64) {
	at := -1 // the phase it last worked in
	for {
		now := t.opened.Load()
		if unit, ok := t.claim(worker); ok {
			t.runUnit(t.at, unit, worker)
			ran++
			continue
		}
		if ran > 0 {
			var count int64
			at, count = t.at, t.count
			last := t.ran.Add(ran) == count
			ran = 0
			if last {
				ran = t.open()
				continue
			}
		}
		if now&1 != 0 && (worker == 0 || t.closed.Load()) {
			return
		}
		t.wait(now, at, worker)
	}
}

// claim takes the first unit left of the worker's share, or else the last one of another's.
func (t *team) claim(worker int) (unit int, ok bool) {
	if unit, ok = t.shares[worker].first(); ok {
		return unit, true
	}
	for i := range t.shares {
		if unit, ok = t.shares[(worker+i)%len(t.shares)].last(); ok {
			return unit, true
		}
	}
	return 0, false
}

// runUnit runs a unit, having asked for the data of the next. One that panics counts as run,
// so that all workers meet.
func (t *team) runUnit(at, unit, worker int) {
	p := t.phases[at]
	try(&t.failed, func() {
		if f, ok := p.(fetcher); ok {
			if next, ok := t.shares[worker].peek(); ok {
				f.fetch(next, worker)
			}
		}
		p.run(unit, worker)
	})
}

// open goes on to the next phase with units for several workers, running what has one
// unit, or ends the run. No unit is running elsewhere when it is called. It returns what
// the caller has to report.
func (t *team) open() int64 {
	for t.at++; t.at < len(t.phases) && t.failed.Load() == nil; t.at++ {
		n := t.phases[t.at].units()
		if n > unitMask/2 {
			panic("cpu: a phase has too many units")
		}
		if n > 1 {
			t.publish(n)
			return 1
		}
		if n == 1 {
			t.runUnit(t.at, 0, 0)
		}
	}
	t.rest()
	return 0
}

// publish opens a phase of n units.
func (t *team) publish(n int) {
	t.seq++
	t.count = int64(n) + 1
	t.ran.Store(0)
	s, ok := t.phases[t.at].(sharer)
	for w := range t.shares {
		from, to := n*w/len(t.shares), n*(w+1)/len(t.shares)
		if ok {
			from, to = s.share(w)
		}
		t.shares[w].set(t.seq, from, to)
	}
	t.announce(2 * t.seq)
}

// rest says that no run is under way.
func (t *team) rest() {
	t.seq++
	t.announce(2*t.seq + 1)
}

// announce tells the workers what is open and wakes who sleeps.
func (t *team) announce(opened uint64) {
	t.opened.Store(opened)
	if t.asleep.Load() > 0 {
		t.mutex.Lock()
		t.wake.Broadcast()
		t.mutex.Unlock()
	}
}

// wait returns once something else is open than what was seen. The worker last worked in a
// phase, or in none if that is -1.
func (t *team) wait(seen uint64, phase, worker int) {
	for range spins {
		if t.opened.Load() != seen {
			return
		}
		if phase < 0 || !t.idle(phase, worker) {
			pause()
		}
	}
	t.mutex.Lock()
	t.asleep.Add(1)
	for t.opened.Load() == seen {
		t.wake.Wait()
	}
	t.asleep.Add(-1)
	t.mutex.Unlock()
}
