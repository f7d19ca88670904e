package token

import (
	"fmt"
	"math"
	"strings"

	"github.com/confab-tui/confab/engine/gguf"
)

// sentencePiece cuts text into characters, spaces spelled "▁", and joins the
// neighbours that make the token with the best score, again and again.
type sentencePiece struct {
	v *vocab
	// ranks order the tokens by their scores, the best least.
	ranks []uint32
	bytes [256]int32
	// prefix says that a text gets a space in front.
	prefix bool
	// apart says that no token goes on over the space after a word, so that
	// words can be cut one by one.
	apart bool
}

func newSentencePiece(f *gguf.File, v *vocab) (*sentencePiece, error) {
	const key = "tokenizer.ggml.scores"
	scores, ok := f.Floats(key)
	if !ok || len(scores) != v.len() {
		return nil, fmt.Errorf("%s must be %d numbers, one for each token, but has %d", key, v.len(), len(scores))
	}
	s := &sentencePiece{v: v, ranks: make([]uint32, len(scores)), bytes: v.byteTokens(), prefix: true, apart: true}
	for i, score := range scores {
		s.ranks[i] = rankOf(float32(score))
	}
	if b, ok := f.Bool("tokenizer.ggml.add_space_prefix"); ok {
		s.prefix = b
	}
	for id, token := range v.list.texts {
		if v.text(int32(id)) && crossesSpace(token) {
			s.apart = false
			break
		}
	}
	return s, nil
}

// rankOf maps scores to numbers in the opposite order.
func rankOf(score float32) uint32 {
	if score == 0 {
		score = 0 // minus zero is no other score
	}
	b := math.Float32bits(score)
	if b>>31 == 0 {
		return ^(b | 1<<31)
	}
	return b
}

// crossesSpace says that "▁" follows something else in the token.
func crossesSpace(token string) bool {
	return strings.Contains(strings.TrimLeft(token, "▁"), "▁")
}

func (s *sentencePiece) rank(_ *encoder, left, right []byte) (uint32, bool) {
	// The two are neighbours in one buffer.
	id, ok := s.v.find(left[:len(left)+len(right)])
	if !ok {
		return 0, false
	}
	return s.ranks[id], true
}

func (s *sentencePiece) encode(e *encoder, dst []int32, text string) []int32 {
	if s.prefix {
		text = " " + text
	}
	if !s.apart {
		return s.word(e, dst, text)
	}
	for len(text) > 0 {
		n := wordEnd(text)
		var ok bool
		if dst, ok = e.cache.get(dst, text[:n]); !ok {
			was := len(dst)
			dst = s.word(e, dst, text[:n])
			e.cache.put(text[:n], dst[was:])
		}
		text = text[n:]
	}
	return dst
}

// wordEnd returns where the first word ends: with the spaces in front of it,
// before those after it.
func wordEnd(text string) int {
	inWord := false
	for i := 0; i < len(text); {
		n := 0
		switch {
		case text[i] == ' ':
			n = 1
		case text[i] == "▁"[0] && strings.HasPrefix(text[i:], "▁"):
			n = len("▁")
		}
		if n > 0 && inWord {
			return i
		}
		inWord = n == 0
		i += max(n, 1)
	}
	return len(text)
}

// word cuts a text without looking for words in it.
func (s *sentencePiece) word(e *encoder, dst []int32, text string) []int32 {
	e.buf = appendEscaped(e.buf[:0], text)
	return e.cut(dst, s.v, s)
}

// others appends the tokens of a character's bytes, or one unknown token where
// the vocabulary lacks a byte.
func (s *sentencePiece) others(dst []int32, char []byte) []int32 {
	was := len(dst)
	for _, c := range char {
		id := s.bytes[c]
		if id < 0 {
			if dst = dst[:was]; s.v.unk >= 0 {
				dst = append(dst, s.v.unk)
			}
			return dst
		}
		dst = append(dst, id)
	}
	return dst
}

func (s *sentencePiece) appendPiece(dst []byte, spelling string) []byte {
	return appendUnescaped(dst, spelling)
}

// appendEscaped appends a text with "▁" for each space.
func appendEscaped(dst []byte, text string) []byte {
	for i := range len(text) {
		if text[i] == ' ' {
			dst = append(dst, "▁"...)
		} else {
			dst = append(dst, text[i])
		}
	}
	return dst
}

// appendUnescaped is the way back.
func appendUnescaped(dst []byte, text string) []byte {
	for {
		before, after, ok := strings.Cut(text, "▁")
		dst = append(dst, before...)
		if !ok {
			return dst
		}
		dst = append(dst, ' ')
		text = after
	}
}
