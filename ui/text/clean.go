package text

import (
	"strings"
	"unicode/utf8"
)

// Clean makes text harmless to a terminal: control characters become their
// visible pictures (U+2400), bytes that are no UTF-8 become U+FFFD, carriage
// returns that end a line go away, and characters that turn the direction of
// the text around it become U+FFFD too. Newlines and tabs stay. It works rune
// by rune, so cleaning pieces gives the pieces of the cleaned text, apart from
// a "\r\n" that was cut in two.
func Clean(s string) string {
	if !needsCleaning(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 8)
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\r' && i+1 < len(s) && s[i+1] == '\n':
		case r == '\r':
			b.WriteByte('\n')
		case r == utf8.RuneError && n == 1:
			b.WriteRune(utf8.RuneError)
		default:
			b.WriteRune(picture(r))
		}
		i += n
	}
	return b.String()
}

// CleanLine is Clean for text that must stay on one line, such as a title:
// newlines and tabs become spaces.
func CleanLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		return r
	}, Clean(s))
}

func needsCleaning(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 && c != '\n' && c != '\t' || c >= 0x7f {
			return true
		}
	}
	return false
}

func picture(r rune) rune {
	switch {
	case r == '\n' || r == '\t':
		return r
	case r < 0x20:
		return 0x2400 + r
	case r == 0x7f:
		return 0x2421
	case r >= 0x80 && r < 0xa0, turnsDirection(r), r == 0x2028, r == 0x2029, r == 0xfeff:
		return utf8.RuneError
	case r >= 0xe0000 && r < 0xe0020:
		return utf8.RuneError
	}
	return r
}

// turnsDirection tells the embeddings, overrides and isolates of the
// bidirectional algorithm, with which text can be made to read otherwise than
// it is stored.
func turnsDirection(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x061c
}
