package text

import (
	"iter"
	"slices"
)

// List is a list that can grow for long: it lies in pieces, none of which moves when
// others come. A slice is copied to new memory as it grows, which takes milliseconds
// where it is long, and in all chats that stream in the same frame. The zero value is empty.
type List[T any] struct {
	pieces [][]T // of pieceLen each but the last
}

const pieceLen = 1024

// Len is how many there are.
func (l *List[T]) Len() int {
	last := len(l.pieces) - 1
	if last < 0 {
		return 0
	}
	return last*pieceLen + len(l.pieces[last])
}

// At gives number i, which stands until a Cut takes it away.
func (l *List[T]) At(i int) *T { return &l.pieces[i/pieceLen][i%pieceLen] }

// Last gives the last one of a list that is not empty.
func (l *List[T]) Last() *T { return l.At(l.Len() - 1) }

// Add puts v at the end.
func (l *List[T]) Add(v T) {
	if n := len(l.pieces); n == 0 || len(l.pieces[n-1]) == pieceLen {
		l.begin()
	}
	last := &l.pieces[len(l.pieces)-1]
	*last = append(*last, v)
}

// begin adds an empty piece, with the memory of one that was cut off where there is one.
func (l *List[T]) begin() {
	n := len(l.pieces)
	l.pieces = slices.Grow(l.pieces, 1)[:n+1]
	piece := &l.pieces[n]
	if *piece = (*piece)[:0]; cap(*piece) == 0 && n > 0 { // the first grows: many lists are short
		*piece = make([]T, 0, pieceLen)
	}
}

// Cut leaves the first n, and keeps the memory of the others for what comes.
func (l *List[T]) Cut(n int) {
	keep := (n + pieceLen - 1) / pieceLen
	l.pieces = l.pieces[:keep]
	if keep > 0 {
		last := &l.pieces[keep-1]
		*last = (*last)[:n-(keep-1)*pieceLen]
	}
}

// All goes through the list.
func (l *List[T]) All() iter.Seq2[int, *T] { return l.From(0) }

// From goes through the list from number i on.
func (l *List[T]) From(i int) iter.Seq2[int, *T] {
	return func(yield func(int, *T) bool) {
		for ; i < l.Len(); i++ {
			if !yield(i, l.At(i)) {
				return
			}
		}
	}
}
