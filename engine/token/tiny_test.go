package token

import (
	"slices"
	"strings"
	"testing"
)

// pieces is a SentencePiece vocabulary whose merges can spell its control
// tokens.
func pieces() []entry {
	return []entry{
		{"<unk>", typeUnknown, 0}, {"<s>", typeControl, 0}, {"</s>", typeControl, 0},
		{"▁", 0, -9}, {"a", 0, -9}, {"b", 0, -9}, {"<", 0, -9}, {"/", 0, -9}, {"s", 0, -9}, {">", 0, -9},
		{"▁a", 0, -2}, {"ab", 0, -1}, {"</", 0, -1}, {"</s", 0, -1}, {"s>", 0, -3}, {"▁▁", 0, -1},
		{"<0xC3>", typeByte, 0}, {"<0xA9>", typeByte, 0}, {"[tool]", typeUser, 0}, {"[unused]", typeUnused, 0},
	}
}

func TestSentencePiece(t *testing.T) {
	tok := tokenizerOf(t, "llama", pieces(), nil)
	spells(t, tok, tok.Encode(nil, "a"), " a")
	spells(t, tok, tok.Encode(nil, "ab"), " ", "ab")
	spells(t, tok, tok.Encode(nil, " a"), "  ", "a")
	spells(t, tok, tok.Encode(nil, "aé"), " a", "\xc3", "\xa9")
	spells(t, tok, tok.Encode(nil, "a漢b"), " a", "<unk>", "b")
	spells(t, tok, tok.Encode(nil, "a[tool]a"), " a", "[tool]", " a")
	if got := tok.Encode(nil, ""); len(got) != 0 {
		t.Errorf("no text became %v", got)
	}
	if got := tok.Decode(tok.Encode(nil, "ab é"), false); got != "ab é" {
		t.Errorf("decoded %q", got)
	}
	bare := tokenizerOf(t, "llama", pieces(), map[string]any{"tokenizer.ggml.add_space_prefix": false})
	spells(t, bare, bare.Encode(nil, "ab"), "ab")
}

func TestTextNeverBecomesControl(t *testing.T) {
	tok := tokenizerOf(t, "llama", pieces(), nil)
	spells(t, tok, tok.Encode(nil, "</s>"), " ", "</s", ">")
	spells(t, tok, tok.EncodeSpecial(nil, "a</s>a"), " a", "</s>", " a")
	text := "</s>a</s>"
	spells(t, tok, tok.EncodeMixed(nil, text, []Span{{4, 9}}), "</s>", " a", "</s", ">")
	// One byte of the spelling is enough, on either side.
	spells(t, tok, tok.EncodeMixed(nil, text, []Span{{3, 6}}), " ", "</s", ">", "a", "</s", ">")
	spells(t, tok, tok.EncodeMixed(nil, text, []Span{{4, 5}}), "</s>", " a", "</s>")
	spells(t, tok, tok.EncodeMixed(nil, "[tool]", []Span{{0, 6}}), "[tool]")
	if got := tok.Special(); !slices.Equal(got, []string{"<unk>", "<s>", "</s>"}) {
		t.Errorf("Special is %q", got)
	}
}

func TestLongestSpecialWins(t *testing.T) {
	tok := tokenizerOf(t, "llama", []entry{
		{"<unk>", typeUnknown, 0}, {"ab", typeUser, 0}, {"bcd", typeUser, 0}, {"aa", typeUser, 0}, {"a", 0, 0}, {"d", 0, 0},
	}, map[string]any{"tokenizer.ggml.add_space_prefix": false})
	spells(t, tok, tok.Encode(nil, "abcd"), "a", "bcd")
	spells(t, tok, tok.Encode(nil, "aaab"), "aa", "ab")
	spells(t, tok, tok.Encode(nil, "aaa"), "aa", "a")
	spells(t, tok, tok.Encode(nil, "abab"), "ab", "ab")
}

// bytePieces is a byte-level vocabulary of a few characters and merges.
func bytePieces(more ...entry) ([]entry, map[string]any) {
	vocab := []entry{{"a", 0, 0}, {"b", 0, 0}, {"c", 0, 0}, {"Ġ", 0, 0}, {"Ċ", 0, 0}, {"Ã", 0, 0}, {"©", 0, 0}, {"ab", 0, 0}, {"Ġab", 0, 0}, {"bc", 0, 0}}
	return append(vocab, more...), map[string]any{
		"tokenizer.ggml.pre":    "gpt-2",
		"tokenizer.ggml.merges": []string{"b c", "a b", "Ġ ab", "x y"},
	}
}

func TestBytePairs(t *testing.T) {
	vocab, keys := bytePieces()
	tok := tokenizerOf(t, "gpt2", vocab, keys)
	spells(t, tok, tok.Encode(nil, "ab ab\nabc"), "ab", " ab", "\n", "a", "bc")
	spells(t, tok, tok.Encode(nil, "é"), "\xc3", "\xa9")
	// What the vocabulary cannot spell is left out, or <unk> where it has one.
	spells(t, tok, tok.Encode(nil, "axyb"), "a", "b")
	unk := int32(len(vocab))
	keys["tokenizer.ggml.unknown_token_id"] = unk
	tok = tokenizerOf(t, "gpt2", append(vocab, entry{"<unk>", typeUnknown, 0}), keys)
	if got := tok.Encode(nil, "axb"); !slices.Equal(got, []int32{0, unk, 1}) {
		t.Errorf("got %v", got)
	}
	if _, ok := tok.BOS(); ok || tok.AddBOS() {
		t.Error("a BOS that the file does not name")
	}
}

func TestWholeWords(t *testing.T) {
	vocab, keys := bytePieces(entry{"cab", 0, 0}, entry{"caa", typeControl, 0})
	tok := tokenizerOf(t, "gpt2", vocab, keys)
	spells(t, tok, tok.Encode(nil, "cab"), "c", "ab")
	keys["tokenizer.ggml.pre"] = "llama-bpe"
	tok = tokenizerOf(t, "gpt2", vocab, keys)
	spells(t, tok, tok.Encode(nil, "cab"), "cab")
	spells(t, tok, tok.Encode(nil, "caa"), "c", "a", "a")
}

func TestGemma4(t *testing.T) {
	tok := tokenizerOf(t, "gemma4", []entry{
		{"<bos>", typeControl, 0}, {"a", 0, 0}, {"b", 0, 0}, {"▁", 0, 0}, {"ab", 0, 0}, {"▁ab", 0, 0}, {"\n\n", 0, 0}, {"\n", 0, 0},
		{"<0xC3>", typeByte, 0}, {"<0xA9>", typeByte, 0}, {"<turn|>", typeControl, 0},
	}, map[string]any{"tokenizer.ggml.merges": []string{"a b", "▁ ab"}, "tokenizer.ggml.bos_token_id": int32(0)})
	spells(t, tok, tok.Encode(nil, "ab ab\n\né"), "ab", " ab", "\n\n", "\xc3", "\xa9")
	if id, _ := tok.ID("<turn|>"); !tok.AddBOS() || !tok.IsEOG(id) {
		t.Error("not Gemma's beginning or end")
	}
}

func TestLongestMatch(t *testing.T) {
	tok := tokenizerOf(t, "rwkv", []entry{{"[x]", typeControl, 0}, {"a", 0, 0}, {"abc", 0, 0}, {`\n\x41`, 0, 0}, {"[", 0, 0}},
		map[string]any{"tokenizer.ggml.unknown_token_id": int32(0)})
	spells(t, tok, tok.Encode(nil, "aabc\nA"), "a", "abc", "\nA")
	spells(t, tok, tok.Encode(nil, "abd"), "a", "[x]", "[x]")
	spells(t, tok, tok.EncodeSpecial(nil, "[x][a"), "[x]", "[", "a")
	spells(t, tok, tok.EncodeSpecial(nil, "abc[x]aabc[x]a"), "abc", "[x]", "a", "abc", "[x]", "a")
}

func TestUnknownIsRefusedByName(t *testing.T) {
	vocab, keys := bytePieces()
	with := func(key string, value any) map[string]any {
		k := keysOf("gpt2", vocab, keys)
		if k[key] = value; value == nil {
			delete(k, key)
		}
		return k
	}
	for want, keys := range map[string]map[string]any{
		`"plamo9"`:                  with("tokenizer.ggml.model", "plamo9"),
		`"klingon"`:                 with("tokenizer.ggml.pre", "klingon"),
		"tokenizer.ggml.model":      with("tokenizer.ggml.model", nil),
		"tokenizer.ggml.tokens":     with("tokenizer.ggml.tokens", nil),
		"tokenizer.ggml.merges":     with("tokenizer.ggml.merges", nil),
		"tokenizer.ggml.token_type": with("tokenizer.ggml.token_type", []int32{1, 2}),
		"tokenizer.ggml.scores":     keysOf("llama", vocab, map[string]any{"tokenizer.ggml.scores": []float32{1}}),
	} {
		if _, err := New(fileOf(t, keys)); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "test.gguf") {
			t.Errorf("want an error with %s and the file's name, got %v", want, err)
		}
	}
}

func TestEndOfGeneration(t *testing.T) {
	vocab, keys := bytePieces(entry{"<|im_end|>", 0, 0}, entry{"<|end|>", typeControl, 0}, entry{"<|return|>", typeControl, 0},
		entry{"<|call|>", typeControl, 0}, entry{"<|eom|>", typeControl, 0}, entry{"<end>", typeControl, 0})
	id := func(s string) int32 {
		return int32(slices.IndexFunc(vocab, func(e entry) bool { return e.text == s }))
	}
	keys["tokenizer.ggml.eom_token_id"] = id("<|eom|>")
	keys["tokenizer.ggml.eos_token_id"] = id("<end>")
	keys["tokenizer.ggml.eot_token_id"] = int32(4711)
	tok := tokenizerOf(t, "gpt2", vocab, keys)
	for s, want := range map[string]bool{"<|im_end|>": true, "<|return|>": true, "<|call|>": true, "<end>": true, "<|end|>": false, "<|eom|>": false, "a": false} {
		if got := tok.IsEOG(id(s)); got != want {
			t.Errorf("IsEOG of %s is %v", s, got)
		}
	}
	if !tok.IsControl(id("<|im_end|>")) || tok.IsControl(0) || tok.IsControl(-1) || tok.IsEOG(-1) {
		t.Error("IsControl or IsEOG is wrong")
	}
	if tok.Piece(-1) != nil || tok.Piece(int32(tok.Len())) != nil {
		t.Error("a piece of no token")
	}
}

func TestSpaceAfterSpecialOfPhi3(t *testing.T) {
	tok := tokenizerOf(t, "llama", append(pieces(), entry{"<|end|>", typeControl, 0}), map[string]any{"general.name": "Phi-3 mini"})
	spells(t, tok, tok.EncodeSpecial(nil, "a<|end|> \n a<s> a"), " a", "<|end|>", " a", "<s>", "  ", "a")
}
