package engine

import (
	"errors"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/confab-tui/confab/engine/kv"
)

// ErrClosed is the error of streams that Close ended.
var ErrClosed = errors.New("engine: closed")

// inbox is what the loop is to do between two steps. Anyone may post.
type inbox struct {
	mu     sync.Mutex
	posts  []func()
	refuse error         // why nothing is taken any more
	wake   chan struct{} // has a value where the loop should look
}

// post hands work to the loop, or says why the loop is over.
func (b *inbox) post(work func()) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.refuse != nil {
		return b.refuse
	}
	b.posts = append(b.posts, work)
	b.nudge()
	return nil
}

func (b *inbox) nudge() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// wait returns when something comes in, or after a time.
func (b *inbox) wait(most time.Duration) {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-b.wake:
	case <-timer.C:
	}
}

// take gives the work that came first, nil where there is none. One at a time: what
// comes after work that panics is still there for die.
func (b *inbox) take() func() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.posts) == 0 {
		return nil
	}
	work := b.posts[0]
	b.posts = b.posts[1:]
	return work
}

func (b *inbox) close(why error) []func() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.refuse == nil {
		b.refuse = why
	}
	posts := b.posts
	b.posts = nil
	return posts
}

// live makes the executor and runs the loop, all on one thread: a device may mind
// who calls it.
func (e *Engine) live(place func(*Engine) (executor, error), placed chan<- error) {
	runtime.LockOSThread()
	debug.SetPanicOnFault(true) // the model's file may be cut short under its mapping
	defer close(e.stopped)
	var exec executor
	err := guarded(func() (err error) {
		exec, err = place(e)
		return err
	})
	if err != nil {
		placed <- blame(e.file, err)
		return
	}
	e.exec, e.pool = exec, kv.New(exec.Cells())
	e.slots = newSlots(exec, e.pool)
	if p, ok := exec.(poisoner); ok && kv.Invariants {
		e.pool.Freed = p.Poison
	}
	placed <- nil
	e.loop()
	if crashed := (*crash)(nil); errors.As(e.dead, &crashed) {
		return // what its workers are doing nobody knows
	}
	e.freed = exec.Close()
}

// loop owns the executor and the pool until the engine is closed or dead.
func (e *Engine) loop() {
	err := guarded(e.rounds)
	e.die(blame(e.file, err))
}

// rounds is the loop itself; the error is why it is over.
func (e *Engine) rounds() error {
	for {
		parts, rest, closing := e.prepare()
		switch {
		case closing:
			return ErrClosed
		case len(parts) == 0 && rest > 0:
			if i, ok := e.exec.(idler); !ok || !i.Idle() {
				e.inbox.wait(rest)
			}
		case len(parts) == 0: // everybody in the plan was paused: plan again
		default:
			if err := e.look(); err != nil {
				return lost{err}
			}
			if err := e.step(parts); err != nil {
				return err
			}
		}
	}
}

// lookEvery is the time between two looks at the model's file while steps run.
const lookEvery = 100 * time.Millisecond

// look tells where the model's file is no longer what was opened.
func (e *Engine) look() error {
	file, ok := e.file.(interface{ Changed() error })
	if !ok || time.Since(e.looked) < lookEvery {
		return nil
	}
	e.looked = time.Now()
	return file.Changed()
}

// prepare is the part of a turn in front of the executor's: requests, cancels,
// admission, schedule. Where it plans nothing, rest is how long that will last
// unless something comes in.
func (e *Engine) prepare() (parts []part, rest time.Duration, closing bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for work := e.inbox.take(); work != nil; work = e.inbox.take() {
		work()
	}
	if e.closing {
		return nil, 0, true
	}
	for _, a := range slices.Clone(e.answers) {
		if _, cancelled := a.stream.wishes(); cancelled {
			e.finish(a, ReasonCancel, nil)
		}
	}
	e.admit()
	parts = e.plan()
	e.emit()
	if e.running() == 0 {
		return parts, math.MaxInt64, false
	}
	return parts, e.rest(time.Now()), false
}

// step runs what was planned and takes the results in. A step that fails is run
// again one sequence at a time, so that only those end that must; where recurrent
// layers may have moved on, that cannot be. The error is one after which nothing
// can run.
func (e *Engine) step(parts []part) error {
	input := e.assemble(parts)
	began := time.Now()
	result, err := execute(e.exec, input)
	took := time.Since(began)

	switch {
	case err != nil && isFatal(err):
		return err
	case err != nil && len(parts) > 1 && e.slots == nil:
		for _, p := range parts {
			if err := e.step([]part{p}); err != nil {
				return err
			}
		}
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if err != nil {
		for _, p := range parts {
			e.finish(p.a, ReasonError, err)
		}
		return nil
	}
	e.measure(parts, len(input.Rows), took)
	e.commit(parts, result)
	e.emit()
	return nil
}

// measure learns from what a step cost.
func (e *Engine) measure(parts []part, rows int, took time.Duration) {
	e.pace.note(parts, took)
	e.figures.step(rows)
	for _, p := range parts {
		if p.n > 1 {
			return
		}
	}
	e.worth.note(rows, took)
}

// emit tells every stream what this turn brought.
func (e *Engine) emit() {
	for _, a := range e.answers {
		a.tell()
	}
}

// tell adds this turn's event to the stream, where anything happened.
func (a *answer) tell() {
	event := a.event
	a.event = Event{}
	event.State, event.Counts = a.state, a.counts
	quiet := event.State == a.told.State && event.Counts == a.told.Counts && event.End == nil &&
		len(event.Tokens) == 0 && event.Text == "" && event.Thinking == "" && event.Dropped == 0
	if quiet {
		return
	}
	a.told = Event{State: event.State, Counts: event.Counts}
	a.stream.add(event)
}

// finish ends an answer: its cells become a cached prefix. It is among the answers until
// its stream has ended, so that die ends it where this breaks off.
func (e *Engine) finish(a *answer, reason Reason, err error) {
	if a.running() {
		e.leave(a, reason == ReasonError)
	}
	a.end(reason, err)
	e.answers = slices.DeleteFunc(e.answers, func(b *answer) bool { return a == b })
}

// end tells the stream how it ended; nothing may follow.
func (a *answer) end(reason Reason, err error) {
	a.ended = true
	a.clock(time.Now())
	a.state, a.counts.WaitingFor = StateEnded, 0
	end := &End{Reason: reason, Err: err, Seed: a.seed}
	if a.voice != nil {
		a.voice.close(&a.event, reason == ReasonStop)
		end.Message = a.voice.message(reason != ReasonStop)
	}
	end.Counts = a.counts
	a.event.End = end
	a.tell()
	if a.unwatch != nil {
		a.unwatch()
	}
}

// die ends every stream and refuses new ones. The pool is not touched: it may be
// what broke.
func (e *Engine) die(why error) {
	for _, work := range e.inbox.close(why) {
		e.mourn(work)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.dead = why
	for _, a := range e.answers {
		a.lastWords(why)
	}
	e.answers, e.rota = nil, nil
}

// lastWords ends an answer that the loop does not run any more, with whatever can
// still be said of it.
func (a *answer) lastWords(why error) {
	reason := ReasonError
	if errors.Is(why, ErrClosed) {
		reason = ReasonCancel
	}
	defer func() {
		if recover() != nil { // its own state is what broke
			a.voice, a.event = nil, Event{}
			a.end(reason, why)
		}
	}()
	a.seq = nil
	a.end(reason, why)
}

// mourn lets work that came too late join the answers that die ends. That it panics
// changes nothing any more: the answer joins them before anything else.
func (e *Engine) mourn(work func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	_ = guarded(func() error { work(); return nil })
}
