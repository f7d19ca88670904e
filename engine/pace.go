package engine

import "time"

const (
	// A step without decode rows may take this long: a cancel waits for the step
	// that runs, and must be felt as immediate.
	alone = 130 * time.Millisecond
	// With decode rows in it, a step also is how long their readers wait for a
	// token.
	inCompany = 50 * time.Millisecond
	// Fewer rows than this hardly make a step shorter.
	fewestRows = 8
	// More rows than this hardly make it more efficient.
	mostRows = 2048
)

// pace chooses how many rows of prefill a step takes, from what rows have cost
// lately.
type pace struct {
	limit  int
	perRow float64 // seconds, 0 before the first measurement
	given  int     // the last budget
	used   int     // rows of prefill in the last step that told something
	target time.Duration
}

// budget is the number of prefill rows for the next step.
func (p *pace) budget(decoding bool) int {
	p.target = alone
	if decoding {
		p.target = inCompany
	}
	rows := 2 * max(p.used, fewestRows)
	if p.perRow > 0 {
		rows = min(rows, int(p.target.Seconds()/p.perRow))
	}
	if rows > 64 {
		rows -= rows % 32
	}
	p.given = min(max(rows, fewestRows), p.limit)
	return p.given
}

// note takes the cost of a step in. Only a step that used its budget, or took too
// long, tells whether the budget was right: in a small one the weights' reading
// hides what a row costs. A dearer row is believed at once, since guessing too
// low holds everybody up; a cheaper one by halves.
func (p *pace) note(parts []part, took time.Duration) {
	rows, prefill := 0, 0
	for _, part := range parts {
		rows += part.n + len(part.draft)
		if part.n > 1 {
			prefill += part.n
		}
	}
	if prefill == 0 || prefill < p.given && took <= p.target {
		return
	}
	p.used = prefill
	cost := took.Seconds() / float64(rows)
	if cost < p.perRow {
		cost = (cost + p.perRow) / 2
	}
	p.perRow = cost
}
