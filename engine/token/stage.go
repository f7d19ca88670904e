package token

import (
	"strings"
	"unicode/utf8"
)

// stage cuts the first piece off a text that is not empty: it returns how long
// the piece is. The pieces of one stage are the texts of the next.
type stage func(s string) int

// matching makes a stage of a pattern: its matches are pieces, and so is what
// stands between them. match returns the length of the match at the beginning
// of s, 0 for none.
func matching(match func(s string) int) stage {
	return func(s string) int {
		if n := match(s); n > 0 {
			return n
		}
		return gap(s, match)
	}
}

// gap returns how far it is to the first match behind the beginning of s.
func gap(s string, match func(s string) int) int {
	_, i := classAt(s)
	for i < len(s) && match(s[i:]) == 0 {
		_, n := classAt(s[i:])
		i += n
	}
	return i
}

// runs is the pattern of one or more characters of a class.
func runs(of class) stage { return matching(func(s string) int { return run(s, of) }) }

// upTo is the pattern of 1 to most characters of a class.
func upTo(most int, of class) stage {
	return matching(func(s string) int { return runUpTo(s, most, of) })
}

func runUpTo(s string, most int, of class) int {
	i := 0
	for range most {
		c, n := classOf(s[i:])
		if c&of == 0 {
			break
		}
		i += n
	}
	return i
}

// runsOf is the pattern of one or more characters of a set, optionally after
// one white space.
func runsOf(set ranges, afterSpace bool) stage {
	return matching(func(s string) int {
		at := 0
		if afterSpace {
			at = oneSpace(s)
		}
		if n := set.run(s[at:]); n > 0 {
			return at + n
		}
		return set.run(s)
	})
}

// spacedRuns is the pattern of one or more characters of a class, optionally
// after one white space.
func spacedRuns(of class) stage {
	return matching(func(s string) int {
		at := oneSpace(s)
		if n := run(s[at:], of); n > 0 {
			return at + n
		}
		return 0
	})
}

// oneSpace returns the length of one white space at the beginning of s.
func oneSpace(s string) int {
	if c, n := classOf(s); c&space != 0 {
		return n
	}
	return 0
}

// each makes every byte of a set of ASCII characters a piece.
func each(set string) stage {
	return matching(func(s string) int {
		if strings.IndexByte(set, s[0]) >= 0 {
			return 1
		}
		return 0
	})
}

// finalSpace is the pattern of white space at the very end.
func finalSpace(s string) int {
	end := len(s)
	for i := 0; i < len(s); {
		c, n := classAt(s[i:])
		if c&space == 0 {
			end = len(s)
		} else if end == len(s) {
			end = i
		}
		i += n
	}
	if end == 0 {
		return len(s)
	}
	return end
}

// threeDigits is the pattern of exactly three ASCII digits.
var threeDigits = matching(func(s string) int {
	for i := range 3 {
		if i >= len(s) || s[i] < '0' || s[i] > '9' {
			return 0
		}
	}
	return 3
})

// lines cuts between line ends in a row and all else.
func lines(s string) int {
	if s[0] == '\n' {
		return len(s) - len(strings.TrimLeft(s, "\n"))
	}
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return i
	}
	return len(s)
}

// wholeNumbers is the pattern of numbers that no letter, mark or underscore
// follows.
func wholeNumbers(s string) int {
	for at := 0; at < len(s); {
		start := at + runNot(s[at:], number)
		at = start + run(s[start:], number)
		if c, _ := classOf(s[at:]); at == start || c&(letter|mark) != 0 || strings.HasPrefix(s[at:], "_") {
			continue
		}
		if start > 0 {
			return start
		}
		return at
	}
	return len(s)
}

// firstDigits cuts the digits off a number that are too many for groups of
// three.
func firstDigits(s string) int {
	n := run(s, number)
	if over := utf8.RuneCountInString(s) % 3; n == len(s) && over > 0 {
		return runUpTo(s, over, number)
	}
	return len(s)
}

// contraction returns the length of an English 's, 't, 're, 've, 'm, 'll or 'd
// at the beginning of s, in any case if fold.
func contraction(s string, fold bool) int {
	if len(s) < 2 || s[0] != '\'' {
		return 0
	}
	lowered := func(i int) byte {
		if c := s[i]; fold && 'A' <= c && c <= 'Z' {
			return c + 'a' - 'A'
		}
		return s[i]
	}
	switch a := lowered(1); a {
	case 's', 't', 'm', 'd':
		return 2
	case 'r', 'v', 'l':
		if len(s) < 3 {
			return 0
		}
		if b := lowered(2); a == 'l' && b == 'l' || a != 'l' && b == 'e' {
			return 3
		}
	}
	return 0
}

// spaces cuts white space: up to the last line end in it if lineEnds, else all
// of it at the end of the text, else all but the last, which belongs to the
// word that follows, else the only one.
func spaces(s string, lineEnds bool) int {
	n, last, lineEnd := 0, 0, 0
	for n < len(s) {
		c, size := classAt(s[n:])
		if c&space == 0 {
			break
		}
		last = n
		n += size
		if lineEnds && (s[last] == '\n' || s[last] == '\r') {
			lineEnd = n
		}
	}
	switch {
	case lineEnd > 0:
		return lineEnd
	case n == len(s) || last == 0:
		return n
	}
	return last
}
