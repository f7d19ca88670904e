package engine

import (
	"strings"
	"time"

	"github.com/confab-tui/confab/engine/chat"
)

// Tokenize turns text into ids and adds none of its own. With special, spellings
// of control tokens become those tokens.
func (e *Engine) Tokenize(text string, special bool) []int32 {
	if special {
		return e.tok.EncodeSpecial(nil, text)
	}
	return e.tok.Encode(nil, text)
}

// Detokenize is the text of ids, control tokens spelled out.
func (e *Engine) Detokenize(ids []int32) string {
	d := e.tok.NewDecoder(true)
	var text strings.Builder
	for _, id := range ids {
		text.WriteString(d.Add(id))
	}
	return text.String() + d.Flush()
}

// Piece is the spelling of a token, control tokens included, as text that can be
// shown.
func (e *Engine) Piece(id int32) string {
	return strings.ToValidUTF8(string(e.tok.Piece(id)), "\uFFFD")
}

// Render is what the model would be given for a conversation, as text and as ids.
func (e *Engine) Render(messages []chat.Message, think *bool) (string, []int32, error) {
	text, err := e.template.Text(messages, chat.Options{
		AddGenerationPrompt: true, Think: think, Now: time.Now(), ModelID: e.info.ID,
	})
	if err != nil {
		return "", nil, err
	}
	ids, err := e.encode(messages, think)
	return text, ids, err
}
