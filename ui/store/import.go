package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/confab-tui/confab/engine/chat"
)

// maxImport bounds a file to import.
const maxImport = 512 << 20

// draft is a chat on its way in. Nodes name their parents by keys of the file.
type draft struct {
	info   Info
	system string
	// knobs and input are only in our own format.
	knobs json.RawMessage
	input string
	leaf  string
	nodes []node
}

type node struct {
	key, parent string
	message     Message
}

// Import reads chats from our JSON and Markdown, from exports of llama-server's, Open
// WebUI's and ChatGPT's, from ShareGPT files, and from lists or lines of messages.
// They come as new chats, also when they were imported before.
func (s *Store) Import(r io.Reader) ([]*Chat, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxImport+1))
	if err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	if len(b) > maxImport {
		return nil, fmt.Errorf("import: the file has more than %d MiB", maxImport>>20)
	}
	drafts, err := readDrafts(b)
	if err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	var chats []*Chat
	for _, d := range drafts {
		if c := s.adopt(d); c != nil {
			chats = append(chats, c)
		}
	}
	if len(chats) == 0 {
		return nil, errors.New("import: there are no messages in the file")
	}
	return chats, nil
}

// readDrafts reads one JSON value, or one a line.
func readDrafts(b []byte) ([]draft, error) {
	b = bytes.TrimPrefix(bytes.TrimSpace(b), []byte("\uFEFF"))
	if json.Valid(b) {
		return readAny(b)
	}
	if s := strings.ReplaceAll(string(b), "\r\n", "\n"); isMarkdown(s) {
		return []draft{readMarkdown(s)}, nil
	}
	var lines []json.RawMessage
	d := json.NewDecoder(bytes.NewReader(b))
	for {
		var v json.RawMessage
		switch err := d.Decode(&v); {
		case errors.Is(err, io.EOF):
			if len(lines) == 0 {
				return nil, errors.New("the file is empty")
			}
			return readList(lines)
		case err != nil && !startsJSON(b):
			return nil, errors.New("the file is neither JSON, nor lines of JSON, nor Markdown with a heading such as ## User before each message")
		case err != nil:
			return nil, fmt.Errorf("the JSON of the file is damaged or cut short: %w", err)
		}
		lines = append(lines, v)
	}
}

// startsJSON tells whether a file means to be JSON.
func startsJSON(b []byte) bool { return len(b) > 0 && (b[0] == '{' || b[0] == '[') }

// adopt makes a chat of a draft, nil where it has no messages.
func (s *Store) adopt(d draft) *Chat {
	if len(d.nodes) == 0 {
		return nil
	}
	c := s.New()
	id := c.ID
	c.Info = d.info
	c.ID, c.Deleted = id, time.Time{}
	c.System, c.Sampling, c.Draft = d.system, d.knobs, d.input
	ids := c.adoptNodes(d.nodes)
	if c.leaf = ids[d.leaf]; c.leaf == 0 {
		c.leaf = ids[d.nodes[len(d.nodes)-1].key]
	}
	c.choose(c.leaf)
	c.complement()
	for _, m := range c.messages {
		c.saveMessage(m, true)
	}
	c.save(true, true)
	return c
}

// adoptNodes puts nodes into the tree, parents first, and returns their new
// ids. A parent that is missing, or a descendant, counts as none.
func (c *Chat) adoptNodes(nodes []node) map[string]ID {
	place := make(map[string]int, len(nodes))
	for i, n := range nodes {
		place[n.key] = i
	}
	up := func(i int) (int, bool) { p, ok := place[nodes[i].parent]; return p, ok }
	ids := make(map[string]ID, len(nodes))
	for i := range nodes {
		// The way up to what is there already; a circle ends it, too.
		way, seen := []int{}, map[int]bool{}
		for at, ok := i, true; ok && !seen[at] && ids[nodes[at].key] == 0; at, ok = up(at) {
			way, seen[at] = append(way, at), true
		}
		for _, at := range slices.Backward(way) {
			m := nodes[at].message
			m.ID, m.Chat, m.Parent = newID(), c.ID, ids[nodes[at].parent]
			ids[nodes[at].key] = m.ID
			c.adopt(&m)
		}
	}
	return ids
}

// complement fills in what a file did not say.
func (c *Chat) complement() {
	now := time.Now()
	for _, m := range c.messages {
		if !sensible(m.Created) {
			m.Created = now
		}
		if m.Created.After(c.Updated) && m.Created.Before(now) {
			c.Updated = m.Created
		}
	}
	for _, t := range []*time.Time{&c.Created, &c.Updated, &c.Opened} {
		if !sensible(*t) {
			*t = now
		}
	}
	for _, m := range c.Path() {
		if c.Title == "" && m.Role == chat.User {
			c.Title = titleFrom(m.Content)
		}
	}
}

// sensible tells a time that a chat can have: JSON has no form for those after the year
// 9999, which numbers in files can stand for.
func sensible(t time.Time) bool { return t.Year() >= 1970 && t.Year() < 9999 }
