package token

import "strings"

// Span is a range of bytes in a text.
type Span struct{ Start, End int }

// encoder is the scratch space of one call, and the words that earlier calls
// have cut already.
type encoder struct {
	cache cache
	// buf is the word that is being cut, in the vocabulary's spelling, symbols
	// its parts and heap those that may be joined; pair is a merge looked for.
	buf     []byte
	symbols []symbol
	heap    []candidate
	pair    []byte
	found   []found
	// matches are the tokens at one place of a text, while found are its special tokens.
	matches []found
}

// idleEncoders is how many encoders are kept with their caches.
const idleEncoders = 4

// Encode appends the tokens of a plain text. Spellings of control tokens stay
// text; those of user-defined tokens become the token, as the models were
// trained. A SentencePiece vocabulary that wants a space before a text gets it.
func (t *Tokenizer) Encode(dst []int32, text string) []int32 {
	return t.encode(dst, text, t.plain, nil)
}

// EncodeSpecial is Encode, but the spellings of control tokens become these.
func (t *Tokenizer) EncodeSpecial(dst []int32, text string) []int32 {
	return t.encode(dst, text, t.special, nil)
}

// EncodeMixed is EncodeSpecial, but no spelling becomes a control token that
// has a byte in one of the typed spans, which ascend and do not overlap.
func (t *Tokenizer) EncodeMixed(dst []int32, text string, typed []Span) []int32 {
	return t.encode(dst, text, t.special, typed)
}

func (t *Tokenizer) encode(dst []int32, text string, set *spellings, typed []Span) []int32 {
	e := t.take()
	defer t.giveBack(e)
	at := 0
	for _, f := range t.partition(e, text, set, typed) {
		if f.start < at {
			continue
		}
		if f.start > at {
			dst = t.model.encode(e, dst, text[at:f.start])
		}
		dst = append(dst, f.id)
		at = f.end
		if t.stripAfter != nil && t.stripAfter[f.id] {
			at += len(text[at:]) - len(strings.TrimLeft(text[at:], " \t\n\v\f\r"))
		}
	}
	if at < len(text) {
		dst = t.model.encode(e, dst, text[at:])
	}
	return dst
}

// take returns an encoder that nobody else has.
func (t *Tokenizer) take() *encoder {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := len(t.idle); n > 0 {
		e := t.idle[n-1]
		t.idle = t.idle[:n-1]
		return e
	}
	return &encoder{}
}

func (t *Tokenizer) giveBack(e *encoder) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.idle) < idleEncoders {
		t.idle = append(t.idle, e)
	}
}
