package token

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/confab-tui/confab/engine/gguf"
)

// bpe cuts words by ranked merges. Byte-level vocabularies begin with a word's
// bytes, the others (Gemma 4) with its characters, after spaces became "▁".
type bpe struct {
	v     *vocab
	rules rules
	pairs pairs
	// bytes are the symbols of the single bytes, -1 where there is none.
	bytes [256]int32
	// parts are spellings that merges make on their way but that are no tokens;
	// the symbol of parts[i] is len(v.tokens)+i.
	parts []string
	// apart says that no merge crosses from a word to the space after it, so
	// that words can be cut one by one.
	apart bool
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
	merges, ok := f.Strings("tokenizer.ggml.merges")
	if !ok {
		return nil, fmt.Errorf("tokenizer.ggml.merges is missing, which a vocabulary of the kind %q needs", v.kind)
	}
	v.addBOS = rules.addBOS
	b := &bpe{v: v, rules: rules}
	if err := b.loadMerges(merges); err != nil {
		return nil, err
	}
	if rules.characters {
		b.bytes = v.byteTokens()
	} else {
		for i := range b.bytes {
			b.bytes[i] = -1
			if id, ok := v.ids[byteSpelling[i]]; ok && v.text(id) {
				b.bytes[i] = id
			}
		}
	}
	return b, nil
}

// loadMerges numbers what the merges join. Merges mostly make one token after
// the other in the order of ids, so what one makes is looked for beside what
// the last one made before it is looked up.
func (b *bpe) loadMerges(merges []string) error {
	b.pairs = newPairs(len(merges))
	b.apart = true
	var others map[string]int32
	symbol := func(s string) int32 {
		if id, ok := b.v.ids[s]; ok && b.v.text(id) {
			return id
		}
		id, ok := others[s]
		if !ok {
			if others == nil {
				others = map[string]int32{}
			}
			id = int32(len(b.v.tokens) + len(b.parts))
			s = strings.Clone(s)
			b.parts = append(b.parts, s)
			others[s] = id
		}
		return id
	}
	var buf []byte
	last := int32(0)
	for rank, merge := range merges {
		// A part may itself begin with a space.
		cut := 1 + strings.IndexByte(merge[min(1, len(merge)):], ' ')
		if cut < 1 || cut+1 >= len(merge) {
			return fmt.Errorf("tokenizer.ggml.merges: number %d is %q, not two parts with a space between", rank, merge)
		}
		left, right := merge[:cut], merge[cut+1:]
		if b.apart && strings.HasPrefix(right, "▁") && strings.Trim(left, "▁") != "" {
			b.apart = false
		}
		var joined int32
		switch {
		case b.makes(last, left, right):
			joined = last
		case b.makes(last+1, left, right):
			joined = last + 1
		default:
			buf = append(append(buf[:0], left...), right...)
			id, ok := b.v.ids[string(buf)]
			if !ok || !b.v.text(id) {
				id = symbol(string(buf))
			}
			joined = id
		}
		last = joined
		b.pairs.add(symbol(left), symbol(right), uint32(rank), joined)
	}
	return nil
}

// makes says that the token is spelled as left and right together.
func (b *bpe) makes(id int32, left, right string) bool {
	if !b.v.has(id) || !b.v.text(id) {
		return false
	}
	s := b.v.tokens[id]
	return len(s) == len(left)+len(right) && s[:len(left)] == left && s[len(left):] == right
}

// join makes bpe a joiner.
func (b *bpe) join(_ *encoder, left, right *symbol) (rank uint32, id int32, ok bool) {
	return b.pairs.get(left.id, right.id)
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

// word cuts one word, with the help of the cache.
func (b *bpe) word(e *encoder, dst []int32, word string) []int32 {
	dst, ok := e.cache.get(dst, word)
	if ok {
		return dst
	}
	n := len(dst)
	if b.rules.characters {
		dst = b.characters(e, dst, word)
	} else {
		dst = b.byteLevel(e, dst, word)
	}
	e.cache.put(word, dst[n:])
	return dst
}

func (b *bpe) byteLevel(e *encoder, dst []int32, word string) []int32 {
	if b.rules.wholeWords {
		e.buf = e.buf[:0]
		for i := range len(word) {
			e.buf = append(e.buf, byteSpelling[word[i]]...)
		}
		if id, ok := b.v.ids[string(e.buf)]; ok && b.v.text(id) {
			return append(dst, id)
		}
	}
	e.symbols = e.symbols[:0]
	for i := range len(word) {
		e.addSymbol(i, i+1, b.bytes[word[i]])
	}
	e.merge(b)
	for i := int32(0); i >= 0; i = e.symbols[i].next {
		s := &e.symbols[i]
		dst = b.emit(dst, s.id, word[s.start:s.end])
	}
	return dst
}

// characters cuts a word into characters to begin with. Line ends in a row are
// a token of their own where the vocabulary has it.
func (b *bpe) characters(e *encoder, dst []int32, word string) []int32 {
	e.buf = appendEscaped(e.buf[:0], word)
	if word[0] == '\n' {
		if id, ok := b.v.ids[string(e.buf)]; ok && b.v.text(id) {
			return append(dst, id)
		}
	}
	e.symbols = e.symbols[:0]
	for i := 0; i < len(e.buf); {
		_, n := utf8.DecodeRune(e.buf[i:])
		id, ok := b.v.ids[string(e.buf[i:i+n])]
		if !ok || !b.v.text(id) {
			id = -1
		}
		e.addSymbol(i, i+n, id)
		i += n
	}
	e.merge(b)
	for i := int32(0); i >= 0; i = e.symbols[i].next {
		s := &e.symbols[i]
		dst = b.emit(dst, s.id, string(e.buf[s.start:s.end]))
	}
	return dst
}

// emit appends a symbol: its token, or else the tokens of its bytes.
func (b *bpe) emit(dst []int32, id int32, text string) []int32 {
	if b.v.has(id) {
		return append(dst, id)
	}
	for i := range len(text) {
		switch id := b.bytes[text[i]]; {
		case id >= 0:
			dst = append(dst, id)
		case b.v.unk >= 0:
			dst = append(dst, b.v.unk)
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
