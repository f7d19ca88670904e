package ui

import "time"

// rate measures tokens a second over about the last second, so that the number
// is alive and yet holds still.
type rate struct {
	at    [16]time.Time
	count [16]int
	n     int
	shown float64
	next  time.Time
}

const (
	rateWindow  = time.Second
	rateRefresh = 250 * time.Millisecond
)

// add notes the count of tokens at a moment; at most a sixteenth of the window
// apart, older notes are dropped.
func (r *rate) add(now time.Time, count int) {
	if r.n > 0 && now.Sub(r.at[r.n-1]) < rateWindow/time.Duration(len(r.at)) {
		return
	}
	if r.n == len(r.at) {
		copy(r.at[:], r.at[1:])
		copy(r.count[:], r.count[1:])
		r.n--
	}
	r.at[r.n], r.count[r.n] = now, count
	r.n++
	if now.Before(r.next) {
		return
	}
	first := 0
	for first < r.n-1 && now.Sub(r.at[first]) > rateWindow {
		first++
	}
	if span := now.Sub(r.at[first]); span > 0 {
		r.shown = float64(count-r.count[first]) / span.Seconds()
		r.next = now.Add(rateRefresh)
	}
}

// speed is how many tokens a second a finished answer came with, 0 where too few
// came to tell. What it had before it was continued does not count, nor does the
// token at which the clock starts.
func (a *answer) speed() float64 {
	n := a.counts.Generated - a.first - 1
	if n < 1 || a.counts.Decode <= 0 {
		return 0
	}
	return float64(n) / a.counts.Decode.Seconds()
}

// now is the speed that is shown: that of the moment while it is being written.
func (a *answer) now() float64 {
	if a.running() {
		return a.rate.shown
	}
	return a.speed()
}

// used is how many tokens of the context an answer fills with what was before it.
// What it had before it was continued is part of the prompt.
func (a *answer) used() int { return a.counts.Prompt + a.counts.Generated - a.first }
