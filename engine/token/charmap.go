package token

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/confab-tui/confab/engine/gguf"
)

// charMap replaces strings of a text, most of them single characters: a trie in an array of
// units, SentencePiece's precompiled map, and the replacements, each ended by a zero.
type charMap struct {
	units        []uint32
	replacements string
}

// readCharMap reads the map, which a file may lack.
func readCharMap(f *gguf.File) (charMap, error) {
	const key = "tokenizer.ggml.precompiled_charsmap"
	values, _ := f.Ints(key)
	if len(values) == 0 {
		return charMap{}, nil
	}
	raw := make([]byte, len(values))
	for i, v := range values {
		raw[i] = byte(v)
	}
	if len(raw) < 4 {
		return charMap{}, fmt.Errorf("%s has %d bytes; it begins with 4 that say how long its trie is", key, len(raw))
	}
	size := int64(raw[0]) | int64(raw[1])<<8 | int64(raw[2])<<16 | int64(raw[3])<<24
	if raw = raw[4:]; size%4 != 0 || size > int64(len(raw)) {
		return charMap{}, fmt.Errorf("%s has a trie of %d bytes in %d", key, size, len(raw))
	}
	m := charMap{units: make([]uint32, size/4), replacements: string(raw[size:])}
	for i := range m.units {
		b := raw[4*i:]
		m.units[i] = uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
	}
	return m, nil
}

// next returns what stands for the beginning of a text, and how long that beginning is: the
// longest that the map has, else a character as it is, U+FFFD for what is none.
func (m *charMap) next(text string) (string, int) {
	if by, n := m.longest(text); n > 0 {
		return by, n
	}
	r, n := utf8.DecodeRuneInString(text)
	if r == utf8.RuneError {
		return "\ufffd", n
	}
	return text[:n], n
}

func (m *charMap) longest(text string) (by string, n int) {
	if len(m.units) == 0 {
		return "", 0
	}
	at := offset(m.units[0])
	for i := 0; i < len(text) && text[i] != 0; i++ {
		c := uint32(text[i])
		if at ^= c; int64(at) >= int64(len(m.units)) || m.units[at]&(1<<31|0xff) != c {
			break
		}
		unit := m.units[at]
		at ^= offset(unit)
		if unit>>8&1 == 0 {
			continue
		}
		if int64(at) >= int64(len(m.units)) {
			break
		}
		if place := int(m.units[at] &^ (1 << 31)); place <= len(m.replacements) {
			by, _, _ = strings.Cut(m.replacements[place:], "\x00")
			n = i + 1
		}
	}
	return by, n
}

// offset is how far a unit's children stand from it, as the bits that differ.
func offset(unit uint32) uint32 { return unit >> 10 << (unit >> 9 & 1 << 3) }
