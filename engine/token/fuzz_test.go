package token

import (
	"strings"
	"testing"
)

// FuzzNew makes tokenizers of vocabularies that make no sense. New may refuse
// them; what it takes must encode and decode any text without a panic.
func FuzzNew(f *testing.F) {
	f.Add("gpt2", "default", "a\nb\nab\n<s>\nĠ", "a b\nab Ġ", []byte{1, 1, 1, 3, 1}, int32(3), "abab a<s>")
	f.Add("llama", "", "<unk>\n<s>\n▁\na\n▁a\n<0x41>\n<0xFF>", "", []byte{2, 3, 1, 1, 1, 6, 6}, int32(1), "a A é")
	f.Add("gemma4", "", "▁\na\n▁a\n\n", "▁ a", []byte{1, 4, 5, 9}, int32(-1), " a  a")
	f.Add("t5", "", "<pad>\n</s>\n<unk>\n▁\na\n▁a\n<0x41>", "", []byte{3, 3, 2, 1, 1, 4, 6}, int32(1), "a</s> a  A</s>é")
	f.Add("gpt2", "qwen2", "", "", []byte{}, int32(7), "x")
	f.Fuzz(func(t *testing.T, model, pre, tokens, merges string, kinds []byte, special int32, text string) {
		keys := map[string]any{
			"tokenizer.ggml.model": model, "tokenizer.ggml.tokens": strings.Split(tokens, "\n"),
			"tokenizer.ggml.bos_token_id": special, "tokenizer.ggml.eos_token_id": -special,
		}
		if pre != "" {
			keys["tokenizer.ggml.pre"] = pre
		}
		if merges != "" {
			keys["tokenizer.ggml.merges"] = strings.Split(merges, "\n")
		}
		var types []int32
		var scores []float32
		for _, k := range kinds {
			types, scores = append(types, int32(k)), append(scores, float32(int8(k)))
		}
		keys["tokenizer.ggml.token_type"], keys["tokenizer.ggml.scores"] = types, scores
		tok, err := New(fileOf(t, keys))
		if err != nil {
			return
		}
		ids := tok.EncodeSpecial(tok.Encode(nil, text), text)
		for _, id := range ids {
			if id < 0 || int(id) >= tok.Len() {
				t.Fatalf("token %d of %d", id, tok.Len())
			}
			tok.IsEOG(id)
			tok.Piece(id)
		}
		tok.Decode(ids, true)
		tok.BOS()
		tok.EOS()
		tok.Special()
	})
}
