package chat

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/confab-tui/confab/engine/token"
)

// Typed text goes through a template as text, and what comes out no longer
// tells what was typed. So noncharacters of Unicode travel with it: one breaks
// every control token that the text spells, others frame what a model wrote.
// They are taken out before anything is encoded. Where a text has such
// characters itself, each is spelled by two.
const (
	markBreak    = '\uFDD0' // after the first character of a spelling
	markEscape   = '\uFDD1' // the next, less escapeShift, is a typed character
	markText     = '\uFDD2' // frames of a generated answer and its thinking
	markTextEnd  = '\uFDD3'
	markThink    = '\uFDD4'
	markThinkEnd = '\uFDD5'
	escapeShift  = 0x10
)

// spellings are the control tokens' spellings, sorted, and reversed for looking
// at ends.
type spellings struct {
	sorted, reversed []string
	first            [256]bool
	longest          int
}

func newSpellings(all []string) *spellings {
	s := &spellings{sorted: slices.Sorted(slices.Values(all))}
	for _, spelling := range s.sorted {
		s.first[spelling[0]] = true
		s.longest = max(s.longest, len(spelling))
		s.reversed = append(s.reversed, reverse(spelling))
	}
	slices.Sort(s.reversed)
	return s
}

func reverse(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}

// begins says that one of the sorted strings begins with text.
func begins(sorted []string, text string) bool {
	i, _ := slices.BinarySearch(sorted, text)
	return i < len(sorted) && strings.HasPrefix(sorted[i], text)
}

// at says that a spelling stands at the beginning of text.
func (s *spellings) at(text string) bool {
	for n := 1; n <= min(s.longest, len(text)) && begins(s.sorted, text[:n]); n++ {
		if _, whole := slices.BinarySearch(s.sorted, text[:n]); whole {
			return true
		}
	}
	return false
}

// protect marks typed text: the spellings in it, and what could be part of one
// together with what the template or another text puts beside it.
func (s *spellings) protect(text string) string {
	if s == nil || text == "" {
		return text
	}
	breaks := map[int]bool{} // before these bytes
	for i := range len(text) {
		if s.first[text[i]] && (s.at(text[i:]) || len(text)-i < s.longest && begins(s.sorted, text[i:])) {
			breaks[i+runeLen(text[i:])] = true
		}
	}
	for n := 1; n <= min(s.longest-1, len(text)); n++ {
		if begins(s.reversed, reverse(text[:n])) {
			breaks[runeLen(text)] = true
			break
		}
	}
	if len(breaks) == 0 && !strings.Contains(text, "\uFDD0"[:2]) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		if breaks[i] {
			b.WriteRune(markBreak)
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if r >= markBreak && r <= markThinkEnd {
			b.WriteRune(markEscape)
			b.WriteRune(r + escapeShift)
		} else {
			b.WriteString(text[i : i+n])
		}
		i += n
	}
	if breaks[len(text)] {
		b.WriteRune(markBreak)
	}
	return b.String()
}

func runeLen(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// unmark takes the marks out of rendered text. The character before a break was
// typed, so no control token may hold it: these characters are the spans.
func unmark(text string) (string, []token.Span) {
	if !strings.Contains(text, "\uFDD0"[:2]) {
		return text, nil
	}
	var b strings.Builder
	var spans []token.Span
	last := 0 // where the last character began
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == markBreak:
			spans = addSpan(spans, last, b.Len())
		case r == markEscape:
			next, k := utf8.DecodeRuneInString(text[i+n:])
			if next >= markBreak+escapeShift && next <= markThinkEnd+escapeShift {
				last = b.Len()
				b.WriteRune(next - escapeShift)
				n += k
			}
		case r > markEscape && r <= markThinkEnd:
		default:
			last = b.Len()
			b.WriteString(text[i : i+n])
		}
		i += n
	}
	return b.String(), spans
}

// addSpan adds a range, which begins no earlier than those before it.
func addSpan(spans []token.Span, start, end int) []token.Span {
	if start >= end {
		return spans
	}
	if k := len(spans) - 1; k >= 0 && spans[k].End >= start {
		spans[k].End = max(spans[k].End, end)
		return spans
	}
	return append(spans, token.Span{Start: start, End: end})
}
