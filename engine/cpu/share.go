package cpu

import "sync/atomic"

// share is what is left of the units of the open phase that fall to one worker, on a cache line
// of its own.
type share struct {
	// left is the opening's number, the end of the units and the next to take, from the high
	// bits down. The number keeps a worker that was away from taking a unit of a later opening.
	left atomic.Uint64
	_    [56]byte
}

const (
	unitBits = 20
	unitMask = 1<<unitBits - 1
)

func (s *share) set(seq uint64, from, to int) {
	s.left.Store(seq<<(2*unitBits) | uint64(to)<<unitBits | uint64(from))
}

func (s *share) read() (left, next, end uint64) {
	left = s.left.Load()
	return left, left & unitMask, left >> unitBits & unitMask
}

// first takes the next unit.
func (s *share) first() (unit int, ok bool) {
	for {
		left, next, end := s.read()
		if next >= end {
			return 0, false
		}
		if s.left.CompareAndSwap(left, left+1) {
			return int(next), true
		}
	}
}

// last takes the last unit.
func (s *share) last() (unit int, ok bool) {
	for {
		left, next, end := s.read()
		if next >= end {
			return 0, false
		}
		if s.left.CompareAndSwap(left, left-1<<unitBits) {
			return int(end - 1), true
		}
	}
}

// peek returns the next unit without taking it.
func (s *share) peek() (unit int, ok bool) {
	_, next, end := s.read()
	return int(next), next < end
}
