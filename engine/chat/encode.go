package chat

import (
	"slices"
	"strings"
	"unicode"

	"github.com/confab-tui/confab/engine/token"
)

// Encode turns a conversation into tokens.
//
// What people and tools wrote never becomes a control token, whatever it
// spells. What the model wrote keeps its ids where the template keeps the text,
// so that the encoding goes on from the earlier prompt and answer. An Unfinished
// assistant message at the end is continued: after it comes nothing. The start
// token stands once in front where the vocabulary wants it, whoever writes it.
func (t *Template) Encode(messages []Message, o Options) ([]int32, error) {
	var open *Message
	if n := len(messages); n > 0 && messages[n-1].Role == Assistant && messages[n-1].Unfinished {
		open, messages = &messages[n-1], messages[:n-1]
		o.AddGenerationPrompt = true
	}
	marked := make([]Message, len(messages))
	for i, m := range messages {
		marked[i] = t.protect(m, o.ModelID)
	}
	text, err := t.render(marked, o)
	if err != nil {
		return nil, err
	}
	ids, err := t.encodeMarked(text, messages, o)
	if err != nil {
		return nil, err
	}
	if bos, ok := t.tokens.BOS(); ok && t.tokens.AddBOS() && (len(ids) == 0 || ids[0] != bos) {
		ids = slices.Insert(ids, 0, bos)
	}
	switch {
	case open == nil:
	case generated(*open, o.ModelID):
		ids = append(ids, open.Tokens...)
	default:
		prompt, err := t.generationPrompt(o)
		if err != nil {
			return nil, err
		}
		ids = t.resume(ids, *open, prompt)
	}
	return ids, nil
}

// generated says that the reader of the tokens wrote the message.
func generated(m Message, reader string) bool {
	return m.Role == Assistant && len(m.Tokens) > 0 && m.TokensOf == reader
}

// protect marks everything in a message that is text, and frames what the model
// wrote.
func (t *Template) protect(m Message, reader string) Message {
	frame := func(text string, begin, end rune) string {
		if text = t.controls.protect(text); text == "" || !generated(m, reader) {
			return text
		}
		return string(begin) + text + string(end)
	}
	m.Content = frame(m.Content, markText, markTextEnd)
	m.Thinking = frame(m.Thinking, markThink, markThinkEnd)
	m.Name, m.ToolCallID = t.controls.protect(m.Name), t.controls.protect(m.ToolCallID)
	m.ToolCalls = slices.Clone(m.ToolCalls)
	for i, c := range m.ToolCalls {
		m.ToolCalls[i] = ToolCall{ID: t.controls.protect(c.ID), Name: t.controls.protect(c.Name), Arguments: t.controls.protect(c.Arguments)}
	}
	return m
}

// encodeMarked encodes rendered text, with the ids of generated messages in
// their places.
func (t *Template) encodeMarked(text string, messages []Message, o Options) ([]int32, error) {
	var ids []int32
	prompt := ""
	for _, m := range messages {
		if !generated(m, o.ModelID) || m.Content == "" {
			continue
		}
		begin := strings.IndexRune(text, markText)
		if begin < 0 {
			break
		}
		length := strings.IndexRune(text[begin:], markTextEnd)
		if length < 0 {
			break
		}
		end := begin + length + len(string(markTextEnd))
		if prompt == "" {
			var err error
			if prompt, err = t.generationPrompt(o); err != nil {
				return nil, err
			}
		}
		start, own := t.place(text[:end], begin, prompt, m)
		ids = t.encodeTyped(ids, text[:start])
		if own != nil {
			ids = append(ids, own...)
		} else {
			ids = t.encodeTyped(ids, text[start:end])
		}
		text = text[end:]
	}
	return t.encodeTyped(ids, text), nil
}

// place finds what of the text, which ends with a generated answer framed at
// begin, its ids stand for: everything after the generation prompt, where the
// template kept it all; else the answer, with the ids of its end.
func (t *Template) place(text string, begin int, prompt string, m Message) (start int, ids []int32) {
	if think := strings.IndexRune(text[:begin], markThink); think >= 0 {
		begin = think
	}
	said := squash(t.tokens.Decode(m.Tokens, true))
	if at := strings.LastIndex(text[:begin], prompt); at >= 0 && prompt != "" {
		start := at + len(prompt)
		if plain, _ := unmark(text[start:]); squash(plain) == said {
			return start, m.Tokens
		}
	}
	start = strings.IndexRune(text, markText)
	return start, t.tailOf(m.Tokens, squash(m.Content))
}

// tailOf returns the last ids that say the answer, or nil where none say it
// exactly. White space does not count.
func (t *Template) tailOf(ids []int32, answer string) []int32 {
	size := 0
	for i := len(ids) - 1; i >= 0; i-- {
		for _, b := range t.tokens.Piece(ids[i]) {
			if b > ' ' {
				size++
			}
		}
		if size < len(answer) {
			continue
		}
		tail := squash(t.tokens.Decode(ids[i:], true))
		if tail == answer {
			return ids[i:]
		}
		if len(tail) > len(answer) {
			break
		}
	}
	return nil
}

// squash drops white space, which templates trim and pad.
func squash(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

func (t *Template) encodeTyped(ids []int32, marked string) []int32 {
	text, typed := unmark(marked)
	if text == "" {
		return ids
	}
	return t.tokens.EncodeMixed(ids, text, typed)
}

// generationPrompt is what the template writes in front of an answer.
func (t *Template) generationPrompt(o Options) (string, error) {
	key := "default"
	if o.Think != nil {
		key = map[bool]string{true: "on", false: "off"}[*o.Think]
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if p, ok := t.prompts[key]; ok {
		return p, nil
	}
	ask := []Message{{Role: User, Content: "?"}}
	o.Tools = nil
	o.AddGenerationPrompt = false
	without, err := t.render(ask, o)
	if err != nil {
		return "", err
	}
	o.AddGenerationPrompt = true
	with, err := t.render(ask, o)
	if err != nil {
		return "", err
	}
	n := 0
	for n < min(len(with), len(without)) && with[n] == without[n] {
		n++
	}
	for n > 0 && n < len(with) && with[n]&0xC0 == 0x80 {
		n--
	}
	t.prompts[key] = with[n:]
	return with[n:], nil
}

// resume encodes the text of an unfinished answer behind the generation prompt.
func (t *Template) resume(ids []int32, m Message, prompt string) []int32 {
	f, opened := t.format, t.format.opened(prompt)
	if m.Thinking != "" {
		if !opened {
			ids = t.tokens.EncodeSpecial(ids, f.begin)
		}
		ids = t.tokens.EncodeMixed(ids, m.Thinking, whole(m.Thinking))
		opened = true
	}
	if m.Content == "" {
		return ids
	}
	if opened {
		ids = t.tokens.EncodeSpecial(ids, f.end)
	} else if f.answer != "" {
		ids = t.tokens.EncodeSpecial(ids, f.answer)
	}
	return t.tokens.EncodeMixed(ids, m.Content, whole(m.Content))
}

// whole is the span of all of a text.
func whole(text string) []token.Span { return []token.Span{{Start: 0, End: len(text)}} }
