package token

import (
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"
)

// class is a set of properties of a character.
type class uint8

const (
	upper  class = 1 << iota // Lu, Lt
	lower                    // Ll
	other                    // Lm, Lo: letters without case
	mark                     // M
	number                   // N
	punct                    // P
	symb                     // S
	space                    // white space

	letter = upper | lower | other
)

// tabled is how many code points have their class in a table: two planes hold
// nearly all that is written.
const tabled = 0x20000

// classes is filled on the first use, in about a millisecond.
var classes = sync.OnceValue(func() *[tabled]class {
	t := new([tabled]class)
	for _, p := range properties {
		fill(t, p.table, p.class)
	}
	return t
})

var properties = []struct {
	table *unicode.RangeTable
	class class
}{
	{unicode.Lu, upper}, {unicode.Lt, upper}, {unicode.Ll, lower}, {unicode.Lm, other}, {unicode.Lo, other},
	{unicode.M, mark}, {unicode.N, number}, {unicode.P, punct}, {unicode.S, symb}, {unicode.White_Space, space},
}

func fill(t *[tabled]class, table *unicode.RangeTable, c class) {
	for _, r := range table.R16 {
		for i := uint32(r.Lo); i <= uint32(r.Hi); i += uint32(r.Stride) {
			t[i] |= c
		}
	}
	for _, r := range table.R32 {
		for i := r.Lo; i <= r.Hi && i < tabled; i += r.Stride {
			t[i] |= c
		}
	}
}

// ascii is the beginning of classes, without the wait.
var ascii = func() (t [utf8.RuneSelf]class) {
	for i := range t {
		t[i] = slowClass(rune(i))
	}
	return t
}()

func slowClass(r rune) class {
	var c class
	for _, p := range properties {
		if unicode.Is(p.table, r) {
			c |= p.class
		}
	}
	return c
}

// classAt returns the class of the character at the beginning of s, which is
// not empty, and its length. A byte of no character is a symbol, as U+FFFD is.
func classAt(s string) (class, int) {
	if c := s[0]; c < utf8.RuneSelf {
		return ascii[c], 1
	}
	r, n := utf8.DecodeRuneInString(s)
	if r < tabled {
		return classes()[r], n
	}
	return slowClass(r), n
}

// classOf is classAt, for a text that may be at its end: 0, 0 there.
func classOf(s string) (class, int) {
	if len(s) == 0 {
		return 0, 0
	}
	return classAt(s)
}

// run returns how far the characters at the beginning of s are of a class.
func run(s string, of class) int {
	i := 0
	for i < len(s) && s[i] < utf8.RuneSelf {
		if ascii[s[i]]&of == 0 {
			return i
		}
		i++
	}
	for i < len(s) {
		c, n := classAt(s[i:])
		if c&of == 0 {
			break
		}
		i += n
	}
	return i
}

// ranges is a set of characters as pairs of first and last, ascending.
type ranges []rune

// rangesOf reads a set written like "a-zA-Z_", a minus only between two ends.
func rangesOf(spec string) ranges {
	var pairs [][2]rune
	r := []rune(spec)
	for i := 0; i < len(r); i++ {
		p := [2]rune{r[i], r[i]}
		if i+2 < len(r) && r[i+1] == '-' {
			p[1] = r[i+2]
			i += 2
		}
		pairs = append(pairs, p)
	}
	slices.SortFunc(pairs, func(a, b [2]rune) int { return int(a[0] - b[0]) })
	set := make(ranges, 0, 2*len(pairs))
	for _, p := range pairs {
		set = append(set, p[0], p[1])
	}
	return set
}

// run returns how far the characters at the beginning of s are in the set.
func (set ranges) run(s string) int {
	for i, r := range s {
		if !set.has(r) {
			return i
		}
	}
	return len(s)
}

func (set ranges) has(r rune) bool {
	for i := 0; i < len(set); i += 2 {
		if r <= set[i+1] {
			return r >= set[i]
		}
	}
	return false
}
