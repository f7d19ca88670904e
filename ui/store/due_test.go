package store

import (
	"strings"
	"testing"
	"time"
)

// An answer that grows again and again is written all the same: what puts a write off is the
// text that waits, not how often it has changed.
func TestGrowingAnswersBecomeDue(t *testing.T) {
	w := &writer{kick: make(chan struct{}, 1), dirty: newBatch(), last: time.Now().Add(-10 * time.Second)}
	c := (&Store{writer: w}).New()
	a := c.BeginAnswer(0, Facts{})
	w.urgent = false
	a.Append(strings.Repeat("x", 20<<10), "")
	for range 1000 {
		a.Append("y", "")
	}
	if delay, due, _ := w.next(); !due || delay > 0 {
		t.Errorf("20 KiB that last were written 10 s ago wait another %s", delay)
	}
}
