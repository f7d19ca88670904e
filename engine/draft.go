package engine

import "time"

// drafter proposes tokens that may follow the known ones, at most as many as
// asked for. What it proposes changes how fast an answer comes, never what it
// says: the executor samples every place with its own noise, and only what
// agrees is kept.
type drafter interface {
	draft(tokens []int32, most int) []int32
}

const (
	mostDraft = 8 // tokens proposed at a time
	// What must stand there again before what followed is proposed, and as much
	// as is looked at to choose the best place.
	leastMatch, mostMatch = 3, 16
)

// lookup is the drafter without a model: what followed the last tokens where they
// stood before, in the prompt or the answer, may follow again.
type lookup struct{}

func (lookup) draft(tokens []int32, most int) []int32 {
	n := len(tokens)
	length, at := leastMatch-1, 0
	for end := n - 1; end >= leastMatch && length < mostMatch; end-- {
		k := 0
		for k < min(end, mostMatch) && tokens[end-1-k] == tokens[n-1-k] {
			k++
		}
		if k > length {
			length, at = k, end
		}
	}
	if at == 0 {
		return nil
	}
	return tokens[at:min(at+most, n)]
}

// draft asks for proposals behind the decode row of a, as many as are worth their
// rows beside those planned already. Nobody is paused for their cells.
func (e *Engine) draft(planned []part, a *answer, rows int) []int32 {
	if e.drafter == nil || a.plain || a.req.Pace > 0 || e.slots != nil || rows != 1 || a.pending() != 1 || a.counts.Generated == 0 || len(e.rota) > 0 {
		return nil
	}
	most := min(mostDraft, e.pool.Free()+e.pool.Idle()-1, e.info.Context-len(a.tokens)-1)
	most = min(most, a.steady()-1) // all rows of a step have the same knobs
	if a.req.MaxTokens > 0 {
		most = min(most, a.req.MaxTokens-a.counts.Generated-1)
	}
	if most <= 0 {
		return nil
	}
	proposed := e.drafter.draft(a.tokens, most)
	rows = e.running()
	tokens := float64(rows)
	for _, p := range planned {
		rows += len(p.draft)
		tokens += p.a.trust.share * float64(len(p.draft))
	}
	n := e.worth.length(rows, tokens, a.trust.share, len(proposed))
	if n == 0 && len(proposed) > 0 {
		a.trust.rest()
	}
	return proposed[:n]
}

// fair is the share that is expected where nothing is known.
const fair = 0.5

// trust is how often an answer's drafts agreed lately.
type trust struct{ share float64 }

// note takes the outcome of a draft in.
func (t *trust) note(proposed, agreed int) {
	for range agreed {
		t.share += (1 - t.share) / 8
	}
	if agreed < proposed {
		t.share -= t.share / 8
	}
}

// rest brings the share a little nearer to fair, for each draft that was not worth trying:
// what comes next may agree more often.
func (t *trust) rest() {
	if t.share < fair {
		t.share += (fair - t.share) / 64
	}
}

// worth knows what steps of so many rows cost, and so what a draft may cost.
type worth struct {
	// always drafts whatever it costs.
	always  bool
	seconds [64 + 1]float64 // by rows, 0 where not known
}

// note takes the time of a step without prompts in. A shorter one is believed at
// once: what makes a step long is often something else. What is known of other
// widths fades, so that each is tried again now and then.
func (w *worth) note(rows int, took time.Duration) {
	if rows >= len(w.seconds) {
		return
	}
	for i := range w.seconds {
		if i != rows {
			w.seconds[i] *= 1 - 1.0/512
		}
	}
	known := &w.seconds[rows]
	if s := took.Seconds(); *known == 0 || s < *known {
		*known = s
	} else {
		*known += (s - *known) / 8
	}
}

// length is how many draft tokens, of those that each agree with the probability
// share, give the most tokens a second, beside rows that bring tokens already. A
// width never run is taken to cost what the widest known below it costs, so that
// it is tried.
func (w *worth) length(rows int, tokens, share float64, most int) int {
	if w.always {
		return most
	}
	best, length, next, cost := 0.0, 0, share, 0.0
	for n := 0; n <= most && rows+n < len(w.seconds); n++ {
		known := w.seconds[rows+n]
		switch {
		case known > 0:
			cost = known
		case n == 0:
			return 0 // what the step costs without is to be known first
		}
		if rate := tokens / cost; rate > best {
			best, length = rate, n
		}
		tokens += next
		next *= share
	}
	return length
}
