package store

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/confab-tui/confab/engine/chat"
)

// readAny tells the format of one JSON value.
func readAny(b []byte) ([]draft, error) {
	if b[0] == '[' {
		var list []json.RawMessage
		if err := json.Unmarshal(b, &list); err != nil {
			return nil, err
		}
		return readList(list)
	}
	d, ok, err := readObject(b)
	if err == nil && !ok {
		err = errors.New("the file has no chat in a form that is known")
	}
	return []draft{d}, err
}

// readList reads a list of chats, or of messages, which are one chat.
func readList(list []json.RawMessage) ([]draft, error) {
	var chats []draft
	var lines draft
	for i, b := range list {
		d, ok, err := readObject(b)
		if err != nil {
			return nil, fmt.Errorf("item %d: %w", i+1, err)
		}
		if ok {
			chats = append(chats, d)
			continue
		}
		var m plain
		if err := json.Unmarshal(b, &m); err != nil {
			return nil, fmt.Errorf("item %d: %w", i+1, err)
		}
		lines.plain(m)
	}
	if len(lines.nodes) > 0 || lines.system != "" {
		chats = append(chats, lines)
	}
	return chats, nil
}

// readObject reads one chat; ok is false for an object that is none.
func readObject(b []byte) (d draft, ok bool, err error) {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(b, &keys); err != nil {
		return d, false, err
	}
	has := func(k string) bool { _, ok := keys[k]; return ok }
	switch {
	case has("confab"):
		d, err = readOwn(b)
	case has("conv") && has("messages"):
		d, err = readLlamaServer(b)
	case has("chat"):
		d, err = readOpenWebUI(b)
	case has("conversations"):
		d, err = readShareGPT(keys)
	case has("mapping"):
		d, err = readChatGPT(b)
	case has("messages"):
		d, err = readMessages(keys)
	default:
		return d, false, nil
	}
	return d, true, err
}

func readOwn(b []byte) (draft, error) {
	var f file
	if err := json.Unmarshal(b, &f); err != nil {
		return draft{}, err
	}
	if f.Version != fileVersion {
		return draft{}, fmt.Errorf("the chat has the file version %d, this confab knows %d: use the newer confab that wrote it", f.Version, fileVersion)
	}
	d := draft{info: f.Info, system: f.System, knobs: f.Sampling, input: f.Draft, leaf: f.Leaf.String()}
	for _, m := range f.Messages {
		if m != nil {
			d.nodes = append(d.nodes, node{m.ID.String(), m.Parent.String(), *m})
		}
	}
	return d, nil
}

// plain is a message as most programs write it.
type plain struct {
	Role      string          `json:"role"`
	From      string          `json:"from"`
	Content   json.RawMessage `json:"content"`
	Value     string          `json:"value"`
	Reasoning string          `json:"reasoning_content"`
	Thinking  string          `json:"thinking"`
	Name      string          `json:"name"`
	CallID    string          `json:"tool_call_id"`
}

// text of a content is a string, or parts of which some are text.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return ""
	}
	var all []string
	for _, p := range parts {
		if p.Text != "" {
			all = append(all, p.Text)
		}
	}
	return strings.Join(all, "\n\n")
}

// roles are the names that programs give to speakers.
var roles = map[string]chat.Role{
	"system": chat.System, "developer": chat.System,
	"user": chat.User, "human": chat.User,
	"assistant": chat.Assistant, "gpt": chat.Assistant, "model": chat.Assistant, "bot": chat.Assistant, "chatgpt": chat.Assistant,
	"tool": chat.Tool, "function": chat.Tool, "observation": chat.Tool,
}

func (p plain) message() Message {
	role, ok := roles[strings.ToLower(p.Role+p.From)]
	if !ok {
		role = chat.User
	}
	m := Message{}
	m.Role, m.Content, m.Thinking = role, text(p.Content)+p.Value, p.Reasoning+p.Thinking
	m.Name, m.ToolCallID = p.Name, p.CallID
	return m
}

// plain adds a message behind the last; a first one of the system is the
// chat's system prompt.
func (d *draft) plain(p plain) {
	m := p.message()
	if m.Role == chat.System && len(d.nodes) == 0 && d.system == "" {
		d.system = m.Content
		return
	}
	n := len(d.nodes)
	d.nodes = append(d.nodes, node{strconv.Itoa(n + 1), strconv.Itoa(n), m})
}

func (d *draft) title(keys map[string]json.RawMessage) {
	for _, k := range []string{"title", "name"} {
		if d.info.Title == "" {
			d.info.Title = text(keys[k])
		}
	}
}

func readShareGPT(keys map[string]json.RawMessage) (d draft, err error) {
	return readPlain(keys, "conversations")
}

func readMessages(keys map[string]json.RawMessage) (d draft, err error) {
	return readPlain(keys, "messages")
}

func readPlain(keys map[string]json.RawMessage, list string) (d draft, err error) {
	var all []plain
	if err := json.Unmarshal(keys[list], &all); err != nil {
		return d, fmt.Errorf("%s: %w", list, err)
	}
	d.title(keys)
	d.system = text(keys["system"])
	for _, m := range all {
		d.plain(m)
	}
	return d, nil
}

// key is an id that is a string in some files and a number in others; the
// parent of a first message is null, or a root that is no message.
type key string

// UnmarshalJSON takes strings, numbers and null.
func (k *key) UnmarshalJSON(b []byte) error {
	*k = key(strings.Trim(string(bytes.TrimSpace(b)), `"`))
	if *k == "null" {
		*k = ""
	}
	return nil
}

func readLlamaServer(b []byte) (draft, error) {
	var f struct {
		Conv struct {
			Name         string
			LastModified float64
			CurrNode     key
		}
		Messages []struct {
			plain
			ID, Parent key
			Type       string
			Timestamp  float64 // milliseconds
		}
	}
	if err := json.Unmarshal(b, &f); err != nil {
		return draft{}, err
	}
	d := draft{leaf: string(f.Conv.CurrNode)}
	d.info.Title, d.info.Updated = f.Conv.Name, fromMillis(int64(f.Conv.LastModified))
	roots := map[key]bool{}
	for _, m := range f.Messages {
		if m.Type == "root" {
			roots[m.ID] = true
			continue
		}
		if m.Role == "system" && (m.Parent == "" || roots[m.Parent]) {
			d.system = text(m.Content)
			roots[m.ID] = true
			continue
		}
		n := node{string(m.ID), string(m.Parent), m.message()}
		n.message.Created = fromMillis(int64(m.Timestamp))
		d.nodes = append(d.nodes, n)
	}
	return d, nil
}

func readOpenWebUI(b []byte) (draft, error) {
	type entry struct {
		plain
		ID        string
		ParentID  string
		Model     string
		Timestamp float64 // seconds
	}
	var f struct {
		Title string
		Chat  struct {
			Title   string
			Models  []string
			System  string
			History struct {
				CurrentID string
				Messages  map[string]entry
			}
		}
		CreatedAt float64 `json:"created_at"`
		UpdatedAt float64 `json:"updated_at"`
	}
	if err := json.Unmarshal(b, &f); err != nil {
		return draft{}, err
	}
	d := draft{leaf: f.Chat.History.CurrentID, system: f.Chat.System}
	if d.info.Title = f.Chat.Title; d.info.Title == "" {
		d.info.Title = f.Title
	}
	d.info.Created, d.info.Updated = fromMillis(int64(1000*f.CreatedAt)), fromMillis(int64(1000*f.UpdatedAt))
	if len(f.Chat.Models) > 0 {
		d.info.ModelName = f.Chat.Models[0]
	}
	for _, k := range byTime(f.Chat.History.Messages, func(e entry) float64 { return e.Timestamp }) {
		e := f.Chat.History.Messages[k]
		n := node{k, e.ParentID, e.message()}
		n.message.Created = fromMillis(int64(1000 * e.Timestamp))
		if e.Model != "" {
			n.message.Facts = &Facts{ModelName: e.Model}
		}
		d.nodes = append(d.nodes, n)
	}
	return d, nil
}

// byTime are a map's keys in the order of their values' times.
func byTime[V any](m map[string]V, when func(V) float64) []string {
	return slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		return cmp.Or(cmp.Compare(when(m[a]), when(m[b])), cmp.Compare(a, b))
	})
}
