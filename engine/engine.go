package engine

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"github.com/confab-tui/confab/engine/kv"
)

// Engine is one open model with its pool of cells.
type Engine struct {
	info  Info
	exec  executor
	words words
	file  io.Closer // the model's, open as long as the executor reads it

	inbox   inbox
	looked  time.Time     // when the loop last looked at the file
	stopped chan struct{} // closed when the loop is over
	freed   error         // how closing the executor went, once stopped
	arrived atomic.Uint64 // answers so far

	// mu guards what follows: the loop holds it while it works, never during a
	// step, so that Stats waits for none.
	mu      sync.Mutex
	closing bool
	dead    error
	pool    *kv.Pool
	slots   *slots
	answers []*answer // those that have not ended, the oldest first
	rota    []*answer // those with prompts to evaluate, in the order of their turns
	pace    pace
	figures figures
	drafter drafter // nil for none
	worth   worth
}

// parts are what an engine is put together from.
type parts struct {
	info    Info
	words   words
	file    io.Closer
	drafter drafter
	eager   bool // draft whatever it costs
	batch   int  // rows of prefill in a step at most, 0 for the usual
	// place makes the executor, on the loop's thread, and tells the engine what it
	// decides.
	place func(*Engine) (executor, error)
}

// start puts an engine together and starts its loop.
func (p parts) start() (*Engine, error) {
	if p.batch <= 0 {
		p.batch = mostRows
	}
	e := &Engine{
		info: p.info, words: p.words, file: p.file, drafter: p.drafter, worth: worth{always: p.eager},
		inbox: inbox{wake: make(chan struct{}, 1)}, stopped: make(chan struct{}),
		pace: pace{limit: min(p.batch, mostRows)},
	}
	placed := make(chan error)
	go e.live(p.place, placed)
	if err := <-placed; err != nil {
		return nil, err
	}
	return e, nil
}

// Info describes the engine.
func (e *Engine) Info() Info { return e.info }

// Generate starts an answer. It never fails: what is wrong with the request, or
// with the engine, is in the stream's End. When ctx is done the stream is
// cancelled.
func (e *Engine) Generate(ctx context.Context, r Request) *Stream {
	a := e.newAnswer(r)
	a.unwatch = context.AfterFunc(ctx, a.stream.Cancel)
	go func() {
		p, err := e.compose(&a.req)
		e.arrive(a, p, err)
	}()
	return a.stream
}

// newAnswer makes the loop's side of a stream.
func (e *Engine) newAnswer(r Request) *answer {
	// The caller's lists may change while the answer runs.
	r.Messages, r.Changes, r.Stop = slices.Clone(r.Messages), slices.Clone(r.Changes), slices.Clone(r.Stop)
	r.Tokens = slices.Clone(r.Tokens)
	a := &answer{
		id: e.arrived.Add(1), req: r, began: time.Now(),
		stream: newStream(r.Sampling, e.inbox.nudge), composing: true, ahead: r.Changes,
	}
	a.knobs = bounded(r.Sampling)
	a.trust.share = fair
	a.seed = uint64(a.knobs.Seed)
	if a.knobs.Seed < 0 {
		a.seed = newSeed()
	}
	return a
}

// newSeed draws a seed that fits Sampling.Seed, so that it can be pinned later.
func newSeed() uint64 {
	var b [8]byte
	rand.Read(b[:])
	return binary.LittleEndian.Uint64(b[:]) & math.MaxInt64
}

// arrive hands a composed prompt to the loop.
func (e *Engine) arrive(a *answer, p prompt, err error) {
	refused := e.inbox.post(func() { e.receive(a, p, err) })
	if refused == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if !a.ended { // by the loop's own end
		a.lastWords(refused)
	}
}

// receive takes an answer in whose prompt is composed. Called by the loop.
func (e *Engine) receive(a *answer, p prompt, err error) {
	if a.ended {
		return
	}
	if a.voice == nil {
		at := sort.Search(len(e.answers), func(i int) bool { return e.answers[i].id > a.id })
		e.answers = append(e.answers, nil)
		copy(e.answers[at+1:], e.answers[at:])
		e.answers[at] = a
	}
	switch {
	case errors.Is(err, errOutgrown):
		e.finish(a, ReasonContext, nil)
	case err != nil:
		e.finish(a, ReasonError, err)
	default:
		e.begin(a, p)
		e.refuse(a)
	}
}

// refuse ends an answer that can never fit.
func (e *Engine) refuse(a *answer) {
	n, limit := len(a.tokens), e.info.Context
	if n < limit {
		return
	}
	cure := "open the model with a larger context, or let the oldest turns go"
	if limit >= e.pool.Total() {
		cure = fmt.Sprintf("raise engine.cells to %d", n+1+n/8)
	}
	e.finish(a, ReasonContext, fmt.Errorf(
		"engine: the conversation has %d tokens, the context takes %d with the answer: %s", n, limit, cure))
}

// Err is why the engine has stopped, or nil while it runs.
func (e *Engine) Err() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.dead
}

// Close ends all streams, then frees the model. It may be called more than once.
func (e *Engine) Close() error {
	e.mu.Lock()
	again := e.closing
	e.closing = true
	e.mu.Unlock()
	e.inbox.nudge()
	<-e.stopped
	if again {
		return nil
	}
	if e.file == nil {
		return e.freed
	}
	return errors.Join(e.freed, e.file.Close())
}
