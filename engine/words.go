package engine

import (
	"errors"
	"strings"
	"time"

	"github.com/confab-tui/confab/engine/chat"
	"github.com/confab-tui/confab/engine/gguf"
	"github.com/confab-tui/confab/engine/token"
)

// words turn ids into text and conversations into ids. A file may have no
// vocabulary: then there are none, and the model takes and gives ids only.
type words struct {
	tok      *token.Tokenizer
	template *chat.Template
}

var errNoWords = errors.New("engine: the file has no vocabulary, so it takes no text, only token ids")

// wordsOf reads a file's vocabulary and template.
func wordsOf(file *gguf.File) (w words, err error) {
	if list, _ := file.Strings("tokenizer.ggml.tokens"); len(list) == 0 {
		return w, nil
	}
	if w.tok, err = token.New(file); err != nil {
		return w, err
	}
	source, _ := file.String("tokenizer.chat_template")
	var names chat.Names
	if id, ok := w.tok.BOS(); ok {
		names.BOS = string(w.tok.Piece(id))
	}
	if id, ok := w.tok.EOS(); ok {
		names.EOS = string(w.tok.Piece(id))
	}
	w.template, err = chat.New(source, w.tok, names)
	return w, err
}

// learn gives the engine its words.
func (e *Engine) learn(w words) {
	e.words = w
	if !w.none() {
		e.info.Thinks, e.info.TemplateID = w.template.Thinks(), w.template.ID()
	}
	e.info.Notices = append(e.info.Notices, w.notices()...)
}

func (w words) none() bool { return w.tok == nil }

// notices says what a person should know about them.
func (w words) notices() []string {
	switch {
	case w.none():
		return []string{"The file has no vocabulary: it can be measured, not talked to."}
	case w.template.Fallback():
		return []string{"The file has no chat template: ChatML is used, which the model may not know."}
	}
	return nil
}

// ends says that the token ends a turn.
func (w words) ends(id int32) bool { return w.tok != nil && w.tok.IsEOG(id) }

// mark says that the token is no text.
func (w words) mark(id int32) bool { return w.tok == nil || w.tok.IsControl(id) }

func (w words) encode(messages []chat.Message, o chat.Options) ([]int32, error) {
	if w.none() {
		return nil, errNoWords
	}
	return w.template.Encode(messages, o)
}

// raw is text as the vocabulary has it, nothing in it a mark.
func (w words) raw(text string) ([]int32, error) {
	if w.none() {
		return nil, errNoWords
	}
	var ids []int32
	if bos, ok := w.tok.BOS(); ok && w.tok.AddBOS() {
		ids = append(ids, bos)
	}
	return w.tok.Encode(ids, text), nil
}

// Tokenize turns text into ids and adds none of its own. With special, spellings
// of control tokens become those tokens.
func (e *Engine) Tokenize(text string, special bool) []int32 {
	switch {
	case e.words.none():
		return nil
	case special:
		return e.words.tok.EncodeSpecial(nil, text)
	}
	return e.words.tok.Encode(nil, text)
}

// Detokenize is the text of ids, control tokens spelled out.
func (e *Engine) Detokenize(ids []int32) string {
	if e.words.none() {
		return ""
	}
	d := e.words.tok.NewDecoder(true)
	var text strings.Builder
	for _, id := range ids {
		text.WriteString(d.Add(id))
	}
	return text.String() + d.Flush()
}

// Piece is the spelling of a token, control tokens included, as text that can be
// shown.
func (e *Engine) Piece(id int32) string {
	if e.words.none() {
		return ""
	}
	return strings.ToValidUTF8(string(e.words.tok.Piece(id)), "\uFFFD")
}

// Render is what the model would be given for a conversation, as text and as ids.
func (e *Engine) Render(messages []chat.Message, think *bool) (string, []int32, error) {
	o := e.options(think, time.Time{})
	ids, err := e.words.encode(messages, o)
	if err != nil {
		return "", nil, err
	}
	text, err := e.words.template.Text(messages, o)
	return text, ids, err
}

// options say how to render a conversation; a zero now is the present.
func (e *Engine) options(think *bool, now time.Time) chat.Options {
	if now.IsZero() {
		now = time.Now()
	}
	return chat.Options{AddGenerationPrompt: true, Think: think, Now: now, ModelID: e.info.ID}
}
