package token

import (
	"fmt"
	"strings"

	"github.com/confab-tui/confab/engine/gguf"
)

// The types of tokens, by their numbers in the format.
const (
	typeNormal  = 1
	typeUnknown = 2
	typeControl = 3
	typeUser    = 4
	typeUnused  = 5
	typeByte    = 6
)

// vocab is what every kind of vocabulary has.
type vocab struct {
	kind, pre string
	// list has the spellings as in the file, where byte-level vocabularies spell
	// a space "Ġ" and SentencePiece ones "▁".
	list  *index
	types []uint8
	// The ids are -1 where there is none.
	bos, eos, unk int32
	addBOS        bool
	eog           map[int32]bool
}

func (v *vocab) len() int { return len(v.list.texts) }

func (v *vocab) has(id int32) bool { return id >= 0 && int(id) < v.len() }

// ID returns the token that is spelled so in the vocabulary.
func (v *vocab) ID(spelling string) (int32, bool) { return v.list.find([]byte(spelling)) }

// find returns the token that is spelled so, if plain text may become it.
func (v *vocab) find(spelling []byte) (int32, bool) {
	id, ok := v.list.find(spelling)
	return id, ok && v.text(id)
}

// text says that plain text may become the token.
func (v *vocab) text(id int32) bool {
	return v.types[id] == typeNormal || v.types[id] == typeUser
}

// load reads the tokens with their types, and the ids that have a meaning.
func (v *vocab) load(f *gguf.File) error {
	v.kind, _ = f.String("tokenizer.ggml.model")
	if v.kind == "" {
		return fmt.Errorf("the file has no vocabulary: tokenizer.ggml.model is missing")
	}
	v.pre, _ = f.String("tokenizer.ggml.pre")
	tokens, _ := f.Strings("tokenizer.ggml.tokens")
	if len(tokens) == 0 {
		return fmt.Errorf("the file has no vocabulary: tokenizer.ggml.tokens is missing or empty")
	}
	if len(tokens) > maxIndexed {
		return fmt.Errorf("tokenizer.ggml.tokens has %d entries; up to %d are supported", len(tokens), maxIndexed)
	}
	v.list = newIndex(tokens)
	if err := v.loadTypes(f); err != nil {
		return err
	}
	v.bos, v.eos, v.unk = -1, -1, -1
	if v.kind == "llama" {
		v.bos, v.eos, v.unk = 1, 2, 0
		v.addBOS = true
	}
	if v.kind == "t5" {
		v.eos, v.unk = 1, 2
	}
	v.bos = v.special(f, "bos", v.bos)
	v.eos = v.special(f, "eos", v.eos)
	v.unk = v.special(f, "unknown", v.unk)
	return nil
}

func (v *vocab) loadTypes(f *gguf.File) error {
	const key = "tokenizer.ggml.token_type"
	v.types = make([]uint8, v.len())
	for i := range v.types {
		v.types[i] = typeNormal
	}
	if _, ok := f.Value(key); !ok {
		return nil
	}
	types, ok := f.Ints(key)
	if !ok || len(types) != v.len() {
		return fmt.Errorf("%s must be %d numbers, one for each token, but has %d", key, v.len(), len(types))
	}
	for i, x := range types {
		if x < 1 || x > typeByte {
			x = typeUnused
		}
		v.types[i] = uint8(x)
	}
	return nil
}

// special returns the id at tokenizer.ggml.NAME_token_id, or otherwise where
// the key is missing or no token.
func (v *vocab) special(f *gguf.File, name string, otherwise int32) int32 {
	if !v.has(otherwise) {
		otherwise = -1
	}
	id, ok := f.Int("tokenizer.ggml." + name + "_token_id")
	if !ok || id < 0 || id >= int64(v.len()) {
		return otherwise
	}
	return int32(id)
}

// begin takes over what the file says of the token before a text.
func (v *vocab) begin(f *gguf.File) {
	if b, ok := f.Bool("tokenizer.ggml.add_bos_token"); ok {
		v.addBOS = b
	}
}

// endings finds the tokens that end the generation: those that keys name and
// those with well-known spellings, whose type files often have wrong.
func (v *vocab) endings(f *gguf.File) {
	v.eog = map[int32]bool{}
	for _, spelling := range endSpellings {
		if id, ok := v.ID(spelling); ok {
			v.eog[id] = true
			v.types[id] = typeControl
		}
	}
	for _, name := range []string{"eos", "eot", "eom", "fim_pad", "fim_rep", "fim_sep"} {
		// Muse ends a stretch of reasoning with <|eom|> and goes on.
		if id := v.special(f, name, -1); id >= 0 && v.list.texts[id] != "<|eom|>" {
			v.eog[id] = true
		}
	}
	if v.eos >= 0 {
		v.eog[v.eos] = true
	}
	// Some vocabularies end a message, but not the turn, with <|end|>; these
	// have other tokens that end the turn.
	if v.ends("<|return|>") && v.ends("<|call|>") || v.ends("<|calls|>") && v.ends("<|flush|>") {
		v.continues("<|end|>")
	}
	// Gemma 4 has </s> as text.
	if v.ends("<|tool_response>") {
		if id, ok := v.continues("</s>"); ok {
			v.types[id] = typeNormal
		}
	}
}

func (v *vocab) ends(spelling string) bool {
	id, ok := v.ID(spelling)
	return ok && v.eog[id]
}

// continues takes a token out of those that end the generation.
func (v *vocab) continues(spelling string) (int32, bool) {
	id, ok := v.ID(spelling)
	if ok {
		delete(v.eog, id)
	}
	return id, ok
}

// endSpellings end the generation in whatever vocabulary they are.
var endSpellings = []string{
	"<|eot_id|>", "<|eom_id|>", "<|eot|>", "<|im_end|>", "<|end|>", "<|return|>", "<|call|>", "<|calls|>", "<|flush|>",
	"<end_of_turn>", "<|end_of_turn|>", "<|endoftext|>", "<|end_of_text|>", "</s>", "<EOT>", "_<EOT>", "<|EOT|>", "[EOT]", "[EOS]",
	"<end_of_utterance>", "<eos>", "<turn|>", "<|tool_response>", "<｜end▁of▁sentence｜>", "[e~[",
	"<|fim_pad|>", "<|repo_name|>", "<|fim_repo|>", "<|file_sep|>",
}

// parseByte reads the spelling "<0x0A>" of a byte token.
func parseByte(spelling string) (byte, bool) {
	if len(spelling) != 6 || !strings.HasPrefix(spelling, "<0x") || spelling[5] != '>' {
		return 0, false
	}
	hi, lo := hexDigit(spelling[3]), hexDigit(spelling[4])
	return byte(hi<<4 | lo), hi >= 0 && lo >= 0
}

func hexDigit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	}
	return -1
}

// byteTokens returns the token of each byte: its byte token, or the token
// spelled as the byte itself, or -1.
func (v *vocab) byteTokens() (tokens [256]int32) {
	const digits = "0123456789ABCDEF"
	for b := range tokens {
		id, ok := v.list.find([]byte{'<', '0', 'x', digits[b>>4], digits[b&15], '>'})
		if !ok {
			id, ok = v.find([]byte{byte(b)})
		}
		if !ok {
			id = -1
		}
		tokens[b] = id
	}
	return tokens
}
