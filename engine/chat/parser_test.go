package chat

import (
	"encoding/json"
	"fmt"
	"maps"
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
	{"python tag", "meta-llama-Llama-3.1-8B-Instruct", c("<|python_tag|>") + `{"name":"f","parameters":{"a":1}}`, "", "", `[{ f {"a":1}}]`},
}

// What templates write of an assistant's tool calls, parsers read.
func TestToolCallsComeBack(t *testing.T) {
	tools := []byte(`[{"type": "function", "function": {"name": "look_up", "description": "d", "parameters": {"type": "object",
		"properties": {"a": {"type": "integer"}, "b": {"type": "string"}}}}}]`)
	arguments := map[string]any{"a": 1.0, "b": "x y"}
	for _, name := range []string{
		"Apriel-1.6-15b-Thinker-fixed", "Bielik-11B-v3.0-Instruct", "ByteDance-Seed-OSS", "Cohere2MoE", "CohereForAI-c4ai-command-r7b-12-2024-tool_use",
		"GLM-4.6", "Kimi-K2-Thinking", "LFM2.5-8B-A1B", "MiMo-VL", "MiniMax-M1", "Mistral-Small-3.2-24B-Instruct-2506", "NVIDIA-Nemotron-3-Nano-30B-A3B-BF16",
		"NVIDIA-Nemotron-Nano-v2", "NousResearch-Hermes-3-Llama-3.1-8B-tool_use", "Qwen-QwQ-32B", "Qwen-Qwen2.5-7B-Instruct", "Qwen-Qwen3-0.6B", "Qwen3.5-4B",
		"Reka-Edge", "Spark2.5", "StepFun3.5-Flash", "deepseek-ai-DeepSeek-R1-Distill-Qwen-32B", "deepseek-ai-DeepSeek-V3.2", "deepseek-ai-DeepSeek-V4",
		"google-gemma-4-31B-it", "ibm-granite-granite-4.1", "inclusionai-ling-3.0-flash", "llama-cpp-deepseek-r1", "meta-llama-Llama-3.1-8B-Instruct",
		"meta-llama-Llama-3.3-70B-Instruct", "mistralai-Ministral-3-14B-Reasoning-2512", "moonshotai-Kimi-K2", "muse-glimmer", "openai-gpt-oss-120b",
		"poolside-Laguna-S-2.1", "poolside-Laguna-XS.2", "unsloth-mistral-Devstral-Small-2507",
	} {
		tm := template(t, name, nil)
		m := []Message{{Role: User, Content: "Hi"}}
		before, err := tm.Text(m, Options{Tools: tools})
		if err != nil {
			t.Fatal(err)
		}
		raw, _ := json.Marshal(arguments)
		after, err := tm.Text(append(m, Message{Role: Assistant, ToolCalls: []ToolCall{{ID: "abcdefghi", Name: "look_up", Arguments: string(raw)}}}), Options{Tools: tools})
		if err != nil {
			t.Fatal(err)
		}
		if prompt, err := tm.Text(m, Options{Tools: tools, AddGenerationPrompt: true}); err == nil && strings.HasPrefix(after, prompt) {
			before = prompt
		}
		common := 0
		for common < min(len(before), len(after)) && before[common] == after[common] {
			common++
		}
		if at := strings.LastIndex(after[:common], "<"); at >= 0 && !strings.Contains(after[at:common], ">") {
			common = at
		}
		written := strings.TrimSuffix(after[common:], "<|eot_id|>") // a token that ends the answer
		got := stream(tm.NewParser(nil), written, func(n int) int { return min(n, 3) })
		var back map[string]any
		if len(got.ToolCalls) != 1 || got.ToolCalls[0].Name != "look_up" || json.Unmarshal([]byte(got.ToolCalls[0].Arguments), &back) != nil || !maps.Equal(back, arguments) {
			t.Errorf("%s: %q gave %+v", name, written, got)
		}
	}
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
	for _, source := range []string{"</think><tool_call>", "[/THINK][TOOL_CALLS]", "<|channel|><|message|><|start|>", "<|eom|><|message|>to=", "<|open|><|sep|><|close|>", "<|channel><channel|>"} {
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
