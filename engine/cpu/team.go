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

// fetcher is a phase that can bring a unit's data closer. Its units are taken one ahead.
type fetcher interface{ fetch(unit, worker int) }

// team is the executor's workers. The caller of run is worker 0, the others are
// goroutines that live as long as the team:
//
//	take a unit -> run it -> take another .. none left -> report what was run
//	     ^                                                  |           \-> all were run: open the next phase
//	     \------------- a phase was opened <- wait: spin, then sleep
//
// A phase ends when its units were run, not when all workers have come: one that the system
// keeps off the processor holds nobody up unless it is in the middle of a unit.
// Whoever opens a phase of a single unit runs it on the spot. Between runs the
// workers wait in the same place; nobody spins for longer than spins.
type team struct {
	// idle is called by a worker before it waits for the end of a phase it worked in.
	idle   func(phase, worker int)
	phases []phase
	at     int // the open phase
	seq    uint64
	// failed is the first panic of a unit. It ends the run, whose caller panics with it.
	failed atomic.Pointer[failure]

	_ [64]byte
	// ticket says which opening this is, how many units it has and which is the next
	// to take. It is stored last in an opening, so that who takes a unit sees at.
	ticket atomic.Uint64
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

// A ticket is seq, count and next unit, from the high bits down. Between runs count is 0.
const (
	ticketBits = 20
	ticketMask = 1<<ticketBits - 1
	ticketSeq  = 2 * ticketBits
)

// spins is how often a waiting worker looks before it sleeps: some 100 microseconds.
const spins = 2000

func newTeam(n int, idle func(phase, worker int)) *team {
	t := &team{idle: idle}
	t.wake.L = &t.mutex
	for w := 1; w < n; w++ {
		t.done.Add(1)
		go func() {
			defer t.done.Done()
			debug.SetPanicOnFault(true) // a model's file may be cut short under its mapping
			t.work(w)
		}()
	}
	return t
}

// run runs the phases in order, on all workers, and returns when they have ended. It panics
// where a unit did; the team can run again.
func (t *team) run(phases []phase) {
	t.phases, t.at = phases, -1
	t.open()
	t.work(0)
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
	t.publish(0)
	t.done.Wait()
}

// work takes part in phases. Worker 0 returns at the end of a run, the others when the
// team closes.
func (t *team) work(worker int) {
	ran, at := int64(0), 0
	for {
		now := t.ticket.Add(1) - 1
		count, unit := int64(now>>ticketBits&ticketMask), int64(now&ticketMask)
		if unit < count {
			at = t.at
			ran += t.take(at, int(unit), worker)
			continue
		}
		if ran > 0 {
			last := t.ran.Add(ran) == count
			ran = 0
			if last {
				t.open()
				continue
			}
			t.idle(at, worker)
		}
		if count == 0 && (worker == 0 || t.closed.Load()) {
			return
		}
		t.wait(now >> ticketSeq)
	}
}

// take runs a unit, and where the phase fetches, more of them, each taken before the one that
// comes first is run.
func (t *team) take(at, unit, worker int) (ran int64) {
	p := t.phases[at]
	f, ok := p.(fetcher)
	if !ok {
		t.runUnit(p, unit, worker)
		return 1
	}
	for {
		now := t.ticket.Add(1) - 1
		next := now & ticketMask
		more := next < now>>ticketBits&ticketMask
		if more {
			f.fetch(int(next), worker)
		}
		t.runUnit(p, unit, worker)
		ran++
		if !more {
			return ran
		}
		unit = int(next)
	}
}

// runUnit runs a unit. One that panics counts as run, so that all workers meet.
func (t *team) runUnit(p phase, unit, worker int) {
	try(&t.failed, func() { p.run(unit, worker) })
}

// open goes on to the next phase with units for several workers, running what has one
// unit. No unit is running elsewhere when it is called.
func (t *team) open() {
	for t.at++; t.at < len(t.phases) && t.failed.Load() == nil; t.at++ {
		n := t.phases[t.at].units()
		if n > ticketMask/2 {
			panic("cpu: a phase has too many units")
		}
		if n > 1 {
			t.publish(n)
			return
		}
		if n == 1 {
			t.runUnit(t.phases[t.at], 0, 0)
		}
	}
	t.publish(0)
}

// publish opens a phase of n units, or ends the run where n is 0, and wakes who sleeps.
func (t *team) publish(n int) {
	t.seq++
	t.ran.Store(0)
	t.ticket.Store(t.seq<<ticketSeq | uint64(n)<<ticketBits)
	if t.asleep.Load() > 0 {
		t.mutex.Lock()
		t.wake.Broadcast()
		t.mutex.Unlock()
	}
}

// wait returns once another phase was opened than that of the ticket seen.
func (t *team) wait(seen uint64) {
	for range spins {
		if t.ticket.Load()>>ticketSeq != seen {
			return
		}
		pause()
	}
	t.mutex.Lock()
	t.asleep.Add(1)
	for t.ticket.Load()>>ticketSeq == seen {
		t.wake.Wait()
	}
	t.asleep.Add(-1)
	t.mutex.Unlock()
}
