package chat

import (
	"encoding/json"
	"regexp"
	"strings"
)

// toolMarks are what models put around tool calls; without a close they end with the
// answer or with the next open. sign is what a template says of them, open itself where
// it is empty; a vocabulary that has open as a control token says it as well. Parts are
// marks inside.
var toolMarks = []struct {
	open, close, sign string
	parts             []string
}{
	{open: "<tool_call>", close: "</tool_call>"},
	{open: "<tool_calls>", close: "</tool_calls>"},
	{open: "<seed:tool_call>", close: "</seed:tool_call>"},
	{open: "<TOOLCALL>", close: "</TOOLCALL>"},
	{open: "<|tool_call|>", close: "<|/tool_call|>"},
	{open: "<|tool_call_start|>", close: "<|tool_call_end|>"},
	{open: "<|tool_call>", close: "<tool_call|>", parts: []string{gemmaQuote}},
	{open: "<|START_ACTION|>", close: "<|END_ACTION|>"},
	{open: "<｜tool▁calls▁begin｜>", close: "<｜tool▁calls▁end｜>",
		parts: []string{"<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>"}},
	{open: "<|tool_calls_section_begin|>", close: "<|tool_calls_section_end|>",
		parts: []string{"<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>"}},
	{open: "<｜DSML｜function_calls>", close: "</｜DSML｜function_calls>", sign: "｜DSML｜"},
	{open: "<｜DSML｜tool_calls>", close: "</｜DSML｜tool_calls>", sign: "｜DSML｜"},
	{open: "<atem:function_calls>", close: "</atem:function_calls>"},
	{open: "[TOOL_CALLS]", parts: []string{"[CALL_ID]", "[ARGS]"}},
	{open: "<|python_tag|>"},
}

// gemmaQuote stands around strings in Gemma's calls.
const gemmaQuote = `<|"|>`

var (
	invokeForm  = regexp.MustCompile(`(?s)<[^<>]*invoke name="([^"]+)">(.*?)</[^<>]*invoke>`)
	invokedForm = regexp.MustCompile(`(?s)<[^<>]*parameter name="([^"]+)"([^<>]*)>(.*?)</[^<>]*parameter>`)
	partForm    = regexp.MustCompile(`(?s)<[|｜]tool[_▁]call[_▁]begin[|｜]>(.*?)<[|｜]tool[_▁](?:sep|call_argument_begin)[|｜]>(.*?)<[|｜]tool[_▁]call[_▁]end[|｜]>`)
	fenceForm   = regexp.MustCompile("(?s)^([^\n]+)\n```(?:json)?\n(.*)\n```$")
)

// invokeCalls are elements named invoke and parameter, whatever stands before the names. A
// parameter that says string="true" is one even if it looks like a number.
func invokeCalls(text string) []ToolCall {
	var calls []ToolCall
	for _, m := range invokeForm.FindAllStringSubmatch(text, -1) {
		var values [][]string
		for _, v := range invokedForm.FindAllStringSubmatch(m[2], -1) {
			value := v[3]
			if strings.Contains(v[2], `string="true"`) {
				quoted, _ := json.Marshal(value) // a string always has a JSON form
				value = string(quoted)
			}
			values = append(values, []string{"", v[1], value})
		}
		calls = append(calls, elementCall(m[1], values)...)
	}
	return calls
}

// partCalls are calls between marks, a third one between name and arguments: DeepSeek's,
// whose first ones have the word function for a name and the call behind the mark, and
// Kimi's, whose names have a number.
func partCalls(text string) []ToolCall {
	var calls []ToolCall
	for _, m := range partForm.FindAllStringSubmatch(text, -1) {
		id, arguments := strings.TrimSpace(m[1]), strings.TrimSpace(m[2])
		name := id
		if f := fenceForm.FindStringSubmatch(arguments); id == "function" && f != nil {
			id, name, arguments = "", f[1], f[2]
		} else if rest, ok := strings.CutPrefix(id, "functions."); ok {
			name, _, _ = strings.Cut(rest, ":")
		} else {
			id = ""
		}
		if !plainName.MatchString(name) || !json.Valid([]byte(arguments)) {
			return nil
		}
		calls = append(calls, ToolCall{ID: id, Name: name, Arguments: arguments})
	}
	return calls
}

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
		for !strings.HasPrefix(r.rest, q) {
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
	if same, ok := map[string]string{"True": "true", "False": "false", "None": "null"}[w]; ok {
		w = same
	}
	r.bad = r.bad || !json.Valid([]byte(w))
	return w
}
