package chat

import (
	"encoding/json"
	"regexp"
	"strings"
)

var spacedName = regexp.MustCompile(`^<invoke name="([^"]+)">`)

// spacedCalls are MiniMax's elements, each tag behind a mark: a value is text, or elements
// named item for a list, or other elements for an object.
func spacedCalls(text string) []ToolCall {
	if !strings.Contains(text, spaceMark) {
		return nil
	}
	r := &spaced{tags: strings.Split(text, spaceMark)}
	var calls []ToolCall
	for r.next() {
		m := spacedName.FindStringSubmatch(r.tags[0])
		if m == nil {
			continue
		}
		arguments := r.value("</invoke>")
		if arguments == `""` {
			arguments = "{}"
		}
		if r.bad || arguments[0] != '{' {
			return nil
		}
		calls = append(calls, ToolCall{Name: m[1], Arguments: arguments})
	}
	return calls
}

// spaced reads tags, each with the text behind it; the first is the present one.
type spaced struct {
	tags  []string
	depth int
	bad   bool
}

func (r *spaced) next() bool {
	if len(r.tags) < 2 {
		return false
	}
	r.tags = r.tags[1:]
	return true
}

// value is the present element's, up to its end, as JSON.
func (r *spaced) value(end string) string {
	const deepest = 64
	if r.depth++; r.depth > deepest {
		r.bad = true
	}
	defer func() { r.depth-- }()
	_, text, _ := strings.Cut(r.tags[0], ">")
	var parts []string
	list := true
	for {
		if r.bad || !r.next() {
			r.bad = true
			return ""
		}
		if strings.HasPrefix(r.tags[0], end) {
			break
		}
		name, _, ok := strings.Cut(strings.TrimPrefix(r.tags[0], "<"), ">")
		if !ok || name == "" {
			r.bad = true
			return ""
		}
		quoted, _ := json.Marshal(name) // a string always has a JSON form
		list = list && name == "item"
		parts = append(parts, string(quoted), r.value("</"+name+">"))
	}
	if parts == nil {
		return string(argument{text: text}.value())
	}
	return gathered(parts, list)
}

// gathered makes names and values one object, or the values a list.
func gathered(parts []string, list bool) string {
	var b strings.Builder
	for i := 0; i < len(parts); i += 2 {
		if i > 0 {
			b.WriteString(", ")
		}
		if !list {
			b.WriteString(parts[i] + ": ")
		}
		b.WriteString(parts[i+1])
	}
	if list {
		return "[" + b.String() + "]"
	}
	return "{" + b.String() + "}"
}
