package engine

import (
	"slices"
	"testing"
	"time"
)

func TestLookup(t *testing.T) {
	for _, c := range []struct {
		name         string
		tokens, want []int32
		most         int
	}{
		{"what followed before", []int32{1, 2, 3, 4, 5, 9, 1, 2, 3}, []int32{4, 5}, 2},
		{"the longer match", []int32{8, 1, 2, 3, 4, 9, 7, 1, 2, 3, 5, 9, 8, 1, 2, 3}, []int32{4}, 1},
		{"the nearest of equal ones", []int32{1, 2, 3, 4, 9, 1, 2, 3, 5, 9, 1, 2, 3}, []int32{5}, 1},
		{"no more than there is", []int32{1, 2, 3, 1, 2, 3}, []int32{1, 2, 3}, 8},
		{"a loop", []int32{7, 7, 7, 7}, []int32{7}, 8},
		{"too short a match", []int32{1, 2, 3, 9, 2, 3}, nil, 8},
		{"nothing", nil, nil, 8},
	} {
		if got := (lookup{}).draft(c.tokens, c.most); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// The length of a draft follows what its rows cost and how often it agrees.
func TestWorth(t *testing.T) {
	free, dear := &worth{}, &worth{}
	for rows := range 12 {
		free.note(rows, 100*time.Millisecond)
		dear.note(rows, time.Duration(rows)*100*time.Millisecond)
	}
	if n := free.length(1, 1, 0.5, 8); n != 8 {
		t.Errorf("rows that cost nothing: %d, want all 8", n)
	}
	if n := dear.length(1, 1, 0.9, 8); n != 0 {
		t.Errorf("rows that cost as much as tokens: %d, want none", n)
	}
	fresh := &worth{}
	if n := fresh.length(3, 3, 0.5, 8); n != 0 {
		t.Errorf("nothing known: %d, want a step without first", n)
	}
	fresh.note(3, 100*time.Millisecond)
	if n := fresh.length(3, 3, 0.5, 8); n != 8 {
		t.Errorf("nothing known of wider steps: %d, want a trial of 8", n)
	}
	for range 2000 {
		dear.note(1, 100*time.Millisecond)
	}
	if n := dear.length(1, 1, 0.9, 8); n == 0 {
		t.Error("what was dear once is never tried again")
	}
	mixed := &worth{}
	for rows := range 5 {
		mixed.note(rows, 100*time.Millisecond)
	}
	mixed.note(5, time.Second)
	if n := mixed.length(1, 1, 0.9, 8); n != 3 {
		t.Errorf("dear from the fifth row on: %d, want 3", n)
	}
	trusted := trust{fair}
	for range 20 {
		trusted.note(4, 0)
	}
	low := trusted.share
	for range 500 {
		trusted.rest()
	}
	if low > 0.1 || trusted.share < 0.45 {
		t.Errorf("the share falls to %v and rests to %v", low, trusted.share)
	}
}
