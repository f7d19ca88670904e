package token

import (
	"slices"
	"sort"
	"strings"
)

// spellings is a set of strings with their tokens that finds which of them a
// text begins with. The sorted list is the trie: strings with a common
// beginning are a range of it.
type spellings struct {
	texts []string
	ids   []int32
	// begin[c] is the first string that begins with the byte c.
	begin [257]int32
	// longest is the length of the longest.
	longest int
}

// newSpellings keeps the first of equal strings. None may be empty.
func newSpellings(texts []string, ids []int32) *spellings {
	order := make([]int, len(texts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return strings.Compare(texts[a], texts[b]) })
	s := &spellings{texts: make([]string, 0, len(texts)), ids: make([]int32, 0, len(texts))}
	for _, i := range order {
		if n := len(s.texts); n > 0 && s.texts[n-1] == texts[i] {
			continue
		}
		s.texts = append(s.texts, texts[i])
		s.ids = append(s.ids, ids[i])
		s.longest = max(s.longest, len(texts[i]))
	}
	for c := range 256 {
		s.begin[c] = int32(sort.Search(len(s.texts), func(i int) bool { return int(s.texts[i][0]) >= c }))
	}
	s.begin[256] = int32(len(s.texts))
	return s
}

// some says that a string of the set begins with the byte.
func (s *spellings) some(c byte) bool { return s.begin[c] != s.begin[int(c)+1] }

// found is a string of the set in a text.
type found struct {
	start, end int
	id         int32
}

// at appends all strings of the set that stand at a place in the text,
// shortest first.
func (s *spellings) at(dst []found, text string, start int) []found {
	lo, hi := int(s.begin[text[start]]), int(s.begin[int(text[start])+1])
	for depth := 1; lo < hi; depth++ {
		if len(s.texts[lo]) == depth {
			dst = append(dst, found{start, start + depth, s.ids[lo]})
			lo++
		}
		if start+depth == len(text) {
			break
		}
		lo, hi = s.narrow(lo, hi, depth, text[start+depth])
	}
	return dst
}

// narrow returns the part of a range whose strings have c at index depth. All
// of the range agree before it and are longer.
func (s *spellings) narrow(lo, hi, depth int, c byte) (int, int) {
	part := s.texts[lo:hi]
	from := sort.Search(len(part), func(i int) bool { return part[i][depth] >= c })
	part = part[from:]
	n := sort.Search(len(part), func(i int) bool { return part[i][depth] > c })
	return lo + from, lo + from + n
}
