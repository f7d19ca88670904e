package store

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/confab-tui/confab/engine/chat"
)

// Format is a way to write a chat into a file.
type Format string

// The formats of Export. JSON holds everything, the others the active path.
const (
	Markdown Format = "markdown"
	JSON     Format = "json"
	JSONL    Format = "jsonl" // a message a line
)

// Ext is the usual end of a file's name.
func (f Format) Ext() string {
	if f == Markdown {
		return ".md"
	}
	return "." + string(f)
}

// fileVersion is that of the JSON format.
const fileVersion = 1

// file is the JSON format.
type file struct {
	Version int `json:"confab"`
	Info
	System   string          `json:"system,omitempty"`
	Sampling json.RawMessage `json:"sampling,omitempty"`
	Draft    string          `json:"draft,omitempty"`
	Leaf     ID              `json:"leaf"`
	Messages []*Message      `json:"messages"`
}

// Export writes the chat.
func (c *Chat) Export(w io.Writer, f Format) error {
	b := bufio.NewWriter(w)
	var err error
	switch f {
	case JSON:
		err = c.exportJSON(b)
	case JSONL:
		e := json.NewEncoder(b)
		e.SetEscapeHTML(false)
		for _, m := range c.Conversation(c.leaf) {
			m.Tokens, m.TokensOf = nil, ""
			if err = e.Encode(m); err != nil {
				break
			}
		}
	case Markdown:
		c.exportMarkdown(b)
	default:
		return fmt.Errorf("export: the format %q is not known: markdown, json and jsonl are", f)
	}
	if err == nil {
		err = b.Flush()
	}
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

func (c *Chat) exportJSON(w io.Writer) error {
	all := file{Version: fileVersion, Info: c.Info, System: c.System, Sampling: c.Sampling, Draft: c.Draft, Leaf: c.leaf}
	for _, m := range c.messages {
		all.Messages = append(all.Messages, m)
	}
	slices.SortFunc(all.Messages, func(a, b *Message) int { return int(min(1, max(-1, a.ID-b.ID))) })
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(all)
}

// exportMarkdown writes the active path, with the facts of all its answers in
// front, as YAML. Values are written as JSON, which is YAML too.
func (c *Chat) exportMarkdown(w *bufio.Writer) {
	field := func(indent, name string, v any) {
		b, err := json.Marshal(v)
		if err != nil {
			b, _ = json.Marshal(err.Error()) // a string always has a JSON form
		}
		fmt.Fprintf(w, "%s%s: %s\n", indent, name, b)
	}
	fmt.Fprintln(w, "---")
	field("", "title", c.Title)
	field("", "created", c.Created.Format(time.RFC3339))
	field("", "updated", c.Updated.Format(time.RFC3339))
	field("", "model", c.ModelName)
	if len(c.Sampling) > 0 {
		field("", "sampling", c.Sampling)
	}
	path := c.Path()
	fmt.Fprintln(w, "answers:")
	for i, m := range path {
		if f := m.Facts; f != nil {
			field("  - ", "message", i+1)
			field("    ", "created", m.Created.Format(time.RFC3339))
			field("    ", "facts", f)
		}
	}
	fmt.Fprint(w, "---\n\n# ", oneLine(c.Title), "\n\n")
	if c.System != "" {
		fmt.Fprintf(w, "## System\n\n%s\n\n", c.System)
	}
	for _, m := range path {
		fmt.Fprintf(w, "## %s\n\n", heading(m))
		if m.Thinking != "" {
			fmt.Fprintf(w, "> %s\n\n", strings.ReplaceAll(m.Thinking, "\n", "\n> "))
		}
		fmt.Fprintf(w, "%s\n\n", m.Content)
		for _, t := range m.ToolCalls {
			fmt.Fprintf(w, "```json\n{\"name\": %q, \"arguments\": %s}\n```\n\n", t.Name, t.Arguments)
		}
	}
}

// heading names who speaks.
func heading(m *Message) string {
	switch m.Role {
	case chat.User:
		return "User"
	case chat.Tool:
		return "Tool " + oneLine(m.Name)
	case chat.System:
		return "System"
	}
	h := "Assistant"
	if m.Facts != nil && m.Facts.ModelName != "" {
		h += " (" + oneLine(m.Facts.ModelName) + ")"
	}
	if m.Unfinished {
		h += ", unfinished"
	}
	return h
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
