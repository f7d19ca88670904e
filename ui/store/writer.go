package store

import (
	"context"
	"fmt"
	"sync"
	"time"
)

const (
	// quiet is the least time between two writes while answers stream; a longer
	// text waits longer, since every write writes the whole row.
	quiet       = 300 * time.Millisecond
	quietPerMiB = 2 * time.Second
	retryFirst  = time.Second
	retryMost   = 15 * time.Second
	closeTries  = 2
)

// batch is what waits to be written: the newest values of changed rows. Writing
// it twice does no harm.
type batch struct {
	chats    map[ID]map[string]any // columns by name
	messages map[ID]Message
	state    map[string]string
}

func newBatch() batch {
	return batch{chats: map[ID]map[string]any{}, messages: map[ID]Message{}, state: map[string]string{}}
}

func (b *batch) len() int { return len(b.chats) + len(b.messages) + len(b.state) }

// bytes counts those of the messages' text.
func (b *batch) bytes() int {
	n := 0
	for _, m := range b.messages {
		n += len(m.Content) + len(m.Thinking)
	}
	return n
}

// under adds the values of an older batch where b has no newer ones.
func (b *batch) under(old batch) {
	for id, columns := range old.chats {
		if b.chats[id] == nil {
			b.chats[id] = map[string]any{}
		}
		for k, v := range columns {
			if _, newer := b.chats[id][k]; !newer {
				b.chats[id][k] = v
			}
		}
	}
	for id, m := range old.messages {
		if _, newer := b.messages[id]; !newer {
			b.messages[id] = m
		}
	}
	for k, v := range old.state {
		if _, newer := b.state[k]; !newer {
			b.state[k] = v
		}
	}
}

// split makes a batch of each row, chats first.
func (b *batch) split() []batch {
	var all []batch
	for id, v := range b.chats {
		one := newBatch()
		one.chats[id] = v
		all = append(all, one)
	}
	for id, v := range b.messages {
		one := newBatch()
		one.messages[id] = v
		all = append(all, one)
	}
	for k, v := range b.state {
		one := newBatch()
		one.state[k] = v
		all = append(all, one)
	}
	return all
}

// writer owns all writing. Changes go into dirty under mu; the goroutine takes
// them out.
type writer struct {
	store *Store
	kick  chan struct{} // capacity 1: dirty, urgent, waiters or closing changed
	done  chan struct{}

	mu      sync.Mutex
	dirty   batch
	urgent  bool
	waiters []chan error
	closing bool
	err     error // the last write's
	last    time.Time
	retry   time.Duration
}

func newWriter(s *Store) *writer {
	w := &writer{store: s, kick: make(chan struct{}, 1), done: make(chan struct{}), dirty: newBatch()}
	go w.loop()
	return w
}

// change lets f record changes; urgent ones are written without delay.
func (w *writer) change(urgent bool, f func(*batch)) {
	w.mu.Lock()
	f(&w.dirty)
	w.urgent = w.urgent || urgent
	w.mu.Unlock()
	w.wake()
}

func (w *writer) wake() {
	select {
	case w.kick <- struct{}{}:
	default:
	}
}

func (w *writer) wait(ctx context.Context) error {
	answer := make(chan error, 1)
	w.mu.Lock()
	w.waiters = append(w.waiters, answer)
	w.mu.Unlock()
	w.wake()
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-w.done:
		return w.failure()
	}
}

func (w *writer) failure() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

func (w *writer) close() error {
	w.mu.Lock()
	w.closing = true
	w.mu.Unlock()
	w.wake()
	<-w.done
	return w.failure()
}

func (w *writer) loop() {
	defer close(w.done)
	for {
		delay, due, closing := w.next()
		if closing {
			for try := 0; try < closeTries && w.flush() != nil; try++ {
				continue
			}
			return
		}
		if !due {
			<-w.kick
			continue
		}
		timer := time.NewTimer(delay)
		select {
		case <-timer.C:
			w.flush()
		case <-w.kick:
			timer.Stop()
		}
	}
}

// next says whether a write is due, and in how long.
func (w *writer) next() (delay time.Duration, due, closing bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closing {
		return 0, true, true
	}
	if len(w.waiters) > 0 {
		return 0, true, false
	}
	if w.dirty.len() == 0 {
		return 0, false, false
	}
	var pause time.Duration
	switch {
	case w.err != nil:
		pause = w.retry
	case !w.urgent:
		pause = quiet + quietPerMiB*time.Duration(w.dirty.bytes())/(1<<20)
	}
	return time.Until(w.last.Add(pause)), true, false
}

// flush writes what is dirty, and puts back what could not be written.
func (w *writer) flush() error {
	w.mu.Lock()
	b, waiters := w.dirty, w.waiters
	w.dirty, w.waiters, w.urgent = newBatch(), nil, false
	w.mu.Unlock()

	left, err := w.write(b)

	w.mu.Lock()
	before := w.err
	w.dirty.under(left)
	if err != nil {
		err = fmt.Errorf("%w (%s)", explain(w.store.path, err), unwritten(w.dirty.len(), w.closing))
		w.retry = min(max(2*w.retry, retryFirst), retryMost)
	} else {
		w.retry = 0
	}
	w.err, w.last = err, time.Now()
	w.mu.Unlock()
	for _, c := range waiters {
		c <- err
	}
	changed := code(before) != code(err) || (before == nil) != (err == nil)
	if report := w.store.options.Report; report != nil && changed {
		report(err)
	}
	return err
}

// unwritten says what becomes of n changes that could not be written.
func unwritten(n int, closing bool) string {
	s := fmt.Sprintf("%d changes", n)
	if n == 1 {
		s = "1 change"
	}
	if closing {
		return s + " lost"
	}
	return s + " in memory, to be written as soon as it can be"
}

// write returns what is left to write, and why.
func (w *writer) write(b batch) (batch, error) {
	left := newBatch()
	if b.len() == 0 {
		return left, nil
	}
	err := w.store.write(b)
	if err == nil {
		return left, nil
	}
	if !ofOneRow(err) || b.len() == 1 {
		return b, err
	}
	for _, one := range b.split() {
		if e := w.store.write(one); e != nil {
			left.under(one)
			err = e
		}
	}
	if left.len() == 0 {
		return left, nil
	}
	return left, err
}
