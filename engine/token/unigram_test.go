package token

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"math/rand"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/confab-tui/confab/engine/gguf"
)

func unigramPieces(more ...entry) []entry {
	return append([]entry{
		{"<pad>", typeControl, 0}, {"</s>", typeControl, 0}, {"<unk>", typeUnknown, 0},
		{"▁", 0, -2}, {"a", 0, -4}, {"b", 0, -4}, {"c", 0, -4}, {"ab", 0, -5}, {"bc", 0, -4.5}, {"▁ab", 0, -5.5}, {"▁a", 0, -4}, {"fi", 0, -3},
		{"<extra>", typeUser, -50},
	}, more...)
}

func TestUnigram(t *testing.T) {
	tok := tokenizerOf(t, "t5", unigramPieces(), nil)
	// "▁ab"+"c" is -9.5, "▁a"+"bc" -8.5: merges from the left would take the first.
	spells(t, tok, tok.Encode(nil, "abc"), " a", "bc")
	spells(t, tok, tok.Encode(nil, "ab"), " ab")
	spells(t, tok, tok.Encode(nil, "a  b"), " a", " ", " ", "b")
	// Unknown characters in a row are one token.
	spells(t, tok, tok.Encode(nil, "a漢字b漢"), " a", "<unk>", "b", "<unk>")
	spells(t, tok, tok.Encode(nil, "a<extra>b"), " a", "<extra>", " ", "b")
	spells(t, tok, tok.Encode(nil, "a</s>"), " a", "<unk>")
	spells(t, tok, tok.EncodeSpecial(nil, "a</s>"), " a", "</s>")
	spells(t, tok, tok.EncodeSpecial(nil, "abc</s>abc<extra>abc</s>"), " a", "bc", "</s>", " a", "bc", "<extra>", " a", "bc", "</s>")
	if got := tok.Decode(tok.Encode(nil, "abc ab"), false); got != "abc ab" {
		t.Errorf("decoded %q", got)
	}
	if eos, ok := tok.EOS(); !ok || eos != 1 || tok.AddBOS() || !tok.IsEOG(1) {
		t.Error("not the beginning and end of T5")
	}
	if got := tok.Encode(nil, ""); len(got) != 0 {
		t.Errorf("no text became %v", got)
	}
}

// A token that ends the generation by its spelling is no text, though the file says so.
func TestEndsAreNoText(t *testing.T) {
	end := entry{"</s>", typeNormal, -1}
	unigram := tokenizerOf(t, "t5", append([]entry{{"<pad>", typeControl, 0}, end}, unigramPieces()[2:]...), nil)
	spells(t, unigram, unigram.Encode(nil, "a</s>"), " a", "<unk>")
	longest := tokenizerOf(t, "rwkv", []entry{end, {"<", typeNormal, 0}, {"/", typeNormal, 0}, {"s", typeNormal, 0}, {">", typeNormal, 0}}, nil)
	spells(t, longest, longest.Encode(nil, "</s>"), "<", "/", "s", ">")
}

func TestUnigramSpaces(t *testing.T) {
	merged := tokenizerOf(t, "t5", unigramPieces(), map[string]any{"tokenizer.ggml.remove_extra_whitespaces": true})
	spells(t, merged, merged.Encode(nil, "  a   ab "), " a", " ab")
	bare := tokenizerOf(t, "t5", unigramPieces(), map[string]any{"tokenizer.ggml.add_space_prefix": false})
	spells(t, bare, bare.Encode(nil, "a ab"), "a", " ab")
}

func TestUnigramBytes(t *testing.T) {
	tok := tokenizerOf(t, "t5", unigramPieces(entry{"<0xC3>", typeByte, 0}, entry{"<0xA9>", typeByte, 0}), nil)
	spells(t, tok, tok.Encode(nil, "aéb漢"), " a", "\xc3", "\xa9", "b", "<unk>")
}

// mapOf builds a vocabulary's map of characters: each node of the trie has 256 units of its
// own, of which those of its children are used.
func mapOf(from map[string]string) []int32 {
	units := make([]uint32, 256)
	var replacements strings.Builder
	blocks := 1
	block := func(at int) int { // the children of the unit at
		if o := offset(units[at]); o != 0 {
			return at ^ int(o)
		}
		start := 256 * blocks
		blocks++
		units = append(units, make([]uint32, 256)...)
		units[at] |= uint32(at^start) << 10
		return start
	}
	for text, by := range from {
		at := 0
		for _, c := range []byte(text) {
			at = block(at) | int(c)
			units[at] |= uint32(c)
		}
		leaf := block(at)
		units[at] |= 1 << 8
		units[leaf] = 1<<31 | uint32(replacements.Len())
		replacements.WriteString(by + "\x00")
	}
	raw := []int32{int32(4 * len(units) & 255), int32(4 * len(units) >> 8 & 255), int32(4 * len(units) >> 16), 0}
	for _, u := range units {
		raw = append(raw, int32(u&255), int32(u>>8&255), int32(u>>16&255), int32(u>>24))
	}
	for _, c := range []byte(replacements.String()) {
		raw = append(raw, int32(c))
	}
	return raw
}

func TestCharMap(t *testing.T) {
	chars := mapOf(map[string]string{"ﬁ": "fi", "\t": " ", "A": "a", "AB": "bb", "x": ""})
	tok := tokenizerOf(t, "t5", unigramPieces(), map[string]any{"tokenizer.ggml.precompiled_charsmap": chars})
	spells(t, tok, tok.Encode(nil, "ﬁA\tABxc"), " ", "fi", "a", " ", "b", "bc")
	spells(t, tok, tok.Encode(nil, "c\xffc"), " ", "c", "<unk>", "c")
	// Whatever stands in the map, it is read within its bounds.
	random := rand.New(rand.NewSource(1))
	for range 200 {
		spoilt := append([]int32(nil), chars...)
		for range 1 + random.Intn(300) {
			spoilt[4+random.Intn(len(spoilt)-4)] = int32(random.Intn(256))
		}
		tokenizerOf(t, "t5", unigramPieces(), map[string]any{"tokenizer.ggml.precompiled_charsmap": spoilt}).Encode(nil, "ﬁA\tABxc漢é")
	}
	for _, wrong := range [][]int32{{1}, {8, 0, 0, 0, 1}, {3, 0, 0, 0, 1, 2, 3}} {
		if _, err := New(fileOf(t, keysOf("t5", unigramPieces(), map[string]any{"tokenizer.ggml.precompiled_charsmap": wrong}))); err == nil {
			t.Errorf("the map %v was taken", wrong)
		}
	}
}

// TestUnigramBest holds the sum of scores against that of every way to cut a text.
func TestUnigramBest(t *testing.T) {
	vocab := unigramPieces()
	tok := tokenizerOf(t, "t5", vocab, nil)
	var best func(text string) float64
	best = func(text string) float64 {
		if text == "" {
			return 0
		}
		top := math.Inf(-1)
		for _, e := range vocab {
			if e.kind == 0 && strings.HasPrefix(text, e.text) {
				top = max(top, float64(e.score)+best(text[len(e.text):]))
			}
		}
		return top
	}
	random := rand.New(rand.NewSource(2))
	for range 200 {
		text := ""
		for range 1 + random.Intn(9) {
			text += string("abc"[random.Intn(3)])
		}
		sum := 0.0
		for _, id := range tok.Encode(nil, text) {
			sum += float64(vocab[id].score)
		}
		if want := best("▁" + text); math.Abs(sum-want) > 1e-9 {
			t.Errorf("%q: tokens score %g, the best cut %g", text, sum, want)
		}
	}
}

func TestUnigramRefuses(t *testing.T) {
	for _, scores := range [][]float32{{1}, {0, 0, 0, float32(math.NaN()), 0, 0, 0, 0, 0, 0, 0, 0, 0}} {
		if _, err := New(fileOf(t, keysOf("t5", unigramPieces(), map[string]any{"tokenizer.ggml.scores": scores}))); err == nil ||
			!strings.Contains(err.Error(), "tokenizer.ggml.scores") {
			t.Errorf("scores %v gave %v", scores, err)
		}
	}
}

// TestUnigramVectors holds ids for the texts of a small vocabulary, one a line: the reference
// implementation's, and SentencePiece's own where the file says that white space is merged.
func TestUnigramVectors(t *testing.T) {
	const folder = "../../testdata/tokenizers/"
	const merge = "tokenizer.ggml.remove_extra_whitespaces"
	data, err := os.ReadFile(folder + "unigram.gguf")
	if err != nil {
		t.Fatal(err)
	}
	merges := bytes.Replace(data, []byte(merge+"\x07\x00\x00\x00\x00"), []byte(merge+"\x07\x00\x00\x00\x01"), 1)
	for name, data := range map[string][]byte{"unigram.ids": data, "unigram.merged.ids": merges} {
		f, err := gguf.Parse(name, data)
		if err != nil {
			t.Fatal(err)
		}
		tok, err := New(f)
		if err != nil {
			t.Fatal(err)
		}
		lines := func(name string) []string {
			raw, err := os.ReadFile(folder + name)
			if err != nil {
				t.Fatal(err)
			}
			return strings.Split(strings.TrimSpace(string(raw)), "\n")
		}
		texts, ids := lines("unigram.txt"), lines(name)
		if len(texts) != len(ids) || len(texts) < 20 {
			t.Fatalf("%d texts and %d lines of ids", len(texts), len(ids))
		}
		for i, line := range texts {
			var text string
			var want []int32
			if err := errors.Join(json.Unmarshal([]byte(line), &text), json.Unmarshal([]byte(ids[i]), &want)); err != nil {
				t.Fatal(err)
			}
			if got := tok.Encode(nil, text); !slices.Equal(got, want) {
				t.Errorf("%s: %q became %v, want %v", name, text, got, want)
			}
		}
	}
}
