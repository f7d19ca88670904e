package token

import (
	"slices"
	"strings"

	"github.com/confab-tui/confab/engine/gguf"
)

// findSpecials collects the tokens whose spelling is looked for as a whole.
func (t *Tokenizer) findSpecials(f *gguf.File) {
	var user, all []string
	var userIDs, allIDs []int32
	for id, spelling := range t.list.texts {
		if spelling == "" {
			continue
		}
		switch t.types[id] {
		case typeUser:
			user, userIDs = append(user, spelling), append(userIDs, int32(id))
		case typeControl, typeUnknown:
			t.controls = append(t.controls, spelling)
		default:
			continue
		}
		all, allIDs = append(all, spelling), append(allIDs, int32(id))
	}
	t.plain, t.special = newSpellings(user, userIDs), newSpellings(all, allIDs)
	// Phi-3 was trained with the white space after its special tokens dropped,
	// which its vocabulary does not say.
	name, _ := f.String("general.name")
	if name = strings.ToLower(name); strings.Contains(name, "phi-3") || strings.Contains(name, "phi3") {
		t.stripAfter = make([]bool, t.len())
		for _, id := range allIDs {
			s := t.list.texts[id]
			t.stripAfter[id] = s != "<unk>" && s != "<s>" && s != "<|endoftext|>"
		}
	}
}

// partition returns the special tokens of a text in its order. Where spellings
// overlap the longest wins, then the leftmost.
func (t *Tokenizer) partition(e *encoder, text string, set *spellings, typed []Span) []found {
	if len(set.texts) == 0 {
		return nil
	}
	e.found = e.found[:0]
	for i := 0; i < len(text); i++ {
		if !set.some(text[i]) {
			continue
		}
		e.found = set.at(e.found, text, i)
		// Nothing that begins inside one of the longest spellings beats it.
		if n := len(e.found); n > 0 {
			if f := e.found[n-1]; f.start == i && f.end-i == set.longest && t.types[f.id] == typeUser {
				i = f.end - 1
			}
		}
	}
	if len(typed) > 0 {
		e.found = slices.DeleteFunc(e.found, func(f found) bool {
			return t.types[f.id] != typeUser && touches(typed, f)
		})
	}
	for i := 1; i < len(e.found); i++ {
		if e.found[i].start < e.found[i-1].end {
			return longestFirst(e.found, len(text), set.longest)
		}
	}
	return e.found
}

// touches says that one of the spans has a byte of f.
func touches(spans []Span, f found) bool {
	i, _ := slices.BinarySearchFunc(spans, f.start, func(s Span, start int) int {
		if s.End <= start {
			return -1
		}
		return 1
	})
	return i < len(spans) && spans[i].Start < f.end
}

// longestFirst chooses among overlapping strings, which stand in the order of
// their starts.
func longestFirst(all []found, length, longest int) []found {
	// Sorted by counting: a text of nothing but line ends can hold millions.
	count := make([]int, longest+2)
	for _, f := range all {
		count[longest-(f.end-f.start)+1]++
	}
	for i := 1; i < len(count); i++ {
		count[i] += count[i-1]
	}
	sorted := make([]found, len(all))
	for _, f := range all {
		at := &count[longest-(f.end-f.start)]
		sorted[*at] = f
		*at++
	}
	// What was chosen before is no shorter, so it covers an end of what it
	// overlaps.
	taken := make([]bool, length)
	chosen := sorted[:0]
	for _, f := range sorted {
		if taken[f.start] || taken[f.end-1] {
			continue
		}
		for i := f.start; i < f.end; i++ {
			taken[i] = true
		}
		chosen = append(chosen, f)
	}
	slices.SortFunc(chosen, func(a, b found) int { return a.start - b.start })
	return chosen
}
