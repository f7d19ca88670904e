package kv

import (
	"math/rand/v2"
	"testing"
)

// Whatever is free, a sequence gets the next cell of its stretch, or else the first of the lowest whole
// stretch, or else the lowest cell.
func TestBitmapTake(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		size := 1 + r.IntN(300)
		b, free := newBitmap(size), make([]bool, size)
		for i := range 20 * size {
			// Now more cells become free, now more are taken.
			if c := r.IntN(size); r.IntN(8) < 1+6*(i/size%2) {
				if !free[c] {
					b.set(int32(c))
					free[c] = true
				}
				continue
			}
			if b.n == 0 {
				continue
			}
			last := r.IntN(size)
			want := wantedCell(free, last)
			if got := b.take(int32(last)); int(got) != want {
				t.Fatalf("after cell %d of %d: got %d, want %d", last, size, got, want)
			}
			free[want] = false
		}
	}
}

// wantedCell looks at every cell.
func wantedCell(free []bool, last int) int {
	if next := last + 1; next%stretch != 0 && next < len(free) && free[next] {
		return next
	}
	lowest := -1
	run := 0 // free cells up to this one, of its stretch
	for c, is := range free {
		if c%stretch == 0 {
			run = 0
		}
		if is {
			run++
			if lowest < 0 {
				lowest = c
			}
		}
		if run == stretch {
			return c + 1 - stretch
		}
	}
	return lowest
}
