package engine

import (
	"context"
	"io"
	"sync"
)

// Stream is one answer on its way. The engine adds to one pending Event, and
// whoever reads takes it whole: a slow reader gets few long events and costs the
// engine nothing. One goroutine reads; Set and Cancel may be called by any.
type Stream struct {
	mu sync.Mutex
	// What the next event will hold. Text grows in bytes, so that a long
	// silence of the reader does not cost a copy a token.
	next           Event
	text, thinking []byte
	fresh          bool
	over           bool // the event with End was taken
	ready          chan struct{}

	knobs     Sampling
	cancelled bool
	nudge     func() // tells the loop to look
}

func newStream(knobs Sampling, nudge func()) *Stream {
	return &Stream{knobs: bounded(knobs), ready: make(chan struct{}, 1), nudge: nudge}
}

// Next returns everything since the last call; it waits until there is
// something. After the event with End it returns io.EOF.
func (s *Stream) Next(ctx context.Context) (Event, error) {
	for {
		event, ok, over := s.take()
		switch {
		case ok:
			return event, nil
		case over:
			return Event{}, io.EOF
		}
		select {
		case <-s.ready:
		case <-ctx.Done():
			return Event{}, ctx.Err()
		}
	}
}

// Poll returns everything since the last call, or false where nothing happened.
// It never waits.
func (s *Stream) Poll() (Event, bool) {
	event, ok, _ := s.take()
	return event, ok
}

func (s *Stream) take() (event Event, ok, over bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.fresh {
		return Event{}, false, s.over
	}
	event = s.next
	event.Text, event.Thinking = string(s.text), string(s.thinking)
	s.next = Event{State: event.State, Counts: event.Counts}
	s.text, s.thinking = s.text[:0], s.thinking[:0]
	s.fresh, s.over = false, event.End != nil
	return event, true, s.over
}

// Set changes the knobs from the very next sampled token on. Values out of range
// are taken as the nearest in range; a negative Seed leaves the answer's own.
func (s *Stream) Set(knobs Sampling) {
	s.mu.Lock()
	s.knobs = bounded(knobs)
	s.mu.Unlock()
}

// Cancel ends the stream with ReasonCancel, within one step.
func (s *Stream) Cancel() {
	s.mu.Lock()
	s.cancelled = true
	s.mu.Unlock()
	s.nudge()
}

// wishes is what the reader asked for so far.
func (s *Stream) wishes() (knobs Sampling, cancelled bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.knobs, s.cancelled
}

// add merges what happened into the pending event. After an End nothing more
// may come.
func (s *Stream) add(e Event) {
	s.mu.Lock()
	if s.next.End != nil || s.over {
		s.mu.Unlock()
		panic("engine: an event after the end of a stream")
	}
	s.text = append(s.text, e.Text...)
	s.thinking = append(s.thinking, e.Thinking...)
	s.next.ToolCalls = append(s.next.ToolCalls, e.ToolCalls...)
	s.next.Tokens = append(s.next.Tokens, e.Tokens...)
	s.next.Changes = append(s.next.Changes, e.Changes...)
	s.next.State, s.next.Counts, s.next.End = e.State, e.Counts, e.End
	if e.Dropped > 0 {
		s.next.Dropped = e.Dropped
	}
	s.fresh = true
	s.mu.Unlock()
	select {
	case s.ready <- struct{}{}:
	default:
	}
}
