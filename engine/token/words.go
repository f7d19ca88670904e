package token

import "strings"

// words cuts text as GPT-2 does: contractions, then letters, numbers or other
// characters, each with one space in front, then white space.
func words(s string) int {
	if n := contraction(s, false); n > 0 {
		return n
	}
	at := 0
	if s[0] == ' ' {
		at = 1
	}
	if at < len(s) {
		switch c, n := classAt(s[at:]); {
		case c&letter != 0:
			return at + n + run(s[at+n:], letter)
		case c&number != 0:
			return at + n + run(s[at+n:], number)
		case c&space == 0:
			return at + n + runNot(s[at+n:], space|letter|number)
		}
	}
	return spaces(s, false)
}

// runNot returns how far the characters at the beginning of s are of none of
// the classes.
func runNot(s string, of class) int {
	i := 0
	for i < len(s) {
		c, n := classAt(s[i:])
		if c&of != 0 {
			break
		}
		i += n
	}
	return i
}

// style is how the patterns that came after GPT-2's differ from one another.
type style struct {
	// digits is how many digits make a piece, 0 for all in a row.
	digits int
	// contractions are pieces of their own, in any case.
	contractions bool
	// marks says that combining marks belong to words.
	marks bool
	// tail holds the characters that may follow punctuation in its piece.
	tail string
}

// lineEnds is the usual tail.
const lineEnds = "\r\n"

// plainWords makes the stage of Llama 3, Qwen 2 and their kin: contractions,
// letters with one other character in front, digits, punctuation with a space
// in front and line ends behind, white space.
func plainWords(o style) stage {
	inWord := letter
	if o.marks {
		inWord |= mark
	}
	return func(s string) int {
		if o.contractions {
			if n := contraction(s, true); n > 0 {
				return n
			}
		}
		c, n := classAt(s)
		if c&inWord != 0 {
			return n + run(s[n:], inWord)
		}
		if mayLead(s, c) {
			if m := run(s[n:], inWord); m > 0 {
				return n + m
			}
		}
		return o.rest(s, inWord)
	}
}

// mayLead says that the first character of s, which is of class c, may stand
// in front of a word and belong to it.
func mayLead(s string, c class) bool {
	return c&(letter|number) == 0 && s[0] != '\r' && s[0] != '\n'
}

// rest cuts what begins with no word: digits, punctuation or white space.
func (o *style) rest(s string, inWord class) int {
	if c, _ := classAt(s); c&number != 0 {
		if o.digits == 0 {
			return run(s, number)
		}
		return runUpTo(s, o.digits, number)
	}
	at := 0
	if s[0] == ' ' {
		at = 1
	}
	if n := runNot(s[at:], space|inWord|number); n > 0 {
		at += n
		for at < len(s) && strings.IndexByte(o.tail, s[at]) >= 0 {
			at++
		}
		return at
	}
	return spaces(s, true)
}

const (
	capital = upper | other | mark
	small   = lower | other | mark
)

// casedWords makes the stage of GPT-4o and its kin: capitals and then small
// letters make a word, so that "camelCase" is two, and a contraction belongs to
// the word before it.
func casedWords(o style) stage {
	return func(s string) int {
		c, lead := classAt(s)
		if !mayLead(s, c) {
			lead = 0
		}
		n := 0
		if n = smallEnd(s[lead:]); n > 0 {
			n += lead
		} else if n = smallEnd(s); n > 0 {
			// A mark that could lead is a word of its own.
		} else if n = run(s[lead:], capital); n > 0 {
			n += lead
		}
		if n == 0 {
			return o.rest(s, letter)
		}
		if o.contractions {
			n += contraction(s[n:], true)
		}
		return n
	}
}

// smallEnd returns the length of capitals and then at least one small letter;
// letters without case are both.
func smallEnd(s string) int {
	at, both := 0, 0
	for at < len(s) {
		c, n := classAt(s[at:])
		if c&capital == 0 {
			break
		}
		at += n
		if c&small != 0 {
			both = at
		}
	}
	if n := run(s[at:], small); n > 0 {
		return at + n
	}
	return both
}

// mixedWords is the pattern of DeepSeek V3 for what is no number: ASCII
// punctuation before ASCII letters, letters and marks with one other character
// in front, punctuation and symbols with a space in front and line ends behind,
// white space.
func mixedWords(s string) int {
	if c := s[0]; c < 0x80 && ascii[c]&(punct|symb) != 0 {
		n := 1
		for n < len(s) && s[n] < 0x80 && ascii[s[n]]&letter != 0 {
			n++
		}
		if n > 1 {
			return n
		}
	}
	c, n := classAt(s)
	if c&(letter|punct|symb) == 0 && s[0] != '\r' && s[0] != '\n' {
		if m := run(s[n:], letter|mark); m > 0 {
			return n + m
		}
	}
	if m := run(s, letter|mark); m > 0 {
		return m
	}
	at := 0
	if s[0] == ' ' {
		at = 1
	}
	if m := run(s[at:], punct|symb); m > 0 {
		at += m
		return at + len(s[at:]) - len(strings.TrimLeft(s[at:], lineEnds))
	}
	return spaces(s, true)
}
