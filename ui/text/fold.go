package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold gives text as a search compares it: in small letters and without accents, as the
// index over all chats has it.
func Fold(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r = foldRune(r); r >= 0 {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Find gives the bytes of s in which a folded term stands, from the first place on.
func Find(s, folded string) (found [][2]int) {
	var b strings.Builder
	var from []int // the byte of s that each byte of b comes from
	for i, r := range s {
		if r = foldRune(r); r < 0 {
			continue
		}
		b.WriteRune(r)
		for len(from) < b.Len() {
			from = append(from, i)
		}
	}
	from = append(from, len(s))
	for at, all := 0, b.String(); folded != ""; {
		i := strings.Index(all[at:], folded)
		if i < 0 {
			break
		}
		found = append(found, [2]int{from[at+i], from[at+i+len(folded)]})
		at += i + len(folded)
	}
	return found
}

// foldRune gives -1 for an accent that stands behind its letter.
func foldRune(r rune) rune {
	if r < utf8.RuneSelf {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	if accent(r) {
		return -1
	}
	parts := []rune(norm.NFD.String(string(r)))
	for _, p := range parts[1:] {
		if !accent(p) {
			return unicode.ToLower(r)
		}
	}
	return unicode.ToLower(parts[0])
}

// accent tells the combining marks of alphabets: those of other scripts make another
// letter.
func accent(r rune) bool { return r >= '\u0300' && r <= '\u036f' }
