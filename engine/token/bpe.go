package token

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/confab-tui/confab/engine/gguf"
)

// bpe cuts words by ranked merges. In byte-level vocabularies every byte is
// spelled as a printable character; in the others (Gemma 4) text is spelled as
// it is, but spaces as "▁".
type bpe struct {
	v     *vocab
	rules rules
	// merges are lines of two parts with a space between, by rank.
	merges *index
	// bytes are the tokens of single bytes in vocabularies of characters.
	bytes [256]int32
}

func newBPE(f *gguf.File, v *vocab) (*bpe, error) {
	pre := v.pre
	if v.kind == "gemma4" {
		pre = "gemma4"
	}
	rules, ok := rulesOf(pre)
	if !ok {
		return nil, fmt.Errorf("the pre-tokenizer %q (tokenizer.ggml.pre) is not known", pre)
	}
	const key = "tokenizer.ggml.merges"
	merges, ok := f.Strings(key)
	if !ok {
		return nil, fmt.Errorf("%s is missing, which a vocabulary of the kind %q needs", key, v.kind)
	}
	if len(merges) > maxIndexed {
		return nil, fmt.Errorf("%s has %d entries; up to %d are supported", key, len(merges), maxIndexed)
	}
	b := &bpe{v: v, rules: rules, merges: newIndex(merges)}
	v.addBOS = rules.addBOS
	if rules.characters {
		b.bytes = v.byteTokens()
		if wordsApart(merges) {
			b.rules.stages = append(b.rules.stages, wordEnd)
		}
	}
	return b, nil
}

// wordsApart says that no merge goes on from a word to the space after it, so
// that words can be cut, and remembered, one by one.
func wordsApart(merges []string) bool {
	for _, m := range merges {
		left, right, _ := strings.Cut(m, " ")
		if strings.HasPrefix(right, "▁") && strings.Trim(left, "▁") != "" {
			return false
		}
	}
	return true
}

func (b *bpe) rank(e *encoder, left, right []byte) (uint32, bool) {
	e.pair = append(append(append(e.pair[:0], left...), ' '), right...)
	rank, ok := b.merges.find(e.pair)
	return uint32(rank), ok
}

func (b *bpe) encode(e *encoder, dst []int32, text string) []int32 {
	return b.split(e, dst, text, b.rules.stages)
}

// split cuts a text by the first stage, what comes out of it by the next, and
// what comes out of the last into tokens.
func (b *bpe) split(e *encoder, dst []int32, text string, stages []stage) []int32 {
	for len(text) > 0 {
		n := stages[0](text)
		if len(stages) > 1 {
			dst = b.split(e, dst, text[:n], stages[1:])
		} else {
			dst = b.word(e, dst, text[:n])
		}
		text = text[n:]
	}
	return dst
}

// word cuts one word, if need be.
func (b *bpe) word(e *encoder, dst []int32, word string) []int32 {
	dst, ok := e.cache.get(dst, word)
	if ok {
		return dst
	}
	was := len(dst)
	whole := b.rules.wholeWords
	if b.rules.characters {
		e.buf = appendEscaped(e.buf[:0], word)
		// Line ends in a row are a token that no merge makes.
		whole = whole || word[0] == '\n'
	} else {
		e.buf = e.buf[:0]
		for i := range len(word) {
			e.buf = append(e.buf, byteSpelling[word[i]]...)
		}
	}
	id, ok := int32(0), false
	if whole {
		id, ok = b.v.find(e.buf)
	}
	if ok {
		dst = append(dst, id)
	} else {
		dst = e.cut(dst, b.v, b)
	}
	e.cache.put(word, dst[was:])
	return dst
}

// others appends the tokens of the single bytes of a symbol. The unknown token
// stands for one that the vocabulary lacks, or nothing where it lacks that too.
func (b *bpe) others(dst []int32, symbol []byte) []int32 {
	for i := 0; i < len(symbol); {
		id, ok, n := int32(-1), false, 1
		if b.rules.characters {
			id = b.bytes[symbol[i]]
			ok = id >= 0
		} else {
			_, n = utf8.DecodeRune(symbol[i:])
			id, ok = b.v.find(symbol[i : i+n])
		}
		i += n
		if !ok {
			id = b.v.unk
		}
		if id >= 0 {
			dst = append(dst, id)
		}
	}
	return dst
}

func (b *bpe) appendPiece(dst []byte, spelling string) []byte {
	if b.rules.characters {
		return appendUnescaped(dst, spelling)
	}
	for _, r := range spelling {
		if int(r) < len(spelledByte) && spelledByte[r] >= 0 {
			dst = append(dst, byte(spelledByte[r]))
		} else {
			// Not a byte in disguise: such a token is spelled as it is.
			dst = utf8.AppendRune(dst, r)
		}
	}
	return dst
}

// byteSpelling is how byte-level vocabularies spell each byte: a printable
// character of Latin-1 as itself, the others, in order, from U+0100 on.
// spelledByte is the way back, -1 where a character is no byte.
var byteSpelling, spelledByte = func() (to [256]string, from [256 + 68]int16) {
	for i := range from {
		from[i] = -1
	}
	next := rune(256)
	for c := range rune(256) {
		r := c
		if c <= ' ' || c >= 0x7f && c <= 0xa0 || c == 0xad {
			r = next
			next++
		}
		to[c], from[r] = string(r), int16(c)
	}
	return to, from
}()
