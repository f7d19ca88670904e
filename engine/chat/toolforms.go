package chat

import (
	"encoding/json"
	"regexp"
	"strings"
)

var (
	functionForm = regexp.MustCompile(`(?s)^<function(?:=| name=")([\w.-]+)"?>(.*)</function>$`)
	valueForm    = regexp.MustCompile(`(?s)<(?:parameter=|param name=")([^">]+)"?>(?:<!\[CDATA\[(.*?)\]\]>|\n?(.*?)\n?)</param(?:eter)?>`)
	keyedForm    = regexp.MustCompile(`(?s)^(?:<tool_call>)?([\w.-]+)(?:<tool_sep>)?\s*(<arg_key>.*)?$`)
	argumentForm = regexp.MustCompile(`(?s)<arg_key>(.*?)</arg_key>\s*<arg_value>(.*?)</arg_value>`)
	invokeForm   = regexp.MustCompile(`(?s)<[^<>]*invoke name="([^"]+)">(.*?)</[^<>]*invoke>`)
	invokedForm  = regexp.MustCompile(`(?s)<[^<>]*parameter name="([^"]+)"([^<>]*)>(.*?)</[^<>]*parameter>`)
	openForm     = regexp.MustCompile(`(?s)<\|open\|>call tool="([^"]*)"[^<]*<\|sep\|>(.*?)<\|close\|>call<\|sep\|>`)
	openedForm   = regexp.MustCompile(`(?s)<\|open\|>argument key="([^"]*)" type="(\w+)"<\|sep\|>(.*?)<\|close\|>argument<\|sep\|>`)
	wholeForm    = regexp.MustCompile(`(?s)^<\|open\|>json type="object"<\|sep\|>(.*)<\|close\|>json<\|sep\|>$`)
	partForm     = regexp.MustCompile(`(?s)<[|｜]tool[_▁]call[_▁]begin[|｜]>(.*?)<[|｜]tool[_▁](?:sep|call_argument_begin)[|｜]>(.*?)<[|｜]tool[_▁]call[_▁]end[|｜]>`)
	fenceForm    = regexp.MustCompile("(?s)^([^\n]+)\n```(?:json)?\n(.*)\n```$")
)

// argument is a named value of a call.
type argument struct {
	name, text string
	// quoted says that the text is a string, whatever it looks like.
	quoted bool
}

// elementCall makes one call of named values.
func elementCall(name string, values []argument) []ToolCall {
	arguments := map[string]json.RawMessage{}
	for _, v := range values {
		arguments[v.name] = v.value()
	}
	b, err := json.Marshal(arguments)
	if err != nil {
		return nil
	}
	return []ToolCall{{Name: name, Arguments: string(b)}}
}

// value is the text as JSON: what JSON or Python would write of a number, a list and such
// is one, all else a string, as elements have strings without quotes.
func (a argument) value() json.RawMessage {
	if !a.quoted && a.text != "" && a.text[0] != '"' {
		if json.Valid([]byte(a.text)) {
			return json.RawMessage(a.text)
		}
		if word, ok := pythonWords[a.text]; ok {
			return json.RawMessage(word)
		}
		if r := (&literals{rest: a.text}); a.text[0] == '{' || a.text[0] == '[' {
			if v := r.value(); r.end() {
				return json.RawMessage(v)
			}
		}
	}
	b, _ := json.Marshal(a.text) // a string always has a JSON form
	return b
}

// functionCalls are elements named function, of elements named parameter or of JSON.
func functionCalls(text string) []ToolCall {
	m := functionForm.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	if body := strings.TrimSpace(m[2]); strings.HasPrefix(body, "{") && json.Valid([]byte(body)) {
		return []ToolCall{{Name: m[1], Arguments: body}}
	}
	var values []argument
	for _, v := range valueForm.FindAllStringSubmatch(m[2], -1) {
		values = append(values, argument{name: v[1], text: v[2] + v[3], quoted: v[2] != ""})
	}
	return elementCall(m[1], values)
}

// keyedCalls are names with elements named arg_key and arg_value, alone or in elements
// named tool_call.
func keyedCalls(text string) []ToolCall {
	text = strings.ReplaceAll(text, suffix+">", ">")
	text = strings.TrimSuffix(strings.TrimPrefix(text, "<tool_calls>"), "</tool_calls>")
	var calls []ToolCall
	for one := range strings.SplitSeq(strings.TrimSuffix(strings.TrimSpace(text), "</tool_call>"), "</tool_call>") {
		one = strings.TrimSpace(one)
		m := keyedForm.FindStringSubmatch(one)
		if m == nil || m[2] == "" && one[0] != '<' {
			return nil // a word alone is none
		}
		var values []argument
		for _, v := range argumentForm.FindAllStringSubmatch(m[2], -1) {
			values = append(values, argument{name: v[1], text: v[2]})
		}
		calls = append(calls, elementCall(m[1], values)...)
	}
	return calls
}

// invokeCalls are elements named invoke and parameter, whatever stands before the names. A
// parameter that says string="true" is one even if it looks like a number.
func invokeCalls(text string) []ToolCall {
	var calls []ToolCall
	for _, m := range invokeForm.FindAllStringSubmatch(text, -1) {
		if strings.Contains(m[2], spaceMark) {
			return nil
		}
		var values []argument
		for _, v := range invokedForm.FindAllStringSubmatch(m[2], -1) {
			values = append(values, argument{name: v[1], text: v[3], quoted: strings.Contains(v[2], `string="true"`)})
		}
		calls = append(calls, elementCall(m[1], values)...)
	}
	return calls
}

// openCalls are Kimi's elements, whose arguments say their types.
func openCalls(text string) []ToolCall {
	unescape := strings.NewReplacer("&quot;", `"`, "&amp;", "&").Replace
	var calls []ToolCall
	for _, m := range openForm.FindAllStringSubmatch(text, -1) {
		if whole := wholeForm.FindStringSubmatch(m[2]); whole != nil && json.Valid([]byte(whole[1])) {
			calls = append(calls, ToolCall{Name: unescape(m[1]), Arguments: whole[1]})
			continue
		}
		var values []argument
		for _, v := range openedForm.FindAllStringSubmatch(m[2], -1) {
			values = append(values, argument{name: unescape(v[1]), text: v[3], quoted: v[2] == "string"})
		}
		calls = append(calls, elementCall(unescape(m[1]), values)...)
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
