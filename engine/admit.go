package engine

import (
	"slices"
	"time"
)

// headroom is how many cells beyond its known tokens an answer should find
// before it starts or goes on, so that it is not paused again at once.
const headroom = 32

// admit gives places in the pool to answers that have none, the oldest first.
// One that does not fit waits; a younger one that fits does not wait with it,
// and gives way again when that would let the older one in.
func (e *Engine) admit() {
	for _, a := range e.answers {
		if a.running() || a.composing {
			continue
		}
		lack := e.lack(a)
		if lack > 0 && e.giveWay(a, lack) {
			lack = 0
		}
		if lack > 0 || !e.open(a) {
			a.state, a.counts.WaitingFor = StateWaiting, max(lack, 1)
			continue
		}
		e.start(a)
	}
}

// lack is how many cells are missing before a can start.
func (e *Engine) lack(a *answer) int {
	need := len(a.tokens)
	if e.slots == nil {
		_, held := e.pool.Match(a.reusable())
		need -= held
	}
	have := e.pool.Free() + e.pool.Idle() + e.slots.cells()
	busy := false
	for _, b := range e.answers {
		if b.running() {
			busy = true
			have -= b.pending()
		}
	}
	if busy {
		need += min(headroom, e.pool.Total()/8)
	}
	return max(0, need-have)
}

// giveWay pauses answers younger than a, the youngest first, where that frees
// what a lacks.
func (e *Engine) giveWay(a *answer, lack int) bool {
	gain, from := 0, len(e.answers)
	for i := len(e.answers) - 1; e.answers[i] != a && gain < lack; i-- {
		if b := e.answers[i]; b.running() {
			gain += e.pool.Sole(b.seq) + b.pending()
			from = i
		}
	}
	if gain < lack {
		return false
	}
	for _, b := range e.answers[from:] {
		if b.running() {
			e.pause(b)
		}
	}
	return true
}

// running counts the answers that have a place.
func (e *Engine) running() int {
	n := 0
	for _, a := range e.answers {
		if a.running() {
			n++
		}
	}
	return n
}

// start lets a run that has its place.
func (e *Engine) start(a *answer) {
	a.counts.WaitingFor = 0
	if a.started.IsZero() {
		a.started = time.Now()
	}
	if !a.resumed {
		a.counts.Cached = min(a.seq.Len(), a.counts.Prompt)
	}
	a.state = StatePrefill
	if a.prefilling() {
		e.rota = append(e.rota, a)
	}
}

// pause takes a's place away. What was evaluated stays as a cache while there is
// room; the rest is evaluated again when a goes on.
func (e *Engine) pause(a *answer) {
	e.leave(a, false)
	a.resumed = a.resumed || a.counts.Generated > 0
	a.state, a.counts.WaitingFor = StateWaiting, 1 // until admit counts
	if !a.resumed {
		a.counts.Cached, a.counts.Evaluated = 0, 0
	}
}

// unqueue takes a out of the rotation of prompts.
func (e *Engine) unqueue(a *answer) {
	e.rota = slices.DeleteFunc(e.rota, func(b *answer) bool { return a == b })
}
