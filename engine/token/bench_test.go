package token

import (
	"os"
	"testing"
)

func BenchmarkEncode(b *testing.B) {
	for _, name := range []string{"gpt-2", "llama-bpe", "qwen2", "deepseek-coder", "llama-spm"} {
		b.Run(name, func(b *testing.B) {
			text, err := os.ReadFile(need(b, "testdata/text/war_and_peace.txt"))
			if err != nil {
				b.Fatal(err)
			}
			tok := load(b, need(b, "testdata/tokenizers/"+name+".gguf"))
			s := string(text)
			var ids []int32
			b.SetBytes(int64(len(s)))
			b.ReportAllocs()
			for b.Loop() {
				ids = tok.Encode(ids[:0], s)
			}
		})
	}
}

// BenchmarkCold begins with an empty cache each time.
func BenchmarkCold(b *testing.B) {
	text, err := os.ReadFile(need(b, "testdata/text/war_and_peace.txt"))
	if err != nil {
		b.Fatal(err)
	}
	tok := load(b, need(b, "testdata/tokenizers/llama-bpe.gguf"))
	s := string(text)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		tok.idle = nil
		tok.Encode(nil, s)
	}
}

func BenchmarkNew(b *testing.B) {
	for _, name := range []string{"gpt-2", "llama-bpe", "qwen2", "llama-spm"} {
		b.Run(name, func(b *testing.B) {
			f := open(b, need(b, "testdata/tokenizers/"+name+".gguf"))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := New(f); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
