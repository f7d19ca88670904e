package chat

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ardanlabs/jinja"

	"github.com/confab-tui/confab/engine/token"
)

// chatML is what a model gets whose file has no template.
const chatML = `{% for m in messages %}{{ '<|im_start|>' + m.role + '\n' + m.content + '<|im_end|>\n' }}{% endfor %}` +
	`{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}`

// Names spell the tokens that templates write by name.
type Names struct{ BOS, EOS string }

// Template is a model's chat template. It may be used by many at once.
type Template struct {
	source   string
	fallback bool
	names    Names
	compiled *jinja.Template
	tokens   *token.Tokenizer
	controls *spellings
	format   format

	mu      sync.Mutex
	prompts map[string]string // generation prompts by what was asked about thinking

	learnCalls sync.Once
	calls      callStyle
}

// RefusedError is a template's own refusal of a conversation.
type RefusedError struct{ Reason string }

// Error gives the template's words.
func (e *RefusedError) Error() string {
	return "the model's chat template refuses this conversation: " + e.Reason
}

// New compiles a template; an empty source gives ChatML. Names that are empty
// are taken from the tokenizer, which may be nil where nothing is encoded.
func New(source string, t *token.Tokenizer, names Names) (*Template, error) {
	tm := &Template{source: source, names: names, tokens: t, prompts: map[string]string{}}
	if strings.TrimSpace(source) == "" {
		tm.source, tm.fallback = chatML, true
	}
	if t != nil {
		if id, ok := t.BOS(); ok && names.BOS == "" {
			tm.names.BOS = string(t.Piece(id))
		}
		if id, ok := t.EOS(); ok && names.EOS == "" {
			tm.names.EOS = string(t.Piece(id))
		}
		tm.controls = newSpellings(t.Special())
	}
	translated, err := translate(tm.source)
	if err == nil {
		tm.compiled, err = compile(translated)
	}
	if err != nil {
		return nil, fmt.Errorf("the model's chat template: %w", err)
	}
	tm.format = detectFormat(tm.source, t)
	return tm, nil
}

// compile and run keep a fault of the library from ending the program.
func compile(source string) (t *jinja.Template, err error) {
	defer caught(&err)
	return jinja.Compile(source)
}

func run(t *jinja.Template, data map[string]jinja.Value) (text string, err error) {
	defer caught(&err)
	return t.RenderValues(data)
}

func caught(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("the template engine failed: %v", r)
	}
}

// Fallback says that the file has no template and ChatML serves.
func (t *Template) Fallback() bool { return t.fallback }

// Source is the template's Jinja text.
func (t *Template) Source() string { return t.source }

// ID names the template's text: the same text has the same ID everywhere.
func (t *Template) ID() string {
	sum := sha256.Sum256([]byte(t.source))
	return hex.EncodeToString(sum[:6])
}

// Options say how to render.
type Options struct {
	// AddGenerationPrompt ends with the beginning of an answer.
	AddGenerationPrompt bool
	// Think asks for thinking or against it; nil leaves the template's choice.
	Think *bool
	// Tools is a JSON list of function declarations, or empty.
	Tools json.RawMessage
	// Now is what the template takes for the present; zero is the present.
	Now time.Time
	// ModelID is who will read the tokens: messages whose TokensOf is equal keep
	// their ids.
	ModelID string
	// Strict hands a system message to a template that refuses it. Otherwise
	// it becomes the beginning of the first user message, as such models expect.
	Strict bool
}

// Text renders a conversation, for people to read.
func (t *Template) Text(messages []Message, o Options) (string, error) {
	return t.render(messages, o)
}

func (t *Template) render(messages []Message, o Options) (string, error) {
	text, err := t.renderAs(messages, o)
	var refused *RefusedError
	if err == nil || o.Strict || !errors.As(err, &refused) {
		return text, err
	}
	if merged, ok := mergeSystem(messages); ok {
		if text, again := t.renderAs(merged, o); again == nil {
			return text, nil
		}
	}
	return "", err
}

// mergeSystem puts the system message in front of the first user message.
func mergeSystem(messages []Message) ([]Message, bool) {
	if len(messages) < 2 || messages[0].Role != System || messages[1].Role != User {
		return nil, false
	}
	merged := append([]Message(nil), messages[1:]...)
	merged[0].Content = messages[0].Content + "\n\n" + merged[0].Content
	return merged, true
}

func (t *Template) renderAs(messages []Message, o Options) (string, error) {
	style := plainCalls
	if slices.ContainsFunc(messages, func(m Message) bool { return len(m.ToolCalls) > 0 }) {
		style = t.callsAs()
	}
	return t.renderCalls(messages, o, style)
}

func (t *Template) renderCalls(messages []Message, o Options, style callStyle) (string, error) {
	list := make([]jinja.Value, len(messages))
	input := len(o.Tools)
	for i, m := range messages {
		list[i] = t.value(m, style)
		input += len(m.Content) + len(m.Thinking)
	}
	now := o.Now
	if now.IsZero() {
		now = time.Now()
	}
	data := newGuard(input).globals(now)
	data["messages"] = jinja.NewList(list)
	data["add_generation_prompt"] = jinja.NewBool(o.AddGenerationPrompt)
	data["bos_token"] = jinja.NewString(t.names.BOS)
	data["eos_token"] = jinja.NewString(t.names.EOS)
	if len(o.Tools) > 0 {
		tools, err := parseJSON(o.Tools)
		if err != nil {
			return "", fmt.Errorf("the tools are no JSON: %w", err)
		}
		data["tools"] = tools
	}
	if o.Think != nil {
		t.think(data, *o.Think)
	}
	text, err := run(t.compiled, data)
	var refused *RefusedError
	if err != nil && !errors.As(err, &refused) {
		return "", fmt.Errorf("the model's chat template: %w", err)
	}
	return text, err
}

// think sets the variables by which templates are asked for thinking.
func (t *Template) think(data map[string]jinja.Value, on bool) {
	for _, n := range []string{"enable_thinking", "thinking", "reasoning"} {
		data[n] = jinja.NewBool(on)
	}
	mode, effort := "enabled", ""
	if !on {
		mode, effort = "disabled", "low"
		data["thinking_budget"] = jinja.NewInt(0)
		data["reasoning_strength"] = jinja.NewString("low")
	}
	if strings.Contains(t.source, "'no_think'") {
		effort = map[bool]string{true: "high", false: "no_think"}[on]
	}
	data["thinking_mode"] = jinja.NewString(mode)
	if effort != "" {
		data["reasoning_effort"] = jinja.NewString(effort)
	}
}

// value makes of a message what templates read.
func (t *Template) value(m Message, style callStyle) jinja.Value {
	v := jinja.NewDict()
	d := v.AsDict()
	d.Set("role", jinja.NewString(string(m.Role)))
	d.Set("content", jinja.NewString(m.Content))
	if style.alone && m.Content == "" && len(m.ToolCalls) > 0 {
		d.Set("content", jinja.None())
	}
	if m.Thinking != "" {
		if strings.Contains(t.source, "reasoning_content") {
			d.Set("reasoning_content", jinja.NewString(m.Thinking))
		} else if t.readsThinking() {
			d.Set("thinking", jinja.NewString(m.Thinking))
		}
	}
	if len(m.ToolCalls) > 0 {
		calls := make([]jinja.Value, len(m.ToolCalls))
		for i, c := range m.ToolCalls {
			calls[i] = style.value(c)
		}
		d.Set("tool_calls", jinja.NewList(calls))
	}
	if m.Name != "" {
		d.Set("name", jinja.NewString(m.Name))
	}
	if m.ToolCallID != "" {
		d.Set("tool_call_id", jinja.NewString(m.ToolCallID))
	}
	return v
}

// readsThinking says that the template looks at a message's "thinking".
func (t *Template) readsThinking() bool {
	for _, s := range []string{"message.thinking", `"thinking" in message`, `'thinking' in message`, "message['thinking']", `message["thinking"]`} {
		if strings.Contains(t.source, s) {
			return true
		}
	}
	return false
}
