package chat

import (
	"encoding/json"
	"strings"

	"github.com/ardanlabs/jinja"
)

// callStyle is how a template wants an assistant's tool calls: arguments as an object or
// as its JSON text, and no content, rather than an empty one, beside calls.
type callStyle struct{ text, alone bool }

// plainCalls suits most templates.
var plainCalls = callStyle{}

// callsAs finds the style by trying: one is right whose rendering has the arguments as JSON.
func (t *Template) callsAs() callStyle {
	t.learnCalls.Do(func() {
		trial := []Message{{Role: User, Content: "?"}, {Role: Assistant, ToolCalls: []ToolCall{{ID: "123456789", Name: "f", Arguments: `{"argument": "v"}`}}}}
		for _, style := range []callStyle{plainCalls, {text: true}, {alone: true}, {text: true, alone: true}} {
			text, err := t.renderCalls(trial, Options{}, style)
			if err == nil && strings.Contains(text, "argument") && !strings.Contains(text, `{'argument'`) {
				t.calls = style
				return
			}
		}
	})
	return t.calls
}

// value is a call as templates read it.
func (s callStyle) value(c ToolCall) jinja.Value {
	arguments, err := parseJSON(json.RawMessage(c.Arguments))
	if err != nil || s.text {
		arguments = jinja.NewString(c.Arguments)
	}
	f, v := jinja.NewDict(), jinja.NewDict()
	f.AsDict().Set("name", jinja.NewString(c.Name))
	f.AsDict().Set("arguments", arguments)
	v.AsDict().Set("id", jinja.NewString(c.ID))
	v.AsDict().Set("type", jinja.NewString("function"))
	v.AsDict().Set("function", f)
	return v
}
