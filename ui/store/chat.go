package store

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/confab-tui/confab/engine/chat"
)

// Info is a chat without its messages.
type Info struct {
	ID    ID     `json:"id"`
	Title string `json:"title"`
	// Updated is when a message was last added or finished, Opened when the chat
	// was last looked at.
	Created time.Time `json:"created"`
	Updated time.Time `json:"updated"`
	Opened  time.Time `json:"opened"`
	Pinned  bool      `json:"pinned,omitempty"`
	// Deleted is when the chat was deleted, zero where it is not.
	Deleted   time.Time `json:"deleted,omitzero"`
	ModelPath string    `json:"model_path,omitempty"`
	ModelName string    `json:"model_name,omitempty"`
	// Messages counts all versions; only List fills it in.
	Messages int `json:"-"`
}

// Chat is one conversation in memory. One goroutine owns it; its methods do no
// IO. A new chat is stored with its first message, draft, title or pin: one
// that was never used leaves nothing behind.
type Chat struct {
	Info
	// System is the system prompt, Sampling the chat's knobs as JSON (nil: the
	// model's own), Draft what stands in the input line.
	System   string
	Sampling json.RawMessage
	Draft    string

	store    *Store
	stored   bool
	leaf     ID
	messages map[ID]*Message
	// children of a message in order of their ids, which is that of time; those
	// of 0 are the first messages.
	children map[ID][]ID
	// chosen is the child through which the active path last went.
	chosen map[ID]ID
}

// Message is one node of a chat's tree. Read its fields; change it through the
// Chat.
type Message struct {
	ID     ID `json:"id"`
	Chat   ID `json:"-"`
	Parent ID `json:"parent"`
	chat.Message
	Created time.Time `json:"created"`
	// Removed hides the message and what follows it.
	Removed bool `json:"removed,omitempty"`
	// Facts say how an answer was made; nil for what a person wrote.
	Facts *Facts `json:"facts,omitempty"`
	// Odds tell how likely the answer's tokens were, nil where that is not known.
	Odds *Odds `json:"odds,omitempty"`
}

// New begins a chat.
func (s *Store) New() *Chat {
	now := time.Now()
	c := s.empty()
	c.Info = Info{ID: newID(), Created: now, Updated: now, Opened: now}
	return c
}

func (s *Store) empty() *Chat {
	return &Chat{store: s, messages: map[ID]*Message{}, children: map[ID][]ID{}, chosen: map[ID]ID{}}
}

// adopt puts a message into the tree in memory.
func (c *Chat) adopt(m *Message) {
	c.messages[m.ID] = m
	siblings := c.children[m.Parent]
	at, _ := slices.BinarySearch(siblings, m.ID)
	c.children[m.Parent] = slices.Insert(siblings, at, m.ID)
}

// columns are all values of the chat's row.
func (c *Chat) columns() map[string]any {
	return map[string]any{
		"title": c.Title, "created": millis(c.Created), "updated": millis(c.Updated), "opened": millis(c.Opened),
		"pinned": c.Pinned, "deleted": millis(c.Deleted), "system": c.System, "model_path": c.ModelPath,
		"model_name": c.ModelName, "sampling": string(c.Sampling), "draft": c.Draft, "leaf": c.leaf,
	}
}

// save hands changed columns to the writer. worth says that the change makes a
// chat worth storing that is not yet stored.
func (c *Chat) save(worth, urgent bool, names ...string) {
	if !c.stored && !worth {
		return
	}
	all := c.columns()
	changed := all
	if c.stored {
		changed = make(map[string]any, len(names))
		for _, n := range names {
			changed[n] = all[n]
		}
	}
	c.stored = true
	c.store.setColumns(c.ID, urgent, changed)
}

func (s *Store) setColumns(id ID, urgent bool, columns map[string]any) {
	s.writer.change(urgent, func(b *batch) {
		if b.chats[id] == nil {
			b.chats[id] = columns
			return
		}
		for k, v := range columns {
			b.chats[id][k] = v
		}
	})
}

// saveMessage hands the message's present value to the writer.
func (c *Chat) saveMessage(m *Message, urgent bool) {
	snapshot := *m
	if m.Facts != nil {
		f := m.Facts.clone()
		snapshot.Facts = &f
	}
	snapshot.ToolCalls = slices.Clone(m.ToolCalls)
	c.store.writer.change(urgent, func(b *batch) { b.messages[m.ID] = snapshot })
}

// SetTitle renames the chat.
func (c *Chat) SetTitle(title string) { c.Title = title; c.save(true, true, "title") }

// SetPinned keeps the chat at the top of lists.
func (c *Chat) SetPinned(on bool) { c.Pinned = on; c.save(true, true, "pinned") }

// SetDraft keeps what stands in the input line.
func (c *Chat) SetDraft(text string) { c.Draft = text; c.save(text != "", false, "draft") }

// SetSystem sets the system prompt.
func (c *Chat) SetSystem(text string) { c.System = text; c.save(false, false, "system") }

// SetSampling sets the chat's knobs.
func (c *Chat) SetSampling(knobs json.RawMessage) {
	c.Sampling = slices.Clone(knobs)
	c.save(false, false, "sampling")
}

// SetModel sets the model that the chat uses.
func (c *Chat) SetModel(path, name string) {
	c.ModelPath, c.ModelName = path, name
	c.save(false, false, "model_path", "model_name")
}

// SetOpened notes that the chat was looked at now.
func (c *Chat) SetOpened() { c.Opened = time.Now(); c.save(false, false, "opened") }

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func fromMillis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}
