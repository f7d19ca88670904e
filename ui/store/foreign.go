package store

import (
	"cmp"
	"slices"

	"github.com/confab-tui/confab/engine/chat"
)

// What other programs read. Names of fields and their units are theirs.

type shareGPTChat struct {
	ID            string         `json:"id"`
	Title         string         `json:"title,omitempty"`
	Conversations []shareGPTTurn `json:"conversations"`
}

type shareGPTTurn struct {
	From  string `json:"from"`
	Value string `json:"value"`
}

// shareGPT is the active path, as the one chat of a data set.
func (c *Chat) shareGPT() []shareGPTChat {
	out := shareGPTChat{ID: c.ID.String(), Title: c.Title}
	names := map[chat.Role]string{chat.System: "system", chat.User: "human", chat.Assistant: "gpt", chat.Tool: "tool"}
	for _, m := range c.Conversation(c.leaf) {
		out.Conversations = append(out.Conversations, shareGPTTurn{names[m.Role], m.Content})
	}
	return []shareGPTChat{out}
}

type llamaServerChat struct {
	Conv     llamaServerConv      `json:"conv"`
	Messages []llamaServerMessage `json:"messages"`
}

type llamaServerConv struct {
	ID           string `json:"id"`
	Name         string `json:"name"`
	LastModified int64  `json:"lastModified"` // milliseconds
	CurrNode     string `json:"currNode"`
}

type llamaServerMessage struct {
	ID        string    `json:"id"`
	ConvID    string    `json:"convId"`
	Type      string    `json:"type"`
	Timestamp int64     `json:"timestamp"` // milliseconds
	Role      chat.Role `json:"role"`
	Content   string    `json:"content"`
	Thinking  string    `json:"thinking,omitempty"`
	Parent    *string   `json:"parent"`
	Children  []string  `json:"children"`
}

// llamaServer is the tree of messages below a root that is none. A system prompt
// stands between the two.
func (c *Chat) llamaServer() llamaServerChat {
	id := c.ID.String()
	out := llamaServerChat{Conv: llamaServerConv{id, c.Title, millis(c.Updated), c.leaf.String()}}
	put := func(m llamaServerMessage) {
		m.ConvID = id
		out.Messages = append(out.Messages, m)
	}
	root, system, created := "root", "system", millis(c.Created)
	top := root
	first := idTexts(c.Children(0))
	if c.System != "" {
		put(llamaServerMessage{ID: root, Type: "root", Timestamp: created, Role: chat.System, Children: []string{system}})
		put(llamaServerMessage{ID: system, Type: "text", Timestamp: created, Role: chat.System, Content: c.System, Parent: &root, Children: first})
		top = system
	} else {
		put(llamaServerMessage{ID: root, Type: "root", Timestamp: created, Role: chat.System, Children: first})
	}
	for _, m := range c.inOrder() {
		parent := top
		if m.Parent != 0 {
			parent = m.Parent.String()
		}
		put(llamaServerMessage{ID: m.ID.String(), Type: "text", Timestamp: millis(m.Created), Role: m.Role, Content: m.Content,
			Thinking: m.Thinking, Parent: &parent, Children: idTexts(c.Children(m.ID))})
	}
	return out
}

type openWebUIChat struct {
	ID        string `json:"id"`
	Title     string `json:"title"`
	CreatedAt int64  `json:"created_at"` // seconds
	UpdatedAt int64  `json:"updated_at"`
	Chat      struct {
		Title   string   `json:"title"`
		Models  []string `json:"models"`
		System  string   `json:"system,omitempty"`
		History struct {
			CurrentID string                      `json:"currentId"`
			Messages  map[string]openWebUIMessage `json:"messages"`
		} `json:"history"`
	} `json:"chat"`
}

type openWebUIMessage struct {
	ID        string    `json:"id"`
	ParentID  *string   `json:"parentId"`
	Children  []string  `json:"childrenIds"`
	Role      chat.Role `json:"role"`
	Content   string    `json:"content"`
	Thinking  string    `json:"reasoning_content,omitempty"`
	Model     string    `json:"model,omitempty"`
	Timestamp int64     `json:"timestamp"` // seconds
}

// openWebUI is the tree of messages, as the one chat of a list.
func (c *Chat) openWebUI() []openWebUIChat {
	out := openWebUIChat{ID: c.ID.String(), Title: c.Title, CreatedAt: c.Created.Unix(), UpdatedAt: c.Updated.Unix()}
	out.Chat.Title, out.Chat.Models, out.Chat.System = c.Title, []string{c.ModelName}, c.System
	out.Chat.History.CurrentID = c.leaf.String()
	out.Chat.History.Messages = map[string]openWebUIMessage{}
	for _, m := range c.inOrder() {
		e := openWebUIMessage{ID: m.ID.String(), Children: idTexts(c.Children(m.ID)), Role: m.Role, Content: m.Content,
			Thinking: m.Thinking, Timestamp: m.Created.Unix()}
		if m.Parent != 0 {
			parent := m.Parent.String()
			e.ParentID = &parent
		}
		if m.Facts != nil {
			e.Model = m.Facts.ModelName
		}
		out.Chat.History.Messages[e.ID] = e
	}
	return []openWebUIChat{out}
}

// inOrder are all messages, older ones first.
func (c *Chat) inOrder() []*Message {
	var all []*Message
	for _, m := range c.messages {
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b *Message) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

func idTexts(ids []ID) []string {
	out := []string{}
	for _, id := range ids {
		out = append(out, id.String())
	}
	return out
}
