package store

import (
	"bufio"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/confab-tui/confab/engine/chat"
)

// Markdown has the active path, each message under a heading that says who speaks,
// and in front, as YAML, the facts of all its answers. Values are written as JSON,
// which is YAML too. Thinking is a quotation before the answer's text; in front it
// says which messages have one.

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
			if m.Thinking != "" {
				field("    ", "thinking", true)
			}
		}
	}
	fmt.Fprint(w, "---\n\n# ", oneLine(c.Title), "\n\n")
	if c.System != "" {
		fmt.Fprintf(w, "## System\n\n%s\n\n", shielded(c.System))
	}
	for _, m := range path {
		fmt.Fprintf(w, "## %s\n\n", heading(m))
		if m.Thinking != "" {
			fmt.Fprintf(w, "> %s\n\n", strings.ReplaceAll(m.Thinking, "\n", "\n> "))
		}
		fmt.Fprintf(w, "%s\n\n", shielded(m.Content))
		for _, t := range m.ToolCalls {
			name, _ := json.Marshal(t.Name) // a string always has a JSON form
			fmt.Fprintf(w, "```json\n{\"name\": %s, \"arguments\": %s}\n```\n\n", name, t.Arguments)
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

// speaker finds the headings, and shield those that are part of a message.
var (
	speaker = regexp.MustCompile(`(?i)^## (user|assistant|system|tool)\b(?: \(([^)]*)\))?(, unfinished)?[^\n]*$`)
	shield  = regexp.MustCompile(`(?im)^(\\*## (?:user|assistant|system|tool)\b)`)
	shelter = regexp.MustCompile(`(?im)^\\(\\*## (?:user|assistant|system|tool)\b)`)
)

// shielded is a message in which no line is taken for the next one's heading.
func shielded(s string) string { return shield.ReplaceAllString(s, `\$1`) }

// isMarkdown tells a file of this form by a heading of it.
func isMarkdown(s string) bool {
	for line := range strings.Lines(s) {
		if speaker.MatchString(strings.TrimRight(line, "\r\n")) {
			return true
		}
	}
	return false
}

// readMarkdown reads such a file back. One that a person wrote needs no more of it
// than the headings.
func readMarkdown(s string) draft {
	d, about := draft{}, map[int]aboutMessage{}
	if rest, ok := strings.CutPrefix(s, "---\n"); ok {
		if front, body, ok := strings.Cut(rest, "\n---\n"); ok {
			d.info, about = readFront(front)
			s = body
		}
	}
	var m *Message
	var lines []string
	put := func() {
		content := shelter.ReplaceAllString(strings.TrimSpace(strings.Join(lines, "\n")), "$1")
		lines = nil
		switch {
		case m == nil:
		case m.Role == chat.System && len(d.nodes) == 0:
			d.system = content
		default:
			n := len(d.nodes)
			a := about[n+1]
			if m.Content = content; a.Thinking {
				m.Thinking, m.Content = unquote(content)
			}
			if a.Facts != nil {
				m.Facts, m.Created = a.Facts, a.Created
			}
			d.nodes = append(d.nodes, node{strconv.Itoa(n + 1), strconv.Itoa(n), *m})
		}
	}
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, "\r\n")
		if h := speaker.FindStringSubmatch(line); h != nil {
			put()
			m = &Message{}
			m.Role, m.Unfinished = roles[strings.ToLower(h[1])], h[3] != ""
			if m.Role == chat.Assistant && h[2] != "" {
				m.Facts = &Facts{ModelName: h[2]}
			}
			continue
		}
		lines = append(lines, line)
	}
	put()
	return d
}

// aboutMessage is what stands in front of a message's facts.
type aboutMessage struct {
	Created  time.Time
	Facts    *Facts
	Thinking bool
}

// readFront reads the lines in front, as far as they are of this form.
func readFront(s string) (Info, map[int]aboutMessage) {
	var i Info
	about := map[int]aboutMessage{}
	n := 0
	for line := range strings.Lines(s) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		a := about[n]
		read := func(into any) { _ = json.Unmarshal([]byte(value), into) } // what is not of this form stays empty
		switch strings.TrimPrefix(name, "- ") {
		case "title":
			if read(&i.Title); i.Title == "" {
				i.Title = value
			}
		case "model":
			read(&i.ModelName)
		case "updated":
			read(&i.Updated)
		case "message":
			read(&n)
			continue
		case "created":
			if read(&a.Created); n == 0 {
				i.Created = a.Created
			}
		case "facts":
			read(&a.Facts)
		case "thinking":
			read(&a.Thinking)
		}
		about[n] = a
	}
	return i, about
}

// unquote takes the quotation off the begin of a text.
func unquote(s string) (quoted, rest string) {
	var out []string
	for s != "" && s[0] == '>' {
		line, after, _ := strings.Cut(s, "\n")
		out = append(out, strings.TrimPrefix(strings.TrimPrefix(line, ">"), " "))
		s = after
	}
	return strings.Join(out, "\n"), strings.TrimSpace(s)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
