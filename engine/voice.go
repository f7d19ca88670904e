package engine

import (
	"slices"
	"strings"

	"github.com/confab-tui/confab/engine/chat"
	"github.com/confab-tui/confab/engine/token"
)

// voice turns an answer's tokens into what it says: text and thinking apart,
// half characters and possible stop texts held back.
type voice struct {
	words   words
	modelID string // for Message.TokensOf
	decode  *token.Decoder
	parse   *chat.Parser // nil for raw text
	stop    stopText

	// What was said so far, all of it, also what an earlier stream said of an
	// answer that is continued.
	text, thinking strings.Builder
	calls          []chat.ToolCall
	ids            []int32
	// reTokenize says that the ids do not spell the text any more.
	reTokenize bool

	// held are tokens whose text may belong to a stop text, oldest first.
	held []heldToken
	// stopped says that a stop text came: nothing after it is said.
	stopped bool
}

type heldToken struct {
	Token
	delta chat.Delta
	// part says that it is half a character or half a mark, and goes with the
	// token that completes it.
	part bool
}

// newVoice makes the voice of an answer, which knows what an unfinished one has
// said already.
func (e *Engine) newVoice(r *Request, p prompt) *voice {
	v := &voice{words: e.words, modelID: e.info.ID, stop: stopText{texts: r.Stop}}
	if e.words.none() {
		return v
	}
	v.decode = e.words.tok.NewDecoder(false)
	if len(r.Messages) > 0 {
		v.parse = e.words.template.NewParser(p.tokens[:len(p.tokens)-len(p.said)])
	}
	v.recall(p.said)
	return v
}

// recall takes in what an earlier stream said.
func (v *voice) recall(said []int32) {
	var old Event
	stop := v.stop
	v.stop = stopText{}
	for _, id := range said {
		v.add(&old, Token{TokenProb: TokenProb{ID: id}})
	}
	v.close(&old, false)
	v.stop = stop
}

// add takes a token in and adds to event what it makes certain. It returns true
// where a stop text is complete.
func (v *voice) add(event *Event, t Token) (stopped bool) {
	delta := v.hear(t.ID)
	silent := delta.Text == "" && delta.Thinking == "" && len(delta.ToolCalls) == 0
	v.held = append(v.held, heldToken{t, delta, silent && !v.words.mark(t.ID)})
	certain, stopped := v.stop.add(delta.Text)
	if stopped {
		v.cut(event, certain)
		return true
	}
	v.release(event, certain)
	return false
}

// hear decodes and parses a token.
func (v *voice) hear(id int32) chat.Delta {
	switch {
	case v.words.none():
		return chat.Delta{}
	case v.parse == nil:
		return chat.Delta{Text: v.decode.Add(id)}
	}
	if !v.words.mark(id) {
		return v.parse.Add(v.decode.Add(id), false)
	}
	delta := v.parse.Add(v.decode.Flush(), false)
	mark := v.parse.Add(string(v.words.tok.Piece(id)), true)
	return chat.Delta{
		Text: delta.Text + mark.Text, Thinking: delta.Thinking + mark.Thinking,
		ToolCalls: append(delta.ToolCalls, mark.ToolCalls...),
	}
}

// release says the held tokens whose text lies within the first n bytes held.
func (v *voice) release(event *Event, n int) {
	for i, bytes := 0, 0; i < len(v.held); i++ {
		bytes += len(v.held[i].delta.Text)
		if bytes > n {
			return
		}
		if v.held[i].part {
			continue
		}
		for _, t := range v.held[:i+1] {
			v.pass(event, t)
		}
		v.stop.release(bytes)
		v.held, n, i, bytes = v.held[i+1:], n-bytes, -1, 0
	}
}

// pass says a token and makes its record part of the event.
func (v *voice) pass(event *Event, t heldToken) {
	v.say(event, t.delta)
	v.ids = append(v.ids, t.ID)
	t.Text = t.delta.Text
	if t.Text == "" && t.delta.Thinking != "" {
		t.Text, t.Token.Thinking = t.delta.Thinking, true
	}
	event.Tokens = append(event.Tokens, t.Token)
}

// cut says the first n bytes held and forgets what follows. A token that is cut
// in two says its first part, which its id does not spell any more.
func (v *voice) cut(event *Event, n int) {
	before := len(v.stop.held)
	v.release(event, n)
	n -= before - len(v.stop.held)
	for _, t := range v.held {
		if n == 0 {
			break
		}
		t.delta.Text = t.delta.Text[:min(n, len(t.delta.Text))]
		n -= len(t.delta.Text)
		v.pass(event, t)
		v.reTokenize = true
	}
	v.held, v.stop.held, v.stopped = nil, "", true
}

// close says what is still held back at the end of an answer. The bytes of half
// a character are said only where nothing can complete it.
func (v *voice) close(event *Event, final bool) {
	if v.stopped || v.words.none() {
		return
	}
	for _, t := range v.held {
		v.pass(event, t)
	}
	v.held, v.stop.held = nil, ""
	var rest chat.Delta
	if final {
		rest.Text = v.decode.Flush()
	}
	if v.parse != nil {
		last := v.parse.Add(rest.Text, false)
		rest = v.parse.Flush()
		rest.Text, rest.Thinking = last.Text+rest.Text, last.Thinking+rest.Thinking
		rest.ToolCalls = append(last.ToolCalls, rest.ToolCalls...)
	}
	v.say(event, rest)
}

func (v *voice) say(event *Event, delta chat.Delta) {
	v.text.WriteString(delta.Text)
	v.thinking.WriteString(delta.Thinking)
	v.calls = append(v.calls, delta.ToolCalls...)
	event.Text += delta.Text
	event.Thinking += delta.Thinking
	event.ToolCalls = append(event.ToolCalls, delta.ToolCalls...)
}

// message is the whole answer so far.
func (v *voice) message(unfinished bool) chat.Message {
	m := chat.Message{
		Role: chat.Assistant, Content: v.text.String(), Thinking: v.thinking.String(),
		ToolCalls: slices.Clone(v.calls), Unfinished: unfinished,
	}
	if !v.reTokenize {
		m.Tokens, m.TokensOf = slices.Clone(v.ids), v.modelID
	}
	return m
}

// whole is the answer so far with what is still held back, to go on from.
func (v *voice) whole() chat.Message {
	m := v.message(true)
	for _, t := range v.held {
		m.Tokens = append(m.Tokens, t.ID)
	}
	return m
}
