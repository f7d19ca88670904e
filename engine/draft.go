package engine

// drafter proposes tokens that may follow the known ones, at most as many as
// asked for. What it proposes changes how fast an answer comes, never what it
// says: the executor samples every place with its own noise, and only what
// agrees is kept.
type drafter interface {
	draft(tokens []int32, most int) []int32
}

// mostDraft is how many tokens are proposed at a time.
const mostDraft = 7

// draft asks for proposals behind the decode row of a. Speculation takes free
// cells only: no cache has to go for it.
func (e *Engine) draft(a *answer, rows int) []int32 {
	if e.drafter == nil || e.slots != nil || rows != 1 || a.pending() != 1 || a.counts.Generated == 0 {
		return nil
	}
	most := min(mostDraft, e.pool.Free()-1, e.info.Context-len(a.tokens)-1)
	if a.req.MaxTokens > 0 {
		most = min(most, a.req.MaxTokens-a.counts.Generated-1)
	}
	if most <= 0 {
		return nil
	}
	return e.drafter.draft(a.tokens, most)
}
