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
// rows. Nobody is paused for their cells.
func (e *Engine) draft(a *answer, rows int) []int32 {
	if e.drafter == nil || e.slots != nil || rows != 1 || a.pending() != 1 || a.counts.Generated == 0 || len(e.rota) > 0 {
		return nil
	}
	most := min(mostDraft, e.pool.Free()+e.pool.Idle()-1, e.info.Context-len(a.tokens)-1)
	if a.req.MaxTokens > 0 {
		most = min(most, a.req.MaxTokens-a.counts.Generated-1)
	}
	if most <= 0 {
		return nil
	}
	proposed := e.drafter.draft(a.tokens, most)
	n := e.worth.length(e.running(), a.trust.share, len(proposed))
	if n == 0 && len(proposed) > 0 {
		a.trust.rest()
	}
	return proposed[:n]
}

// trust is how often an answer's drafts agreed lately.
type trust struct{ share float64 }

// fair is the share that is expected where nothing is known.
const fair = 0.5

// note takes the outcome of a draft in.
func (t *trust) note(proposed, agreed int) {
	for range agreed {
		t.share += (1 - t.share) / 8
	}
	if agreed < proposed {
		t.share -= t.share / 8
	}
}

// rest forgives a little, for a draft that was not worth trying: what comes next
// may be of another kind.
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

// note takes the time of a step without prompts in.
func (w *worth) note(rows int, took time.Duration) {
	if rows >= len(w.seconds) {
		return
	}
	if w.seconds[rows] == 0 {
		w.seconds[rows] = took.Seconds()
	}
	w.seconds[rows] += (took.Seconds() - w.seconds[rows]) / 8
}

// length is how many draft tokens, of those that each agree with the probability
// share, give the most tokens a second beside rows others. A width never run is
// taken to cost what the widest known below it costs, so that it is tried.
func (w *worth) length(rows int, share float64, most int) int {
	if w.always {
		return most
	}
	best, length := 0.0, 0
	tokens, next, cost := float64(rows), share, 0.0
	for n := 0; n <= most && rows+n < len(w.seconds); n++ {
		if known := w.seconds[rows+n]; known > 0 {
			cost = known
		}
		if cost == 0 {
			return most // nothing is known yet
		}
		if rate := tokens / cost; rate > best {
			best, length = rate, n
		}
		tokens += next
		next *= share
	}
	return length
}
