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
