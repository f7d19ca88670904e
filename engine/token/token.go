// Package token turns text into a model's token ids and ids into text, by the
// vocabulary in a GGUF file: byte-level BPE, SentencePiece BPE and Unigram, and
// longest match.
//
// Text gives the same ids as llama.cpp gives it, with one difference on
// purpose: plain text never becomes a control token, whatever it spells and
// however the merges fall. Encoding neither adds nor drops anything, but that
// Unigram vocabularies say what they make of characters and spaces: decoding
// gives the text back wherever the vocabulary has its bytes. Vocabularies and
// pre-tokenizers that are not known are refused by name. A Tokenizer is safe
// for concurrent use; a Decoder belongs to one stream.
package token

import (
	"fmt"
	"sync"

	"github.com/confab-tui/confab/engine/gguf"
)

// Tokenizer holds one vocabulary.
type Tokenizer struct {
	vocab
	model model
	// plain and special find the spellings that become tokens as a whole: those
	// of user-defined tokens in any text, those of control tokens where allowed.
	plain, special *spellings
	// stripAfter says that white space after a special token is dropped.
	stripAfter []bool
	controls   []string

	// idle are the encoders that nobody is using, with their warm caches.
	mu   sync.Mutex
	idle []*encoder
}

// model is one way of cutting text into tokens.
type model interface {
	// encode appends the ids of a text, not empty, that begins at the beginning
	// or after a special token, and ends at the end or before one.
	encode(e *encoder, dst []int32, text string) []int32
	// appendPiece appends the bytes of a normal token.
	appendPiece(dst []byte, spelling string) []byte
}

// New makes the tokenizer of a model file.
func New(f *gguf.File) (*Tokenizer, error) {
	t := &Tokenizer{}
	if err := t.vocab.load(f); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Path, err)
	}
	// Before the models, which keep what plain text may become.
	t.endings(f)
	var err error
	switch t.kind {
	case "gpt2", "gemma4":
		t.model, err = newBPE(f, &t.vocab)
	case "llama":
		t.model, err = newSentencePiece(f, &t.vocab)
	case "t5":
		t.model, err = newUnigram(f, &t.vocab)
	case "rwkv":
		t.model = newLongest(&t.vocab)
	default:
		err = fmt.Errorf("tokenizer.ggml.model is %q, which is not known: gpt2, gemma4, llama, t5 and rwkv are", t.kind)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Path, err)
	}
	t.begin(f)
	t.findSpecials(f)
	return t, nil
}

// Len returns the size of the vocabulary.
func (t *Tokenizer) Len() int { return t.len() }

// BOS returns the token that begins a text, if there is one.
func (t *Tokenizer) BOS() (int32, bool) { return t.bos, t.bos >= 0 }

// EOS returns the token that ends a text, if there is one.
func (t *Tokenizer) EOS() (int32, bool) { return t.eos, t.eos >= 0 }

// AddBOS says that the model wants the BOS token before a text.
func (t *Tokenizer) AddBOS() bool { return t.addBOS && t.bos >= 0 }

// IsEOG says that the token ends the generation.
func (t *Tokenizer) IsEOG(id int32) bool { return t.eog[id] }

// IsControl says that the token is a mark for the model and no text.
func (t *Tokenizer) IsControl(id int32) bool {
	return t.has(id) && t.types[id] == typeControl
}

// Special returns the spellings that EncodeSpecial turns into control tokens.
// Nobody may change it.
func (t *Tokenizer) Special() []string { return t.controls }

// Piece returns the token's bytes, which may be part of a character; for a
// control token its spelling; nil for an id that the vocabulary lacks.
func (t *Tokenizer) Piece(id int32) []byte { return t.appendPiece(nil, id) }

func (t *Tokenizer) appendPiece(dst []byte, id int32) []byte {
	if !t.has(id) {
		return dst
	}
	spelling := t.list.texts[id]
	switch t.types[id] {
	case typeNormal:
		return t.model.appendPiece(dst, spelling)
	case typeByte:
		if b, ok := parseByte(spelling); ok {
			return append(dst, b)
		}
	case typeUnused:
		return dst
	}
	return append(dst, spelling...)
}
