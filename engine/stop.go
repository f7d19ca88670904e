package engine

import "strings"

// stopText looks for stop texts in what an answer says, which comes in pieces. It
// holds pieces back as long as they may be the beginning of one.
type stopText struct {
	texts []string
	held  string
}

// add takes the next piece. It returns how many bytes of the text held so far,
// the new piece included, are certain: the rest may become a stop text, or,
// where stopped, is one and does not count.
func (s *stopText) add(piece string) (certain int, stopped bool) {
	s.held += piece
	first := -1
	for _, text := range s.texts {
		if at := strings.Index(s.held, text); text != "" && at >= 0 && (first < 0 || at < first) {
			first = at
		}
	}
	if first >= 0 {
		return first, true
	}
	for at := range s.held {
		for _, text := range s.texts {
			if strings.HasPrefix(text, s.held[at:]) {
				return at, false
			}
		}
	}
	return len(s.held), false
}

// release forgets the first n bytes held.
func (s *stopText) release(n int) { s.held = s.held[n:] }
