package engine

import (
	"math"
	"time"

	"github.com/confab-tui/confab/engine/kv"
	"github.com/confab-tui/confab/engine/model"
)

// answer is what the loop knows of one stream.
type answer struct {
	id     uint64 // by arrival: the lower is the older
	req    Request
	stream *Stream
	began  time.Time

	// tokens are the prompt and what was made after it. prompt counts those of the
	// conversation: where it was shortened, the answer so far was encoded with it, and is
	// not among them.
	tokens []int32
	prompt int
	// seq has the cells of the first tokens; nil while the answer does not run.
	seq  *kv.Seq
	slot int // of seq, where the model has recurrent layers
	// composing says that its prompt is still being rendered elsewhere.
	composing bool
	ended     bool

	knobs  Sampling
	seed   uint64
	voice  *voice
	probe  *probe
	alone  bool // shares nothing with anybody: see Bench
	plain  bool // is never drafted for
	state  State
	counts Counts
	// started and first are when it got its first cells and its first token.
	started, first time.Time
	// next is when the answer may have another token, where it has a pace.
	next time.Time
	// resumed says that it was paused after its first token: its prompt is evaluated a second
	// time, which Counts leave out.
	resumed bool
	// share is how many rows of prefill the step being planned gives it.
	share   int
	follows *answer     // the one whose evaluation it waited for last
	trust   trust       // in drafts
	ahead   []Change    // that the request planned, for tokens still to come
	changes []Change    // not yet in force for any token that was made
	event   Event       // of this turn
	told    Event       // the last one, its State and Counts
	dropped int         // messages left out so far
	unwatch func() bool // ends the watch over the request's context
}

// probe takes the raw logits of every position of a prompt; see Evaluate.
type probe struct {
	rows [][]float32
}

// running says that it has a place in the pool.
func (a *answer) running() bool { return a.seq != nil }

// pending is how many known tokens have no cell yet: one while decoding.
func (a *answer) pending() int { return len(a.tokens) - a.seq.Len() }

// prefilling says that more than the next decode row is to be evaluated.
func (a *answer) prefilling() bool { return a.running() && a.pending() > 1 }

// fresh says that it shares nothing, because all of it is to be evaluated.
func (a *answer) fresh() bool { return a.probe != nil || a.alone }

// reusable are the tokens that may come from the pool: the last one is always
// evaluated, for what follows it.
func (a *answer) reusable() []int32 {
	if a.fresh() {
		return nil
	}
	return a.tokens[:len(a.tokens)-1]
}

// turnKnobs takes over what the request planned for the next token, and what the
// reader set since the last one.
func (a *answer) turnKnobs() {
	for len(a.ahead) > 0 && a.ahead[0].Index <= a.counts.Generated {
		a.stream.Set(a.ahead[0].Sampling)
		a.ahead = a.ahead[1:]
	}
	knobs, _ := a.stream.wishes()
	if knobs == a.knobs {
		return
	}
	a.knobs = knobs
	if knobs.Seed >= 0 {
		a.seed = uint64(knobs.Seed)
	}
	change := Change{Index: a.counts.Generated, Sampling: knobs}
	if n := len(a.changes); n > 0 && a.changes[n-1].Index == change.Index {
		a.changes[n-1] = change
	} else {
		a.changes = append(a.changes, change)
	}
}

// steady is how many tokens come before the knobs turn as planned.
func (a *answer) steady() int {
	if len(a.ahead) == 0 {
		return math.MaxInt
	}
	return a.ahead[0].Index - a.counts.Generated
}

// sampling is the row of knobs for the token that follows the first n.
func (a *answer) sampling(n int) model.SamplingRow {
	row := model.SamplingRow{Sampling: a.knobs, Seed: a.seed, Pos: int32(n), Alternatives: a.req.Alternatives}
	if penalised(a.knobs) {
		row.History = a.tokens[max(0, n-a.knobs.RepeatLastN):n]
	}
	return row
}

// clock brings the stream's times up to now.
func (a *answer) clock(now time.Time) {
	switch {
	case a.started.IsZero():
	case a.first.IsZero():
		a.counts.Prefill = now.Sub(a.started)
	default:
		a.counts.Decode = now.Sub(a.first)
	}
}
