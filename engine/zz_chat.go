package engine

import (
	"encoding/json"
	"time"

	"github.com/confab-tui/confab/engine/chat"
	"github.com/confab-tui/confab/engine/token"
)

type chatNames struct{ BOS, EOS string }
type chatTemplate struct{ t *token.Tokenizer }
type chatOptions struct {
	AddGenerationPrompt bool
	Think               *bool
	Tools               json.RawMessage
	Now                 time.Time
	ModelID             string
}
type chatDelta struct {
	Text, Thinking string
	ToolCalls      []chat.ToolCall
}
type chatParser struct{}

func chatNew(source string, t *token.Tokenizer, names chatNames) (*chatTemplate, error) {
	return &chatTemplate{t}, nil
}
func (t *chatTemplate) Fallback() bool { return false }
func (t *chatTemplate) Thinks() bool   { return false }
func (t *chatTemplate) Text(msgs []chat.Message, o chatOptions) (string, error) {
	return "", nil
}
func (t *chatTemplate) Encode(msgs []chat.Message, o chatOptions) ([]int32, error) {
	var out []int32
	for _, m := range msgs {
		out = t.t.EncodeSpecial(out, "<|im_start|>"+string(m.Role)+"\n")
		if m.TokensOf == o.ModelID && m.Tokens != nil {
			out = append(out, m.Tokens...)
		} else {
			out = t.t.Encode(out, m.Content)
		}
		if m.Unfinished {
			return out, nil
		}
		out = t.t.EncodeSpecial(out, "<|im_end|>\n")
	}
	return t.t.EncodeSpecial(out, "<|im_start|>assistant\n"), nil
}
func (t *chatTemplate) NewParser(prompt []int32) *chatParser { return &chatParser{} }
func (p *chatParser) Add(piece string, control bool) chatDelta {
	if control {
		return chatDelta{}
	}
	return chatDelta{Text: piece}
}
func (p *chatParser) Flush() chatDelta { return chatDelta{} }
