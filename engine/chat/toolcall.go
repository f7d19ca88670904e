package chat

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strings"
)

// readCalls reads a tool call between its marks. Where a header named the function, the
// text is its arguments; of the forms some have the name in the opening mark. It returns
// nil for what is no call.
func readCalls(function, opening, text, end string) []ToolCall {
	if function != "" {
		arguments := cmp.Or(strings.TrimSpace(text), "{}")
		if !json.Valid([]byte(arguments)) {
			return nil
		}
		return []ToolCall{{Name: function, Arguments: arguments}}
	}
	if calls := parseCalls(opening + text + end); calls != nil {
		return calls
	}
	return parseCalls(text)
}

// parseCalls reads the tool calls that models write: JSON objects of name and arguments
// or parameters, names followed by JSON, elements named function and parameter, or
// arg_key and arg_value, and the forms of toolforms.go. It returns nil for what is none
// of them.
func parseCalls(text string) []ToolCall {
	text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "```"))
	if text == "" {
		return nil
	}
	for _, read := range []func(string) []ToolCall{
		jsonCalls, functionCalls, invokeCalls, spacedCalls, openCalls, partCalls, spelledCalls, keyedCalls, namedCalls,
	} {
		if calls := read(text); calls != nil {
			return calls
		}
	}
	return nil
}

var (
	plainName = regexp.MustCompile(`^[\w.-]+$`)
	// nameForm is the name of a call, which JSON follows; Mistral has marks in it,
	// functionary one before each further name.
	nameForm = regexp.MustCompile(`(?:^|>>>)([\w.-]+)(?:\[CALL_ID\](\w*))?(?:\[ARGS\])?\s*`)
)

// namedCalls are names followed by JSON.
func namedCalls(text string) []ToolCall {
	var calls []ToolCall
	for text != "" {
		m := nameForm.FindStringSubmatchIndex(text)
		if m == nil || m[0] != 0 {
			return nil
		}
		id := ""
		if m[4] >= 0 {
			id = text[m[4]:m[5]]
		}
		var arguments json.RawMessage
		d := json.NewDecoder(strings.NewReader(text[m[1]:]))
		if d.Decode(&arguments) != nil || arguments[0] != '{' {
			return nil
		}
		calls = append(calls, ToolCall{ID: id, Name: text[m[2]:m[3]], Arguments: string(arguments)})
		text = strings.TrimSpace(text[m[1]+int(d.InputOffset()):])
	}
	return calls
}

// callForm is a call as an object. Arguments may be an object or one in a string.
type callForm struct {
	ID         string          `json:"id"`
	CallID     string          `json:"tool_call_id"`
	Name       string          `json:"name"`
	ToolName   string          `json:"tool_name"`
	Arguments  json.RawMessage `json:"arguments"`
	Parameters json.RawMessage `json:"parameters"`
}

// jsonCalls are objects, one after the other or in a list.
func jsonCalls(text string) []ToolCall {
	var all []json.RawMessage
	var err error
	if strings.HasPrefix(text, "[") {
		err = json.Unmarshal([]byte(text), &all)
	} else {
		for d := json.NewDecoder(strings.NewReader(text)); err == nil && d.More(); {
			var one json.RawMessage
			err = d.Decode(&one)
			all = append(all, one)
		}
	}
	var calls []ToolCall
	for _, one := range all {
		c, ok := jsonCall(one)
		if err != nil || !ok {
			return nil
		}
		calls = append(calls, c)
	}
	return calls
}

// jsonCall reads one object: of the names above, or with the function's for its only one.
func jsonCall(text json.RawMessage) (ToolCall, bool) {
	var f callForm
	if json.Unmarshal(text, &f) != nil {
		return ToolCall{}, false
	}
	name, arguments := cmp.Or(f.Name, f.ToolName), f.Arguments
	if arguments == nil {
		arguments = f.Parameters
	}
	var only map[string]json.RawMessage
	if name == "" && json.Unmarshal(text, &only) == nil && len(only) == 1 {
		for name, arguments = range only {
			if arguments[0] != '{' {
				return ToolCall{}, false
			}
		}
	}
	c := ToolCall{ID: cmp.Or(f.ID, f.CallID), Name: name, Arguments: string(arguments)}
	if quoted := ""; json.Unmarshal(arguments, &quoted) == nil && quoted != "" {
		c.Arguments = quoted
	}
	return c, name != ""
}
