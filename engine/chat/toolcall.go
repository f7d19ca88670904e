package chat

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strings"
)

// parseCalls reads the tool calls that models write: JSON objects of name and arguments
// or parameters, a name followed by JSON, elements named function and parameter, or
// arg_key and arg_value, and the forms of toolforms.go. It returns nil for what is none
// of them.
func parseCalls(text string) []ToolCall {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil
	}
	if calls := jsonCalls(text); calls != nil {
		return calls
	}
	if m := functionForm.FindStringSubmatch(text); m != nil {
		return elementCall(m[1], parameterForm.FindAllStringSubmatch(m[2], -1))
	}
	for _, read := range []func(string) []ToolCall{invokeCalls, partCalls, spelledCalls} {
		if calls := read(text); calls != nil {
			return calls
		}
	}
	if name, rest, ok := strings.Cut(text, "<arg_key>"); ok && plainName.MatchString(strings.TrimSpace(name)) {
		return elementCall(strings.TrimSpace(name), argumentForm.FindAllStringSubmatch("<arg_key>"+rest, -1))
	}
	name, arguments, ok := strings.Cut(text, "{")
	name, id, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(name), "[ARGS]"), "[CALL_ID]")
	if arguments = "{" + arguments; ok && plainName.MatchString(name) && json.Valid([]byte(arguments)) {
		return []ToolCall{{ID: id, Name: name, Arguments: arguments}}
	}
	return nil
}

var (
	plainName     = regexp.MustCompile(`^[\w.-]+$`)
	functionForm  = regexp.MustCompile(`(?s)^<function=([\w.-]+)>(.*)</function>$`)
	parameterForm = regexp.MustCompile(`(?s)<parameter=([^>]+)>\n?(.*?)\n?</parameter>`)
	argumentForm  = regexp.MustCompile(`(?s)<arg_key>(.*?)</arg_key>\s*<arg_value>(.*?)</arg_value>`)
)

// elementCall makes one call of named values: those that are JSON stay so, the
// others are strings.
func elementCall(name string, values [][]string) []ToolCall {
	arguments := map[string]json.RawMessage{}
	for _, v := range values {
		value := json.RawMessage(v[2])
		if !json.Valid(value) {
			value, _ = json.Marshal(v[2]) // a string always has a JSON form
		}
		arguments[v[1]] = value
	}
	b, err := json.Marshal(arguments)
	if err != nil {
		return nil
	}
	return []ToolCall{{Name: name, Arguments: string(b)}}
}

// jsonCalls are objects, one after the other or in a list.
func jsonCalls(text string) []ToolCall {
	type form struct {
		ID         string          `json:"id"`
		CallID     string          `json:"tool_call_id"`
		Name       string          `json:"name"`
		ToolName   string          `json:"tool_name"`
		Arguments  json.RawMessage `json:"arguments"`
		Parameters json.RawMessage `json:"parameters"`
	}
	var all []form
	var err error
	if strings.HasPrefix(text, "[") {
		err = json.Unmarshal([]byte(text), &all)
	} else {
		for d := json.NewDecoder(strings.NewReader(text)); err == nil && d.More(); {
			var f form
			err = d.Decode(&f)
			all = append(all, f)
		}
	}
	if err != nil {
		return nil
	}
	var calls []ToolCall
	for _, f := range all {
		name, arguments := cmp.Or(f.Name, f.ToolName), f.Arguments
		if arguments == nil {
			arguments = f.Parameters
		}
		if name == "" {
			return nil
		}
		text := string(arguments)
		if quoted := ""; json.Unmarshal(arguments, &quoted) == nil && quoted != "" {
			text = quoted
		}
		calls = append(calls, ToolCall{ID: cmp.Or(f.ID, f.CallID), Name: name, Arguments: text})
	}
	return calls
}
