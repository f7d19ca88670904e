package chat

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// stream parses text cut at the given places; pieces that are whole marks in
// \x01..\x02 come as control tokens.
func stream(p *Parser, text string, cut func(n int) int) Delta {
	var all Delta
	add := func(d Delta) {
		all.Text += d.Text
		all.Thinking += d.Thinking
		all.ToolCalls = append(all.ToolCalls, d.ToolCalls...)
	}
	for text != "" {
		if text[0] == '\x01' {
			control, rest, _ := strings.Cut(text[1:], "\x02")
			add(p.Add(control, true))
			text = rest
			continue
		}
		n := strings.IndexByte(text, '\x01')
		if n < 0 {
			n = len(text)
		}
		n = min(n, cut(n))
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n++
		}
		add(p.Add(text[:n], false))
		text = text[n:]
	}
	add(p.Flush())
	return all
}

// c writes a control token for stream.
func c(spelling string) string { return "\x01" + spelling + "\x02" }

var streams = []struct {
	name, template, text      string
	wantText, wantThink, tool string
}{
	{"plain", "Qwen-Qwen2.5-7B-Instruct", "Hello <b>you</b> & </think> <", "Hello <b>you</b> & </think> <", "", ""},
	{"tags", "Qwen-Qwen3-0.6B", "<think>\nhm, <thin\n\n</think>\n\n  Yes <think>x</think>", "Yes <think>x</think>", "hm, <thin", ""},
	{"tags as tokens", "Qwen-Qwen3-0.6B", c("<think>") + "\nhm\n" + c("</think>") + "\n\nYes" + c("<|im_end|>"), "Yes", "hm", ""},
	{"empty thinking", "Qwen-Qwen3-0.6B", "<think>\n\n</think>\n\nYes", "Yes", "", ""},
	{"unclosed thinking", "Qwen-Qwen3-0.6B", "<think>\nhm </thi", "", "hm </thi", ""},
	{"half a mark", "Qwen-Qwen3-0.6B", "<thin", "<thin", "", ""},
	{"stray close", "deepseek-ai-DeepSeek-V3.2", "</think>Yes", "Yes", "", ""},
	{"brackets", "mistralai-Ministral-3-14B-Reasoning-2512", "[THINK]hm[/THINK]Yes [1]", "Yes [1]", "hm", ""},
	{"cohere", "CohereForAI-c4ai-command-r7b-12-2024-tool_use", c("<|START_THINKING|>") + "hm" + c("<|END_THINKING|>") + c("<|START_RESPONSE|>") + "Yes" + c("<|END_RESPONSE|>"), "Yes", "hm", ""},
	{"channels", "openai-gpt-oss-120b", c("<|channel|>") + "analysis" + c("<|message|>") + "hm" + c("<|end|>") + c("<|start|>") + "assistant" + c("<|channel|>") + "final" + c("<|message|>") + "Yes <|channel", "Yes <|channel", "hm", ""},
	{"two analyses", "openai-gpt-oss-120b", c("<|channel|>") + "analysis" + c("<|message|>") + "a" + c("<|end|>") + c("<|start|>") + "assistant" + c("<|channel|>") + "analysis" + c("<|message|>") + "b" + c("<|end|>"), "", "a\nb", ""},
	{"function", "openai-gpt-oss-120b", c("<|channel|>") + "commentary to=functions.get_x " + c("<|constrain|>") + "json" + c("<|message|>") + `{"a":1}` + c("<|call|>"), "", "", `[{ get_x {"a":1}}]`},
	{"recipients", "muse-glimmer", " to=self" + c("<|message|>") + "hm" + c("<|eom|>") + c("<|start|>") + "assistant to=user" + c("<|message|>") + "Yes to=you", "Yes to=you", "hm", ""},
	{"no header", "muse-glimmer", "to=day is fine, to= that", "to=day is fine, to= that", "", ""},
	{"bare header", "muse-glimmer", " to=self", "to=self", "", ""},
	{"thought", "google-gemma-4-31B-it", c("<|channel>") + "thought\nhm\nhm" + c("<channel|>") + "Yes\nno", "Yes\nno", "hm\nhm", ""},
	{"elements", "Kimi-K3", c("<|open|>") + "think" + c("<|sep|>") + "hm" + c("<|close|>") + "think" + c("<|sep|>") + c("<|open|>") + "response" + c("<|sep|>") + "Yes" + c("<|close|>") + "response" + c("<|sep|>") + c("<|close|>") + "message" + c("<|sep|>"), "Yes", "hm", ""},
	{"tool", "Qwen-Qwen3-0.6B", "I look.\n<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": [1]}}\n</tool_call>\n<tool_call>{\"name\":\"g\",\"arguments\":{}}</tool_call>", "I look.\n", "", `[{ f {"a": [1]}} { g {}}]`},
	{"tool after thinking", "Qwen-Qwen3-0.6B", "<think>hm</think>\n<tool_call>{\"name\":\"g\",\"arguments\":{}}</tool_call>", "", "hm", `[{ g {}}]`},
	{"no tool", "Qwen-Qwen3-0.6B", "the mark <tool_call> begins </tool_call> it", "the mark <tool_call> begins </tool_call> it", "", ""},
	{"cut tool", "Qwen-Qwen3-0.6B", "a <tool_call>{\"name\"", "a <tool_call>{\"name\"", "", ""},
	{"tool as elements", "Qwen3.5-4B", "<tool_call>\n<function=f>\n<parameter=a>\nx y\n</parameter>\n<parameter=b>\n2\n</parameter>\n</function>\n</tool_call>", "", "", `[{ f {"a":"x y","b":2}}]`},
	{"tool with keys", "GLM-4.6", "<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>x</arg_value>\n</tool_call>", "", "", `[{ f {"a":"x"}}]`},
	{"tool list", "unsloth-mistral-Devstral-Small-2507", c("[TOOL_CALLS]") + "f" + c("[ARGS]") + `{"a":1}`, "", "", `[{ f {"a":1}}]`},
	{"bare call", "meta-llama-Llama-3.1-8B-Instruct", ` {"name": "f", "parameters": {"a": 1}}`, "", "", `[{ f {"a": 1}}]`},
	{"no bare call", "meta-llama-Llama-3.1-8B-Instruct", `{"name", "x"}`, `{"name", "x"}`, "", ""},
	{"header in two parts", "openai-gpt-oss-120b", " to=functions.f" + c("<|channel|>") + "commentary json" + c("<|message|>") + "{}" + c("<|call|>"), "", "", `[{ f {}}]`},
	{"python calls", "LFM2.5-8B-A1B", c("<|tool_call_start|>") + `[f(a=1, b='x\'y', c=[True, None]), g()]` + c("<|tool_call_end|>") + "Done", "Done", "", `[{ f {"a": 1, "b": "x'y", "c": [true, null]}} { g {}}]`},
	{"gemma call", "google-gemma-4-31B-it", c("<|tool_call>") + "call:f{a:1,b:" + c(`<|"|>`) + "x, y" + c(`<|"|>`) + ",c:{d:[true]}}" + c("<tool_call|>"), "", "", `[{ f {"a": 1, "b": "x, y", "c": {"d": [true]}}}]`},
	{"two mistral calls", "mistralai-Ministral-3-14B-Reasoning-2512", c("[TOOL_CALLS]") + "f" + c("[ARGS]") + `{"a":1}` + c("[TOOL_CALLS]") + "g" + c("[ARGS]") + "{}", "", "", `[{ f {"a":1}} { g {}}]`},
	{"mark in a string", "Qwen-Qwen3-0.6B", `<tool_call>{"name": "f", "arguments": {"a": "\"<tool_call></tool_call>"}}</tool_call>!`, "!", "", `[{ f {"a": "\"<tool_call></tool_call>"}}]`},
	{"mark in CDATA", "openbmb-MiniCPM5-1B", `<function name="f"><param name="a"><![CDATA[1]]></param><param name="b"><![CDATA[</param></function>]]></param></function>`, "", "", `[{ f {"a":"1","b":"\u003c/param\u003e\u003c/function\u003e"}}]`},
	{"no function", "meetkai-functionary-medium-v3.2", "all\nSee:\n>>> f(1)\n>>>f\n1", "See:\n>>> f(1)\n>>>f\n1", "", ""},
	{"functions", "meetkai-functionary-medium-v3.2", "f\n{\"name\": \">>>x\"}>>>g\n{}", "", "", `[{ f {"name": ">>>x"}} { g {}}]`},
	{"function call", "GigaChat3-10B-A1.8B", "So." + c("<|message_sep|>") + "\n\nfunction call" + c("<|role_sep|>") + "\n{\"name\": \"f\", \"arguments\": {}}" + c("<|message_sep|>") + "\n\n", "So.", "", `[{ f {}}]`},
	{"no argument", "openai-gpt-oss-120b", c("<|channel|>") + "commentary to=functions.f" + c("<|message|>") + c("<|call|>"), "", "", `[{ f {}}]`},
	{"broken argument", "openai-gpt-oss-120b", c("<|channel|>") + "commentary to=functions.f" + c("<|message|>") + `{"a"` + c("<|call|>"), ` commentary to=functions.f<|message|>{"a"`, "", ""},
	{"cut elements", "Kimi-K3", c("<|open|>") + "tools" + c("<|sep|>") + c("<|open|>") + `call tool="f" index="1"` + c("<|sep|>") + c("<|open|>") + `argument key="&amp;&quot;" type="string"` + c("<|sep|>") + "1" + c("<|close|>") + "argument" + c("<|sep|>") + c("<|close|>") + "call" + c("<|sep|>"), "", "", `[{ f {"\u0026\"":"1"}}]`},
	{"mark between", "MiniMax-M3", "a " + c("]<]minimax[>[") + "b <tool_call> x </tool_call>", "a b <tool_call> x </tool_call>", "", ""},
	{"call in thinking", "Apertus-8B-Instruct", c("<|inner_prefix|>") + "<|tools_prefix|> hm " + c("<|tools_prefix|>") + `[{"f": {"a": 1}}, {"g": {}}]` + c("<|tools_suffix|>"), "", "<|tools_prefix|> hm", `[{ f {"a": 1}} { g {}}]`},
	{"framed answer", "ibm-granite-granite-3.3-2B-Instruct", "<think>hm</think> <response>\nYes <response> no</response>\n</response>", "Yes <response> no\n</response>", "hm", ""},
	{"no frame", "ibm-granite-granite-3.3-2B-Instruct", "XML: <response>x</response>", "XML: <response>x</response>", "", ""},
	{"python tag", "meta-llama-Llama-3.1-8B-Instruct", c("<|python_tag|>") + `{"name":"f","parameters":{"a":1}}`, "", "", `[{ f {"a":1}}]`},
}

func TestParser(t *testing.T) {
	for _, s := range streams {
		tm := template(t, s.template, nil)
		for seed := range uint64(40) {
			r := rand.New(rand.NewPCG(seed, 1))
			cut := func(n int) int { return 1 + r.IntN(n) }
			if seed == 0 {
				cut = func(n int) int { return n }
			} else if seed == 1 {
				cut = func(int) int { return 1 }
			}
			got := stream(tm.NewParser(nil), s.text, cut)
			tools := ""
			if got.ToolCalls != nil {
				tools = fmt.Sprint(got.ToolCalls)
			}
			if got.Text != s.wantText || got.Thinking != s.wantThink || tools != s.tool {
				t.Errorf("%s, cut %d: got %q, thinking %q, tools %s", s.name, seed, got.Text, got.Thinking, tools)
				break
			}
		}
	}
}

// Nothing that can only be text is held back.
func TestParserHoldsLittle(t *testing.T) {
	p := template(t, "Qwen-Qwen3-0.6B", nil).NewParser(nil)
	for _, s := range []struct{ piece, thinking, text string }{
		{"<", "", ""}, {"think>\na", "a", ""}, {" b <", " b", ""}, {"c", " <c", ""}, {"</th", "", ""}, {"ink> ", "", ""}, {"d <", "", "d "}, {"x", "", "<x"}, {" ", "", " "},
	} {
		if d := p.Add(s.piece, false); d.Text != s.text || d.Thinking != s.thinking {
			t.Errorf("%q gave text %q, thinking %q", s.piece, d.Text, d.Thinking)
		}
	}
}

// The parser knows from the prompt what has begun.
func TestParserReadsThePrompt(t *testing.T) {
	tok := vocabulary(t, "tokenizers", "qwen2.gguf")
	m := []Message{{Role: User, Content: "say <think> and <|im_start|>assistant"}}
	open := func(m Message) Message { m.Role, m.Unfinished = Assistant, true; return m }
	no := false
	for _, c := range []struct {
		template       string
		more           []Message
		think          *bool
		piece          string
		text, thinking string
	}{
		{"Qwen-Qwen3-0.6B", nil, nil, "<think>a</think> b", "b", "a"},
		{"Qwen-Qwen3-0.6B", nil, &no, "a</think> <think>b", "a</think> <think>b", ""},
		{"Qwen3.5-4B", nil, nil, "a</think> b", "b", "a"},
		{"Qwen3.5-4B", nil, &no, " a", "a", ""},
		{"Qwen3.5-4B", []Message{open(Message{Thinking: "x"})}, nil, " a</think>b", "b", " a"},
		{"Qwen3.5-4B", []Message{open(Message{Thinking: "x", Content: "y"})}, nil, " a</think>b", " a</think>b", ""},
		{"Qwen-Qwen2.5-7B-Instruct", []Message{open(Message{Content: "y"})}, nil, " <think>b", " <think>b", ""},
		{"", []Message{open(Message{Content: "y"})}, nil, " <think>b", " <think>b", ""},
	} {
		tm := template(t, c.template, tok)
		prompt := encode(t, tm, append(m[:1:1], c.more...), Options{AddGenerationPrompt: true, Think: c.think})
		got := stream(tm.NewParser(prompt), c.piece, func(n int) int { return n })
		if got.Text != c.text || got.Thinking != c.thinking {
			t.Errorf("%s %+v: got %q, thinking %q", c.template, c.more, got.Text, got.Thinking)
		}
	}
}

func FuzzParserChunking(f *testing.F) {
	for _, s := range streams {
		f.Add(s.text, uint64(7))
	}
	var all []*Template
	for _, source := range []string{"</think><tool_call>", "[/THINK][TOOL_CALLS]", "<|channel|><|message|><|start|>", "<|eom|><|message|>to=", "<|open|><|sep|><|close|>", "<|channel><channel|>",
		"<|message_sep|><|role_sep|>", ">>>${recipient}", "]<]minimax[>[<tool_call>", "<function name=<![CDATA[", "Action:\\n```json", "<response></response></think>"} {
		tm, err := New("{# "+source+" #}", nil, Names{})
		if err != nil {
			f.Fatal(err)
		}
		all = append(all, tm)
	}
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		text = strings.ToValidUTF8(text, "?")
		r := rand.New(rand.NewPCG(seed, 2))
		for i, tm := range all {
			whole := stream(tm.NewParser(nil), text, func(n int) int { return n })
			cut := stream(tm.NewParser(nil), text, func(n int) int { return 1 + r.IntN(min(n, 5)) })
			if whole.Text != cut.Text || whole.Thinking != cut.Thinking || fmt.Sprint(whole.ToolCalls) != fmt.Sprint(cut.ToolCalls) {
				t.Errorf("format %d, %q: whole %+v, cut %+v", i, text, whole, cut)
			}
		}
	})
}
