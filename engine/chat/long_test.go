package chat

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/confab-tui/confab/engine/token"
)

// longChat has turns of a question and a generated answer.
func longChat(tok *token.Tokenizer, turns int) []Message {
	m := []Message{{Role: System, Content: "Be kind."}}
	for i := range turns {
		answer := strings.Repeat(fmt.Sprintf("This is answer %d. ", i), 50)
		m = append(m, Message{Role: User, Content: strings.Repeat("Why? ", 20)},
			Message{Role: Assistant, Content: answer, Thinking: "hm", Tokens: tok.Encode(nil, "<think>\nhm\n</think>\n\n"+answer), TokensOf: "m"})
	}
	return append(m, Message{Role: User, Content: "Go on"})
}

func TestConcurrentUse(t *testing.T) {
	tok := vocabulary(t, "tokenizers", "qwen2.gguf")
	tm := template(t, "Qwen-Qwen3-0.6B", tok)
	m := longChat(tok, 3)
	want := encode(t, tm, m, Options{ModelID: "m", AddGenerationPrompt: true})
	fresh := template(t, "Qwen-Qwen3-0.6B", tok)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			got, err := fresh.Encode(m, Options{ModelID: "m", AddGenerationPrompt: true})
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("got %d ids, %v, want %d", len(got), err, len(want))
			}
			fresh.NewParser(got).Add("x", false)
		})
	}
	wait.Wait()
}

func BenchmarkEncode(b *testing.B) {
	tok := vocabulary(b, "tokenizers", "qwen2.gguf")
	for _, name := range []string{"", "Qwen-Qwen3-0.6B", "Qwen3.5-4B", "meta-llama-Llama-3.1-8B-Instruct"} {
		tm := template(b, name, tok)
		m := longChat(tok, 50)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				encode(b, tm, m, Options{ModelID: "m", AddGenerationPrompt: true})
			}
		})
		ids := encode(b, tm, m, Options{ModelID: "m", AddGenerationPrompt: true})
		b.Run(name+"/parser", func(b *testing.B) {
			for b.Loop() {
				tm.NewParser(ids)
			}
		})
	}
}
