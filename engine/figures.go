package engine

import (
	"math/bits"
	"time"
)

// figures are what the loop counts for Stats.
type figures struct {
	tokens, prompt rate
	steps          map[int]int64
}

// step counts a step by the narrowest power of two that holds its rows.
func (f *figures) step(rows int) {
	if f.steps == nil {
		f.steps = make(map[int]int64)
	}
	f.steps[1<<bits.Len(uint(rows-1))]++
}

// rate counts events over the last second, in slots of a sixteenth of it.
type rate struct {
	slots [17]int
	at    int64 // the slot of the last event
}

const slot = time.Second / 16

// turn empties the slots between the last event's and now's, and all of them where the
// clock was set back.
func (r *rate) turn(now time.Time) {
	at := now.UnixNano() / int64(slot)
	if at < r.at {
		*r = rate{at: at}
	}
	for i := max(r.at+1, at-int64(len(r.slots))+1); i <= at; i++ {
		r.slots[i%int64(len(r.slots))] = 0
	}
	r.at = at
}

func (r *rate) add(now time.Time, n int) {
	r.turn(now)
	r.slots[r.at%int64(len(r.slots))] += n
}

// perSecond is the sum of the last second's full slots.
func (r *rate) perSecond(now time.Time) float64 {
	r.turn(now)
	sum := 0
	for i, n := range r.slots {
		if int64(i) != r.at%int64(len(r.slots)) {
			sum += n
		}
	}
	return float64(sum)
}
