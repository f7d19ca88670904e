package token

import (
	"strings"
	"unicode/utf8"
)

// Decoder turns the tokens of one stream into text, as they come. It holds
// back what may be the beginning of a character, at most three bytes.
type Decoder struct {
	t       *Tokenizer
	special bool
	buf     []byte
}

// NewDecoder makes a Decoder at the beginning of a text. With special, control
// tokens give their spelling, otherwise nothing.
func (t *Tokenizer) NewDecoder(special bool) *Decoder { return &Decoder{t: t, special: special} }

// Add returns the text that the next token completes, which may be nothing.
// Bytes that belong to no character become U+FFFD.
func (d *Decoder) Add(id int32) string {
	if !d.special && d.t.has(id) && (d.t.types[id] == typeControl || d.t.types[id] == typeUnknown) {
		return ""
	}
	d.buf = d.t.appendPiece(d.buf, id)
	return d.take(completeLen(d.buf))
}

// Flush returns what was held back, which no token will complete.
func (d *Decoder) Flush() string { return d.take(len(d.buf)) }

// take returns the first n bytes as text and forgets them.
func (d *Decoder) take(n int) string {
	if n == 0 {
		return ""
	}
	s := string(d.buf[:n])
	d.buf = d.buf[:copy(d.buf, d.buf[n:])]
	return validText(s)
}

// completeLen returns how many bytes of b are there before the beginning of a
// character that the next bytes could complete.
func completeLen(b []byte) int {
	for i := max(len(b)-utf8.UTFMax+1, 0); i < len(b); i++ {
		if utf8.RuneStart(b[i]) && !utf8.FullRune(b[i:]) {
			return i
		}
	}
	return len(b)
}

// validText replaces each byte that belongs to no character.
func validText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.Map(func(r rune) rune { return r }, s)
}

// Decode returns the text of tokens that stand alone. The space that a
// SentencePiece vocabulary puts in front of a text is taken off again.
func (t *Tokenizer) Decode(ids []int32, special bool) string {
	d := t.NewDecoder(special)
	var b strings.Builder
	for _, id := range ids {
		b.WriteString(d.Add(id))
	}
	b.WriteString(d.Flush())
	switch m := t.model.(type) {
	case *sentencePiece:
		if m.prefix {
			return strings.TrimPrefix(b.String(), " ")
		}
	case *unigram:
		if m.prefix || m.merge {
			return strings.TrimPrefix(b.String(), " ")
		}
	}
	return b.String()
}
