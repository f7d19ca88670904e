package token

import (
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/confab-tui/confab/engine/gguf"
)

// unigram cuts a text into the tokens whose scores, logarithms of probabilities, have the
// greatest sum. The format calls this "t5", after the models that brought it in. The text is
// normalised first: characters as the vocabulary's own map says, and spaces in a row as one
// where it wants that.
type unigram struct {
	v     *vocab
	texts *spellings
	// scores are those of texts.ids' tokens, by id.
	scores []float64
	bytes  [256]int32
	// unknown is the score of a character that is no token.
	unknown float64
	chars   charMap
	// prefix says that a text gets a space in front, merge that spaces in a row are one
	// and those at the end none.
	prefix, merge bool
}

func newUnigram(f *gguf.File, v *vocab) (*unigram, error) {
	const key = "tokenizer.ggml.scores"
	scores, ok := f.Floats(key)
	if !ok || len(scores) != v.len() {
		return nil, fmt.Errorf("%s must be %d numbers, one for each token, but has %d", key, v.len(), len(scores))
	}
	u := &unigram{v: v, scores: scores, prefix: true}
	for b := range u.bytes {
		u.bytes[b] = -1
	}
	least := math.Inf(1)
	var texts []string
	var ids []int32
	for id, token := range v.list.texts {
		switch v.types[id] {
		case typeNormal:
			least = min(least, scores[id])
		case typeUser:
			scores[id] = 0
		case typeByte:
			if b, ok := parseByte(token); ok {
				u.bytes[b] = int32(id)
			}
			continue
		default:
			continue
		}
		if math.IsNaN(scores[id]) || math.IsInf(scores[id], 0) {
			return nil, fmt.Errorf("%s has %g for the token %d", key, scores[id], id)
		}
		if token != "" {
			texts, ids = append(texts, token), append(ids, int32(id))
		}
	}
	u.texts = newSpellings(texts, ids)
	if len(ids) == 0 || math.IsInf(least, 0) {
		return nil, fmt.Errorf("the vocabulary has no plain tokens")
	}
	u.unknown = least - unknownPenalty
	if b, ok := f.Bool("tokenizer.ggml.add_space_prefix"); ok {
		u.prefix = b
	}
	u.merge, _ = f.Bool("tokenizer.ggml.remove_extra_whitespaces")
	var err error
	u.chars, err = readCharMap(f)
	return u, err
}

// unknownPenalty is how much less likely than the least likely token an unknown character
// is, as SentencePiece has it.
const unknownPenalty = 10

// reached is the best way to a place in the text.
type reached struct {
	score float64
	// id is the last token, which begins at from; -1 for an unknown character.
	id, from int32
}

func (u *unigram) encode(e *encoder, dst []int32, text string) []int32 {
	return u.cut(e, dst, string(u.normalise(e.buf[:0], text)))
}

// cut appends the tokens of a normalised text.
func (u *unigram) cut(e *encoder, dst []int32, text string) []int32 {
	best := make([]reached, len(text)+1)
	for i := range best {
		best[i].score = math.Inf(-1)
	}
	best[0].score = 0
	for at := 0; at < len(text); {
		_, n := utf8.DecodeRuneInString(text[at:])
		known := false
		e.matches = u.texts.at(e.matches[:0], text, at)
		for _, f := range e.matches {
			known = known || f.end-at == n
			propose(best, f.end, reached{best[at].score + u.scores[f.id], f.id, int32(at)})
		}
		if !known {
			propose(best, at+n, reached{best[at].score + u.unknown, -1, int32(at)})
		}
		at += n
	}
	was := len(dst)
	for at := len(text); at > 0; at = int(best[at].from) {
		if b := best[at]; b.id >= 0 {
			dst = append(dst, b.id)
		} else {
			dst = u.others(dst, was, text[b.from:at])
		}
	}
	slices.Reverse(dst[was:])
	return dst
}

func propose(best []reached, at int, way reached) {
	if way.score > best[at].score {
		best[at] = way
	}
}

// others appends, last first, what stands for an unknown character: its bytes where the
// vocabulary has them, else one unknown token for all in a row.
func (u *unigram) others(dst []int32, was int, char string) []int32 {
	for i := range len(char) {
		if u.bytes[char[i]] < 0 {
			if u.v.unk >= 0 && (len(dst) == was || dst[len(dst)-1] != u.v.unk) {
				dst = append(dst, u.v.unk)
			}
			return dst
		}
	}
	for i := len(char) - 1; i >= 0; i-- {
		dst = append(dst, u.bytes[char[i]])
	}
	return dst
}

// normalise appends the text as the vocabulary spells it.
func (u *unigram) normalise(dst []byte, text string) []byte {
	inWord, begun := false, false
	for len(text) > 0 {
		piece, n := u.chars.next(text)
		text = text[n:]
		for i := range len(piece) {
			if piece[i] == ' ' {
				if inWord = false; !u.merge {
					dst = append(dst, "▁"...)
				}
				continue
			}
			if !inWord && (u.prefix && !begun || u.merge) {
				dst = append(dst, "▁"...)
			}
			inWord, begun = true, true
			dst = append(dst, piece[i])
		}
	}
	return dst
}

func (u *unigram) appendPiece(dst []byte, spelling string) []byte {
	return appendUnescaped(dst, spelling)
}
