package engine

import (
	"testing"
	"time"
)

// What was counted before the clock was set back is forgotten with it; it does not stay in
// the rate until the clock is where it was.
func TestRateWhenTheClockIsSetBack(t *testing.T) {
	var r rate
	now := time.Unix(1_000_000, 0)
	for range 16 {
		r.add(now, 10)
		now = now.Add(slot)
	}
	if got := r.perSecond(now); got != 160 {
		t.Fatalf("%g a second, want 160", got)
	}
	now = now.Add(-time.Hour)
	for range 40 {
		r.add(now, 1)
		now = now.Add(slot)
	}
	if got := r.perSecond(now); got != 16 {
		t.Errorf("%g a second after the clock was set back, want 16", got)
	}
}

// A pace that is hardly one does not hurry what it should hold back.
func TestSlowestPace(t *testing.T) {
	now := time.Now()
	a := answer{req: Request{Pace: 1e-300}}
	if a.keepPace(now); !a.next.After(now) {
		t.Errorf("the next token comes %s before the last", now.Sub(a.next))
	}
}

// What the caller does with its lists after Generate changes nothing.
func TestRequestsAreTheEnginesOwn(t *testing.T) {
	e := openToy(t, newToy(t, 100), 50)
	r := Request{Messages: []Message{user("one")}, Tokens: []int32{1}, Stop: []string{"one"}, Changes: []Change{{Index: 1}}}
	a := e.newAnswer(r)
	r.Messages[0], r.Tokens[0], r.Stop[0], r.Changes[0].Index = user("two"), 2, "two", 2
	if q := a.req; q.Messages[0].Content != "one" || q.Tokens[0] != 1 || q.Stop[0] != "one" || a.ahead[0].Index != 1 {
		t.Errorf("the answer is made of %+v, planned %v", q, a.ahead)
	}
}
