package chat

import (
	"encoding/json"
	"strings"
)

// spelledCalls are calls as Python spells them, alone or in a list, and Gemma's, which have
// the word call: before them.
func spelledCalls(text string) []ToolCall {
	r := &literals{rest: text}
	if r.take("call:") {
		c := ToolCall{Name: r.word("{"), Arguments: r.value()}
		if r.end() && plainName.MatchString(c.Name) {
			return []ToolCall{c}
		}
		return nil
	}
	list := r.take("[")
	var calls []ToolCall
	for !r.bad && (len(calls) == 0 || list && r.take(",")) {
		calls = append(calls, r.call())
	}
	if list && !r.take("]") || !r.end() {
		return nil
	}
	return calls
}

// pythonWords are JSON's words as Python spells them.
var pythonWords = map[string]string{"True": "true", "False": "false", "None": "null"}

// literals reads values as Python, JSON and Gemma spell them, and gives them as JSON.
type literals struct {
	rest  string
	depth int
	bad   bool
}

func (r *literals) take(s string) bool {
	r.rest = strings.TrimLeft(r.rest, " \t\r\n")
	rest, ok := strings.CutPrefix(r.rest, s)
	if ok {
		r.rest = rest
	}
	return ok
}

// end says that all was read and understood.
func (r *literals) end() bool { return !r.bad && strings.TrimSpace(r.rest) == "" }

// word is what stands before one of the stops.
func (r *literals) word(stops string) string {
	n := strings.IndexAny(r.rest, stops)
	if n < 0 {
		r.bad, n = true, len(r.rest)
	}
	w := strings.TrimSpace(r.rest[:n])
	r.rest = r.rest[n:]
	return w
}

// call is a name with named values in parentheses.
func (r *literals) call() ToolCall {
	name := r.word("(")
	r.take("(")
	arguments := r.members(")", "=")
	r.bad = r.bad || !plainName.MatchString(name)
	return ToolCall{Name: name, Arguments: arguments}
}

// members are named values up to the closing mark, as a JSON object.
func (r *literals) members(closing, between string) string {
	var parts []string
	for !r.bad && !r.take(closing) {
		if len(parts) > 0 && !r.take(",") {
			r.bad = true
		}
		name, ok := r.quoted()
		if !ok {
			quoted, _ := json.Marshal(r.word(between)) // a string always has a JSON form
			name = string(quoted)
		}
		r.bad = r.bad || !r.take(between)
		parts = append(parts, name+": "+r.value())
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// quoted is a string, if one comes.
func (r *literals) quoted() (string, bool) {
	for _, q := range []string{gemmaQuote, `"`, `'`} {
		if !r.take(q) {
			continue
		}
		var b strings.Builder
		for !r.closes(q) {
			if r.rest == "" {
				r.bad = true
				return `""`, true
			}
			n := 1
			if r.rest[0] == '\\' && q != gemmaQuote && len(r.rest) > 1 {
				b.WriteString(map[byte]string{'n': "\n", 't': "\t", 'r': "\r"}[r.rest[1]])
				if strings.IndexByte("ntr", r.rest[1]) < 0 {
					b.WriteByte(r.rest[1])
				}
				n = 2
			} else {
				b.WriteByte(r.rest[0])
			}
			r.rest = r.rest[n:]
		}
		r.rest = r.rest[len(q):]
		quoted, _ := json.Marshal(b.String()) // a string always has a JSON form
		return string(quoted), true
	}
	return "", false
}

// closes says that the quote ends a string: what follows can follow one. Templates write
// quotes in strings as they are.
func (r *literals) closes(quote string) bool {
	rest, ok := strings.CutPrefix(r.rest, quote)
	rest = strings.TrimLeft(rest, " \t\r\n")
	return ok && (rest == "" || strings.IndexByte(",:)]}=", rest[0]) >= 0)
}

// value is any value, as JSON.
func (r *literals) value() string {
	const deepest = 64
	if r.depth++; r.depth > deepest {
		r.bad = true
	}
	defer func() { r.depth-- }()
	if s, ok := r.quoted(); ok || r.bad {
		return s
	}
	if r.take("{") {
		return r.members("}", ":")
	}
	if r.take("[") {
		var parts []string
		for !r.bad && !r.take("]") {
			if len(parts) > 0 && !r.take(",") {
				r.bad = true
			}
			parts = append(parts, r.value())
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	w := r.word(",]})")
	if same, ok := pythonWords[w]; ok {
		w = same
	}
	r.bad = r.bad || !json.Valid([]byte(w))
	return w
}
