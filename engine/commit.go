package engine

import (
	"time"

	"github.com/confab-tui/confab/engine/model"
)

// commit takes a step's results in: cells now hold their tokens, and each new
// token goes to its answer.
func (e *Engine) commit(parts []part, result model.Result) {
	now := time.Now()
	outputs := result.Outputs
	for _, p := range parts {
		a := p.a
		e.pool.Commit(a.seq, p.from+p.n)
		e.count(p, now)
		var made []model.TokenProb
		var others [][]model.TokenProb
		switch {
		case a.probe != nil && p.from < a.prompt:
			a.probe.rows = a.probe.rows[:p.from] // not those from before a pause
			for _, out := range outputs[:p.n] {
				a.probe.rows = append(a.probe.rows, append([]float32(nil), out.Logits...))
			}
			if p.last() {
				made = outputs[p.n-1].Tokens[:1]
			}
			outputs = outputs[p.n:]
		case p.last():
			made, others = outputs[0].Tokens, outputs[0].Alternatives
			outputs = outputs[1:]
		}
		e.settle(p, len(made))
		for i, t := range made {
			var alternatives []model.TokenProb
			if i < len(others) {
				alternatives = others[i]
			}
			if a.ended || a.composing {
				break
			}
			e.accept(a, t, alternatives, now)
		}
	}
}

// count brings the answer's and the engine's numbers up to date with a part.
func (e *Engine) count(p part, now time.Time) {
	a := p.a
	if !a.resumed {
		prompt := min(p.from+p.n, a.prompt) - min(p.from, a.prompt)
		a.counts.Evaluated += prompt
		e.figures.prompt.add(now, prompt)
	}
	a.clock(now)
}

// settle keeps the cells of the draft tokens that agreed, one less than the
// tokens that came, and gives the others back.
func (e *Engine) settle(p part, tokens int) {
	if len(p.draft) == 0 {
		return
	}
	p.a.trust.note(len(p.draft), tokens-1)
	done := p.from + p.n + tokens - 1
	e.pool.Commit(p.a.seq, done)
	e.pool.Truncate(p.a.seq, done)
}

// accept adds a sampled token to its answer, and ends the answer where it must.
func (e *Engine) accept(a *answer, t model.TokenProb, others []model.TokenProb, now time.Time) {
	if a.first.IsZero() {
		a.first = now
		a.counts.FirstToken = now.Sub(a.began)
		a.counts.Prefill = now.Sub(a.started)
	}
	a.state = StateDecoding
	a.inForce(a.counts.Generated)
	if !a.req.IgnoreEnd && e.words.ends(t.ID) {
		e.finish(a, ReasonStop, nil)
		return
	}
	record := Token{TokenProb: t, Index: a.counts.Generated}
	for _, o := range others {
		record.Alternatives = append(record.Alternatives, Alternative{o, e.Piece(o.ID)})
	}
	a.counts.Generated++
	e.figures.tokens.add(now, 1)
	a.tokens = append(a.tokens, t.ID)
	stopped := a.voice.add(&a.event, record)
	switch {
	case stopped:
		e.finish(a, ReasonStop, nil)
	case a.counts.Generated == a.req.MaxTokens:
		e.finish(a, ReasonLength, nil)
	case len(a.tokens) >= e.info.Context:
		e.outgrown(a)
	}
}

// inForce reports the changes that the token with this index, or the end in its
// place, was sampled with.
func (a *answer) inForce(index int) {
	for len(a.changes) > 0 && a.changes[0].Index <= index {
		a.event.Changes = append(a.event.Changes, a.changes[0])
		a.changes = a.changes[1:]
	}
}
