package chat

import (
	"encoding/binary"
	"encoding/json"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/confab-tui/confab/engine/gguf"
	"github.com/confab-tui/confab/engine/token"
)

// written are answers with tool calls and thinking, to be rendered by every template and read
// back from what it wrote.
var written = []Message{
	{ToolCalls: []ToolCall{{ID: "abcdefghi", Name: "look_up", Arguments: `{"a": 1, "b": "x y"}`}}},
	{ToolCalls: []ToolCall{{ID: "abcdefghi", Name: "look_up", Arguments: `{}`}}},
	{Content: "I look.", ToolCalls: []ToolCall{
		{ID: "abcdefghi", Name: "look_up", Arguments: `{"a": -1.5, "b": "it's a \"<b>\" & {c}\n\n日本 (x, y=1)"}`},
		{ID: "bcdefghij", Name: "add.to-it", Arguments: `{"name": "Bob", "on": true, "c": {"d": [1, "two", [false], {"e": "f"}], "g": "h:i"}}`},
	}},
	{Thinking: "hm,\nhm", ToolCalls: []ToolCall{{ID: "abcdefghi", Name: "look_up", Arguments: `{"a": 1, "b": "x y"}`}}},
	{Thinking: "hm,\nhm", Content: "Yes.\n\nNo."},
}

const declared = `[{"type": "function", "function": {"name": "look_up", "description": "d", "parameters": {"type": "object",
	"properties": {"a": {"type": "number"}, "b": {"type": "string"}}, "required": ["a"]}}}, {"type": "function", "function": {"name": "add.to-it",
	"description": "d", "parameters": {"type": "object", "properties": {"name": {"type": "string"}, "on": {"type": "boolean"}, "c": {"type": "object"}}}}}]`

// callless are the templates that write nothing of an assistant's tool calls.
var callless = []string{"LFM2-8B-A1B", "google-gemma-2-2b-it", "ibm-granite-granite-3.3-2B-Instruct", "llama-cpp-rwkv-world", "microsoft-Phi-3.5-mini-instruct"}

// What templates write of tool calls and thinking, parsers read, with marks that are
// tokens of their own and with marks in the text, however it is cut.
func TestAnswersComeBack(t *testing.T) {
	names, _ := filepath.Glob(testdata(t, "templates", "*.jinja"))
	for _, path := range names {
		name := strings.TrimSuffix(filepath.Base(path), ".jinja")
		t.Run(name, func(t *testing.T) {
			calls := 0
			for _, answer := range written {
				calls += comeBack(t, name, answer)
			}
			if (calls == 0) != slices.Contains(callless, name) {
				t.Errorf("%d calls were written", calls)
			}
		})
	}
}

// comeBack checks one answer, as far as the template writes it, and counts the calls.
func comeBack(t *testing.T, name string, answer Message) int {
	think := true
	o := Options{Tools: []byte(declared), Think: &think}
	m := []Message{{Role: User, Content: "Hi"}}
	answer.Role = Assistant
	tm := template(t, name, nil)
	after, err := tm.Text(append(m, answer), o)
	if err != nil {
		if !strings.Contains(err.Error(), "single tool-call") {
			t.Errorf("%+v: %v", answer, err)
		}
		return 0
	}
	o.AddGenerationPrompt = true
	prompt, err := tm.Text(m, o)
	if err != nil {
		t.Fatal(err)
	}
	tok := marksAsTokens(t, prompt+after)
	marked := template(t, name, tok)
	all, given := tok.EncodeSpecial(nil, after), tok.EncodeSpecial(nil, prompt)
	common := 0
	for common < min(len(all), len(given)) && all[common] == given[common] {
		common++
	}
	rest := all[common:]
	if at := slices.IndexFunc(rest, func(id int32) bool { return ends.MatchString(string(tok.Piece(id))) }); at >= 0 {
		rest = rest[:at]
	}
	text := tok.Decode(rest, true)
	want, stand := said(answer, text), all[:common]
	if f := tm.format; f.opened(prompt) && strings.Contains(text, f.close) && !strings.Contains(text, f.open) {
		stand = given // what the prompt opened is closed, though not opened again
	} else if f.opened(tok.Decode(stand, true)) {
		want.Thinking, want.Text = want.Text, ""
	}
	got := hear(marked.NewParser(stand), tok, rest)
	if !same(got, want) {
		t.Errorf("%q as tokens gave\n%+v, want\n%+v", text, got, want)
	}
	cutEverywhere(t, tm, tm.format.opened(tok.Decode(stand, true)), text, want)
	return len(want.ToolCalls)
}

// cutEverywhere reads an answer whose marks are text, in one piece, in two and in single
// characters; opened says that the prompt has opened a thinking block.
func cutEverywhere(t *testing.T, tm *Template, opened bool, text string, want Delta) {
	read := func(cut func(n int) int) Delta {
		p := tm.NewParser(nil)
		if opened {
			p.Add(tm.format.open, false)
		}
		return stream(p, text, cut)
	}
	whole := read(func(n int) int { return n })
	if !slices.EqualFunc(whole.ToolCalls, want.ToolCalls, sameCall) || strings.TrimSpace(whole.Thinking) != want.Thinking {
		t.Errorf("%q as text gave\n%+v, want\n%+v", text, whole, want)
	}
	for at := range text {
		left := at
		cut := read(func(n int) int {
			if left > 0 {
				n, left = min(n, left), 0
			}
			return n
		})
		if !reflect.DeepEqual(cut, whole) {
			t.Fatalf("%q cut at %d gave\n%+v, whole\n%+v", text, at, cut, whole)
		}
	}
	if cut := read(func(int) int { return 1 }); !reflect.DeepEqual(cut, whole) {
		t.Errorf("%q in single characters gave\n%+v, whole\n%+v", text, cut, whole)
	}
}

// said is what of an answer the template wrote.
func said(answer Message, text string) Delta {
	var d Delta
	if strings.Contains(text, "analysis<|message|>"+answer.Content) && answer.Content != "" {
		d.Thinking = answer.Content // what gpt-oss says before it calls
	} else if strings.Contains(text, answer.Content) {
		d.Text = answer.Content
	}
	if answer.Thinking != "" && strings.Contains(text, answer.Thinking) {
		d.Thinking = answer.Thinking
	}
	for _, c := range answer.ToolCalls {
		if strings.Contains(text, c.Name) {
			d.ToolCalls = append(d.ToolCalls, c)
		}
	}
	return d
}

func hear(p *Parser, tok *token.Tokenizer, ids []int32) Delta {
	var all Delta
	add := func(d Delta) {
		all.Text += d.Text
		all.Thinking += d.Thinking
		all.ToolCalls = append(all.ToolCalls, d.ToolCalls...)
	}
	d := tok.NewDecoder(false)
	for _, id := range ids {
		if tok.IsControl(id) {
			add(p.Add(string(tok.Piece(id)), true))
		} else {
			add(p.Add(d.Add(id), false))
		}
	}
	add(p.Flush())
	return all
}

func same(a, b Delta) bool {
	return strings.TrimSpace(a.Text) == strings.TrimSpace(b.Text) && strings.TrimSpace(a.Thinking) == b.Thinking && slices.EqualFunc(a.ToolCalls, b.ToolCalls, sameCall)
}

func sameCall(a, b ToolCall) bool {
	var left, right any
	return a.Name == b.Name && json.Unmarshal([]byte(a.Arguments), &left) == nil && json.Unmarshal([]byte(b.Arguments), &right) == nil && reflect.DeepEqual(left, right)
}

var (
	// controlForm is what control tokens look like.
	controlForm = regexp.MustCompile(`<[|｜][^|｜<>\s]+[|｜]>|<\|[a-z_"]+>|<\|"\|>|<[a-z_]+\|>|\[/?[A-Z_]+\]|\]~!?b[\]\[]|\[e~\[|\]<\]minimax\[>\[|` +
		`<SPECIAL_\d+>|<seed:[be]os>|<(?:sep|[a-z]+_of_[a-z]+)>|</?assistant>|</?s>|</?[a-z:_]*(?:think|tool_calls?|tool_sep|arg_key|arg_value)(?::\w+)?>`)
	// ends are those that end a turn.
	ends = regexp.MustCompile(`^(<\|(im_end|eot_id|eom_id|END_OF_TURN_TOKEN|START_OF_TURN_TOKEN|end_of_msg|end_of_text|assistant_end|call|eot|role_end|tool_response|observation|user|return|Bot)\|?>|` +
		`</s>|<｜(end▁of▁sentence|hy_eos:opensource)｜>|<turn\|>|<end_of_turn>|\[e~\[|<SPECIAL_12>|<seed:eos>|</assistant>|<sep>|<end_of_sentence>)$`)
)

// marksAsTokens is a vocabulary of single bytes and, as control tokens, of what in the text
// looks like one.
func marksAsTokens(t *testing.T, text string) *token.Tokenizer {
	var tokens []string
	next := rune(256)
	for b := range rune(256) { // as byte-level BPE spells bytes
		if b >= '!' && b <= '~' || b >= '¡' && b <= '¬' || b >= '®' {
			tokens = append(tokens, string(b))
		} else {
			tokens = append(tokens, string(next))
			next++
		}
	}
	for _, m := range controlForm.FindAllString(text, -1) {
		if !slices.Contains(tokens, m) {
			tokens = append(tokens, m)
		}
	}
	b := []byte("GGUF\x03\x00\x00\x00")
	number := func(n int) { b = binary.LittleEndian.AppendUint64(b, uint64(n)) }
	spell := func(s string) { number(len(s)); b = append(b, s...) }
	array := func(name string, kind byte, n int) {
		spell(name)
		b = append(b, 9, 0, 0, 0, kind, 0, 0, 0)
		number(n)
	}
	number(0)
	number(5)
	for _, s := range [][2]string{{"tokenizer.ggml.model", "gpt2"}, {"tokenizer.ggml.pre", "gpt-2"}} {
		spell(s[0])
		b = append(b, 8, 0, 0, 0)
		spell(s[1])
	}
	array("tokenizer.ggml.tokens", 8, len(tokens))
	for _, s := range tokens {
		spell(s)
	}
	array("tokenizer.ggml.token_type", 5, len(tokens))
	for i := range tokens {
		kind := uint32(1)
		if i >= 256 {
			kind = 3
		}
		b = binary.LittleEndian.AppendUint32(b, kind)
	}
	array("tokenizer.ggml.merges", 8, 0)
	f, err := gguf.Parse("marks.gguf", b)
	if err != nil {
		t.Fatal(err)
	}
	tok, err := token.New(f)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}
