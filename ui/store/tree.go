package store

import (
	"slices"
	"time"

	"github.com/confab-tui/confab/engine/chat"
)

// Len counts the messages of all versions.
func (c *Chat) Len() int { return len(c.messages) }

// Get returns a message, or nil.
func (c *Chat) Get(id ID) *Message { return c.messages[id] }

// Leaf is the last message of the active path, 0 in an empty chat.
func (c *Chat) Leaf() ID { return c.leaf }

// Children are the messages that follow id, oldest first; those of 0 are the
// chat's first messages.
func (c *Chat) Children(id ID) []ID {
	var shown []ID
	for _, child := range c.children[id] {
		if !c.messages[child].Removed {
			shown = append(shown, child)
		}
	}
	return shown
}

// Versions are a message and its siblings, oldest first, and its place there.
func (c *Chat) Versions(id ID) (ids []ID, at int) {
	m := c.messages[id]
	if m == nil {
		return nil, -1
	}
	ids = c.Children(m.Parent)
	return ids, slices.Index(ids, id)
}

// PathTo is the way from the first message to id, both included.
func (c *Chat) PathTo(id ID) []*Message {
	var path []*Message
	for m := c.messages[id]; m != nil && len(path) < len(c.messages); m = c.messages[m.Parent] {
		path = append(path, m)
	}
	slices.Reverse(path)
	return path
}

// Path is the active path.
func (c *Chat) Path() []*Message { return c.PathTo(c.leaf) }

// Conversation is the path to id as a model reads it, the system prompt first.
func (c *Chat) Conversation(id ID) []chat.Message {
	var all []chat.Message
	if c.System != "" {
		all = append(all, chat.Message{Role: chat.System, Content: c.System})
	}
	for _, m := range c.PathTo(id) {
		all = append(all, m.Message)
	}
	return all
}

// Add puts a message under parent (0: a first message), makes it the active
// leaf and names an unnamed chat after a person's words.
func (c *Chat) Add(parent ID, message chat.Message) *Message {
	m := &Message{ID: newID(), Chat: c.ID, Parent: parent, Message: message, Created: time.Now()}
	c.adopt(m)
	c.leaf, c.Updated = m.ID, m.Created
	c.choose(m.ID)
	changed := []string{"leaf", "updated"}
	if c.Title == "" && m.Role == chat.User {
		c.Title = titleFrom(m.Content)
		changed = append(changed, "title")
	}
	c.save(true, false, changed...)
	c.saveMessage(m, true)
	return m
}

// AddUser puts a person's message under parent.
func (c *Chat) AddUser(parent ID, text string) *Message {
	return c.Add(parent, chat.Message{Role: chat.User, Content: text})
}

// Edit puts a version of a message with other text beside it. It has no token
// ids; an edited answer counts as finished.
func (c *Chat) Edit(id ID, text string) *Message {
	old := c.messages[id]
	if old == nil {
		return nil
	}
	m := old.Message
	m.Content, m.Tokens, m.TokensOf, m.Unfinished = text, nil, "", false
	return c.Add(old.Parent, m)
}

// Switch makes the path through id the active one: down to where it last went,
// else along the newest messages.
func (c *Chat) Switch(id ID) {
	if c.messages[id] == nil && id != 0 {
		return
	}
	c.choose(id)
	for {
		children := c.Children(id)
		if len(children) == 0 {
			break
		}
		if next := c.chosen[id]; slices.Contains(children, next) {
			id = next
		} else {
			id = children[len(children)-1]
		}
	}
	c.SetLeaf(id)
}

// SetLeaf makes exactly id the end of the active path: what is added next
// stands beside what followed it.
func (c *Chat) SetLeaf(id ID) {
	c.leaf = id
	c.choose(id)
	c.save(false, false, "leaf")
}

// choose remembers the way to id for Switch.
func (c *Chat) choose(id ID) {
	for _, m := range c.PathTo(id) {
		c.chosen[m.Parent] = m.ID
	}
}

// Remove hides a message and all that follows it; Restore brings it back. The
// active path moves to another version, or ends above it.
func (c *Chat) Remove(id ID) {
	m := c.messages[id]
	if m == nil || m.Removed {
		return
	}
	onPath := slices.Contains(c.Path(), m)
	m.Removed = true
	c.saveMessage(m, true)
	if onPath {
		delete(c.chosen, m.Parent)
		c.Switch(m.Parent)
	}
}

// Restore undoes Remove and makes the message's path active.
func (c *Chat) Restore(id ID) {
	m := c.messages[id]
	if m == nil || !m.Removed {
		return
	}
	m.Removed = false
	c.saveMessage(m, true)
	c.Switch(id)
}

// Fork copies the path to id into a new chat, with the same settings.
func (c *Chat) Fork(id ID) *Chat {
	fork := c.store.New()
	fork.Title, fork.System, fork.Sampling = c.Title, c.System, slices.Clone(c.Sampling)
	fork.ModelPath, fork.ModelName = c.ModelPath, c.ModelName
	parent := ID(0)
	for _, old := range c.PathTo(id) {
		m := *old
		m.ID, m.Chat, m.Parent = newID(), fork.ID, parent
		if old.Facts != nil {
			f := old.Facts.clone()
			m.Facts = &f
		}
		fork.adopt(&m)
		fork.saveMessage(&m, true)
		parent = m.ID
	}
	fork.leaf = parent
	fork.choose(parent)
	fork.save(parent != 0, true, "leaf")
	return fork
}
