package token

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/confab-tui/confab/engine/gguf"
)

// entry is one token of a vocabulary made for a test.
type entry struct {
	text  string
	kind  int32
	score float32
}

// fileOf makes the bytes of a GGUF file that holds nothing but keys. Values are
// strings, bools, int32 or slices of string, int32 and float32.
func fileOf(t testing.TB, keys map[string]any) *gguf.File {
	t.Helper()
	b := []byte("GGUF\x03\x00\x00\x00")
	b = binary.LittleEndian.AppendUint64(b, 0)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(keys)))
	text := func(s string) {
		b = binary.LittleEndian.AppendUint64(b, uint64(len(s)))
		b = append(b, s...)
	}
	number := func(x uint32) { b = binary.LittleEndian.AppendUint32(b, x) }
	array := func(kind uint32, n int) {
		number(9)
		number(kind)
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	for key, value := range keys {
		text(key)
		switch v := value.(type) {
		case string:
			number(8)
			text(v)
		case bool:
			number(7)
			if v {
				b = append(b, 1)
			} else {
				b = append(b, 0)
			}
		case int32:
			number(5)
			number(uint32(v))
		case []string:
			array(8, len(v))
			for _, s := range v {
				text(s)
			}
		case []int32:
			array(5, len(v))
			for _, x := range v {
				number(uint32(x))
			}
		case []float32:
			array(6, len(v))
			for _, x := range v {
				number(math.Float32bits(x))
			}
		default:
			t.Fatalf("%s: a %T", key, value)
		}
	}
	f, err := gguf.Parse("test.gguf", b)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// keysOf makes the keys of a vocabulary, and adds or replaces some.
func keysOf(kind string, vocab []entry, more map[string]any) map[string]any {
	var tokens []string
	var kinds []int32
	var scores []float32
	for _, e := range vocab {
		if e.kind == 0 {
			e.kind = typeNormal
		}
		tokens, kinds, scores = append(tokens, e.text), append(kinds, e.kind), append(scores, e.score)
	}
	keys := map[string]any{
		"tokenizer.ggml.model":      kind,
		"tokenizer.ggml.tokens":     tokens,
		"tokenizer.ggml.token_type": kinds,
		"tokenizer.ggml.scores":     scores,
	}
	for key, value := range more {
		keys[key] = value
	}
	return keys
}

func tokenizerOf(t testing.TB, kind string, vocab []entry, more map[string]any) *Tokenizer {
	t.Helper()
	tok, err := New(fileOf(t, keysOf(kind, vocab, more)))
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// spells checks that ids spell the pieces.
func spells(t *testing.T, tok *Tokenizer, ids []int32, pieces ...string) {
	t.Helper()
	var got []string
	for _, id := range ids {
		got = append(got, string(tok.Piece(id)))
	}
	same := len(got) == len(pieces)
	for i := range got {
		same = same && got[i] == pieces[i]
	}
	if !same {
		t.Errorf("got %q, want %q", got, pieces)
	}
}
