package engine

import (
	"slices"
	"time"

	"github.com/confab-tui/confab/engine/kv"
	"github.com/confab-tui/confab/engine/model"
)

const (
	// Prompts that share at least this much with one that is being evaluated
	// wait for it instead of evaluating the same.
	worthWaiting = 16
	// A step of prefill gives its rows out in chunks of at least this many.
	smallestChunk = 32
	// Logits of a whole vocabulary are large, so few rows of them at a time.
	probeRows = 64
	// A slower pace is not told from this one, and could not be counted in a Duration.
	slowest = 24 * time.Hour
)

// part is one answer's share of a step: rows for the tokens from position from
// on, draft rows after them.
type part struct {
	a     *answer
	from  int
	n     int
	draft []int32
}

// last says that the part reaches the end of what is known, so that a new token
// follows.
func (p part) last() bool { return p.from+p.n == len(p.a.tokens) }

// plan claims cells for the next step: first a decode row for each answer that
// has its prompt behind it, the oldest first, then chunks of prompts in
// rotation.
func (e *Engine) plan() []part {
	var parts []part
	now := time.Now()
	for _, a := range e.answers {
		if a.running() && a.pending() == 1 && !a.next.After(now) {
			parts = e.claim(parts, a, 1)
			a.keepPace(now)
		}
	}
	e.shareOut(e.pace.budget(len(parts) > 0))
	for _, a := range slices.Clone(e.rota) {
		if a.running() && a.share > 0 {
			parts = e.claim(parts, a, a.share)
		}
	}
	return parts
}

// keepPace puts off the answer's next token.
func (a *answer) keepPace(now time.Time) {
	if !(a.req.Pace > 0) {
		return
	}
	gap := time.Duration(min(float64(time.Second)/a.req.Pace, float64(slowest)))
	if a.next = a.next.Add(gap); a.next.Before(now) {
		a.next = now.Add(gap)
	}
}

// rest is how long nobody may have a token, 0 where somebody may.
func (e *Engine) rest(now time.Time) time.Duration {
	least := time.Duration(0)
	for _, a := range e.answers {
		wait := a.next.Sub(now)
		switch {
		case !a.running():
		case a.pending() != 1 || wait <= 0:
			return 0
		case least == 0 || wait < least:
			least = wait
		}
	}
	return least
}

// shareOut gives the budget to the answers of the rota, a chunk each, again and
// again while it lasts. Who got none keeps its rank in front of those who did.
func (e *Engine) shareOut(budget int) {
	e.rota = slices.DeleteFunc(e.rota, func(a *answer) bool { return !a.prefilling() })
	for _, a := range e.rota {
		a.share = 0
		e.catchUp(a)
	}
	chunk := min(budget, max(smallestChunk, budget/8))
	for given := true; given; {
		given = false
		for _, a := range e.rota {
			n := min(chunk, a.pending()-a.share)
			if a.probe != nil {
				n = min(n, probeRows-a.share)
			}
			if n <= 0 || n > budget || a.pending() > 1 && e.leader(a) != nil {
				continue
			}
			a.share += n
			budget -= n
			given = true
		}
	}
	slices.SortStableFunc(e.rota, func(a, b *answer) int { return min(a.share, 1) - min(b.share, 1) })
}

// catchUp takes over what another answer has evaluated meanwhile.
func (e *Engine) catchUp(a *answer) {
	if e.slots != nil {
		return
	}
	n := e.pool.Adopt(a.seq, a.reusable())
	if !a.resumed {
		a.counts.Cached += n
	}
}

// leader is an older answer that is just evaluating what a needs next.
func (e *Engine) leader(a *answer) *answer {
	if a.fresh() || e.slots != nil {
		return nil
	}
	for _, b := range e.answers {
		if b == a {
			break
		}
		if !b.prefilling() || b.fresh() || b.seq.Len() < a.seq.Len() {
			continue
		}
		ahead := kv.Common(a.reusable(), b.tokens) - b.seq.Len()
		if ahead >= worthWaiting || ahead > 0 && a.follows == b {
			a.follows = b
			return b
		}
	}
	return nil
}

// claim adds n rows of a to the step. Where the pool is full the youngest running
// answer is paused, which may be a itself.
func (e *Engine) claim(parts []part, a *answer, n int) []part {
	from := a.seq.Len()
	draft := e.draft(parts, a, n)
	for {
		if e.pool.Extend(a.seq, a.tokens[from:from+n]) {
			if !e.pool.Extend(a.seq, draft) {
				draft = nil
			}
			return append(parts, part{a: a, from: from, n: n, draft: draft})
		}
		if e.slots.drop() {
			continue
		}
		young := e.youngest()
		parts = slices.DeleteFunc(parts, func(p part) bool { return p.a == young })
		e.pause(young)
		if young == a {
			return parts
		}
	}
}

func (e *Engine) youngest() *answer {
	for i := len(e.answers) - 1; ; i-- {
		if e.answers[i].running() {
			return e.answers[i]
		}
	}
}

// assemble writes the planned parts out as the executor's input.
func (e *Engine) assemble(parts []part) *model.Step {
	step := &model.Step{}
	for _, p := range parts {
		a, first := p.a, len(step.Rows)
		a.turnKnobs()
		end := p.from + p.n + len(p.draft)
		cells, tokens := a.seq.Cells()[:end], a.seq.Tokens()
		for at := p.from; at < end; at++ {
			step.Rows = append(step.Rows, model.Row{Token: tokens[at], Pos: int32(at), Cell: cells[at]})
		}
		step.Seqs = append(step.Seqs, model.Seq{First: first, Count: end - p.from, Cells: cells, Slot: a.slot})
		if a.probe != nil && p.from < a.prompt {
			for i := range p.n {
				out := model.Output{Row: first + i, Sampling: a.sampling(p.from + i + 1), Logits: true}
				step.Outputs = append(step.Outputs, out)
			}
		} else if p.last() {
			step.Outputs = append(step.Outputs, model.Output{Row: first + p.n - 1, Sampling: a.sampling(p.from + p.n), Draft: p.draft})
		}
	}
	return step
}
