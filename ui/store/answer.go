package store

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/confab-tui/confab/engine/chat"
)

// Facts say how an answer was made: with the model, they are enough to make it
// again.
type Facts struct {
	ModelID    string `json:"model_id,omitempty"`
	ModelName  string `json:"model_name,omitempty"`
	TemplateID string `json:"template_id,omitempty"`
	Backend    string `json:"backend,omitempty"`
	// Seed is the one in force, never "random"; a string in JSON, whose numbers
	// are too short for it.
	Seed uint64 `json:"seed,string"`
	// Sampling holds the knobs that the answer began with, Changes those that
	// took effect later.
	Sampling json.RawMessage `json:"sampling,omitempty"`
	Changes  []Change        `json:"changes,omitempty"`
	Counts   Counts          `json:"counts"`
	// Reason is why the answer ended, empty while it runs; Error what failed.
	Reason string `json:"reason,omitempty"`
	Error  string `json:"error,omitempty"`
	// Context is the limit in force, Dropped how many of the oldest messages were
	// left out, DropOldest that they might be.
	Context    int  `json:"context,omitempty"`
	Dropped    int  `json:"dropped,omitempty"`
	DropOldest bool `json:"drop_oldest,omitempty"`
	// Given counts the tokens at its beginning that a person wrote or chose: the
	// model drew those behind them.
	Given int `json:"given,omitempty"`
	// Before counts the tokens that it had when it was continued last: Counts holds
	// them, and the times are of what came since.
	Before int `json:"before,omitempty"`
	// SystemID names the text of the system prompt that it was given, empty for
	// none.
	SystemID string `json:"system_id,omitempty"`
	// System is how that begins, for people.
	System string `json:"system,omitempty"`
	// Think is what was asked of the template, nil for nothing.
	Think      *bool  `json:"think,omitempty"`
	AppVersion string `json:"app_version,omitempty"`
}

// Change is a sampling, as JSON, that took effect with the token Index.
type Change struct {
	Index    int             `json:"index"`
	Sampling json.RawMessage `json:"sampling"`
}

// Counts are an answer's numbers; times are in nanoseconds in JSON.
type Counts struct {
	Prompt     int           `json:"prompt"`
	Cached     int           `json:"cached"`
	Evaluated  int           `json:"evaluated"`
	Generated  int           `json:"generated"`
	FirstToken time.Duration `json:"first_token"`
	Prefill    time.Duration `json:"prefill"`
	Decode     time.Duration `json:"decode"`
}

func (f *Facts) clone() Facts {
	c := *f
	c.Changes = slices.Clone(f.Changes)
	return c
}

// Answer is a message that is being written. The goroutine that owns the chat
// uses it.
type Answer struct {
	chat    *Chat
	message *Message
	// What comes is added in place: a long answer is not copied for each piece.
	content, thinking strings.Builder
}

// BeginAnswer puts an empty, unfinished answer under parent and makes it the
// active leaf. Regenerating is beginning another under the same parent.
func (c *Chat) BeginAnswer(parent ID, f Facts) *Answer {
	c.complete(&f)
	m := &Message{ID: newID(), Chat: c.ID, Parent: parent, Created: time.Now(), Facts: &f}
	m.Role, m.Unfinished = chat.Assistant, true
	c.adopt(m)
	c.leaf, c.Updated = m.ID, m.Created
	c.choose(m.ID)
	c.save(true, false, "leaf", "updated")
	c.saveMessage(m, true)
	return &Answer{chat: c, message: m}
}

// Continue goes on with an answer that is there. Its token ids are dropped,
// since they will not fit its text; Finish brings those of the whole. Take the
// conversation for the engine before.
func (c *Chat) Continue(id ID, f Facts) *Answer {
	m := c.messages[id]
	if m == nil || m.Role != chat.Assistant {
		return nil
	}
	c.complete(&f)
	m.Tokens, m.TokensOf, m.Unfinished, m.Facts = nil, "", true, &f
	c.SetLeaf(id)
	c.saveMessage(m, true)
	a := &Answer{chat: c, message: m}
	a.content.WriteString(m.Content)
	a.thinking.WriteString(m.Thinking)
	return a
}

func (c *Chat) complete(f *Facts) {
	if f.AppVersion == "" {
		f.AppVersion = c.store.options.AppVersion
	}
}

// Message is the answer so far.
func (a *Answer) Message() *Message { return a.message }

// ID is the message's.
func (a *Answer) ID() ID { return a.message.ID }

// Append adds text to the answer and to its thinking.
func (a *Answer) Append(text, thinking string) {
	if text == "" && thinking == "" {
		return
	}
	a.content.Grow(len(text)) // doubles where there is no room, which is more than an append takes, and not cleared
	a.content.WriteString(text)
	a.thinking.Grow(len(thinking))
	a.thinking.WriteString(thinking)
	a.message.Content, a.message.Thinking = a.content.String(), a.thinking.String()
	a.chat.saveMessage(a.message, false)
}

// AddToolCalls adds function calls.
func (a *Answer) AddToolCalls(calls ...chat.ToolCall) {
	a.message.ToolCalls = append(a.message.ToolCalls, calls...)
	a.chat.saveMessage(a.message, false)
}

// SetFacts replaces the facts.
func (a *Answer) SetFacts(f Facts) {
	a.chat.complete(&f)
	a.message.Facts = &f
	a.chat.saveMessage(a.message, false)
}

// Finish replaces the text by the whole message as the engine made it, with its
// token ids and their odds, and the facts by the final ones; all is written at
// once.
func (a *Answer) Finish(whole chat.Message, f Facts, o *Odds) {
	a.chat.complete(&f)
	whole.Role = chat.Assistant
	a.message.Message, a.message.Facts, a.message.Odds = whole, &f, o
	a.chat.Updated = time.Now()
	a.chat.save(true, false, "updated")
	a.chat.saveMessage(a.message, true)
}
