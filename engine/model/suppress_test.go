package model

import (
	"encoding/binary"
	"strings"
	"testing"
)

// TestSuppressedTokens: what a file says is never to be written has the lowest logit.
func TestSuppressedTokens(t *testing.T) {
	list := func(ids ...int32) []byte {
		raw := binary.LittleEndian.AppendUint64([]byte{9, 0, 0, 0, 5, 0, 0, 0}, uint64(len(ids)))
		for _, id := range ids {
			raw = binary.LittleEndian.AppendUint32(raw, uint32(id))
		}
		return raw
	}
	const key = "tokenizer.ggml.suppress_tokens"
	for _, name := range []string{"tiny-gemma4-f32", "tiny-llama-q4_k_m"} {
		data := testModels(t)[name]
		p := must(Load(parse(t, name, withKey(data, key, list(3, 287)))))
		heads := 0
		for _, op := range p.Ops {
			m, ok := op.(*MatMul)
			if !ok || m.Out != p.Logits {
				continue
			}
			heads++
			for id, v := range m.Bias.Values {
				if (v < -1e8) != (id == 3 || id == 287) {
					t.Errorf("%s: token %d is moved by %g", name, id, v)
				}
			}
		}
		if heads != 1 {
			t.Errorf("%s: %d products give logits", name, heads)
		}
		for _, id := range []int32{-1, 288} {
			if _, err := Load(parse(t, name, withKey(data, key, list(id)))); err == nil || !strings.Contains(err.Error(), "the vocabulary has 288") {
				t.Errorf("%s: token %d gave %v", name, id, err)
			}
		}
	}
}
