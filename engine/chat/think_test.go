package chat

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestThinkIsAsked(t *testing.T) {
	on, off := true, false
	m := []Message{{Role: User, Content: "Hi"}}
	ends := map[string][2]string{
		"Qwen-Qwen3-0.6B":                          {"assistant\n", "<think>\n\n</think>\n\n"},
		"Qwen3.5-4B":                               {"<think>\n", "<think>\n\n</think>\n\n"},
		"GLM-4.6":                                  {"<|assistant|>", "<think></think>"},
		"deepseek-ai-DeepSeek-V3.2":                {"<think>", "</think>"},
		"Kimi-K3":                                  {"<|open|>think<|sep|>", "<|open|>response<|sep|>"},
		"Cohere2MoE":                               {"<|START_THINKING|>", "<|END_THINKING|>"},
		"tencent-Hy3":                              {"<think:opensource>", "</think:opensource>"},
		"ByteDance-Seed-OSS":                       {"assistant\n", "</seed:think>"},
		"NVIDIA-Nemotron-3-Nano-30B-A3B-BF16":      {"<think>\n", "<think></think>"},
		"poolside-Laguna-S-2.1":                    {"<think>", "</think>"},
		"google-gemma-4-31B-it":                    {"model\n", "<channel|>"},
		"MiniMax-M3":                               {"<mm:think>", "</mm:think>"},
		"meta-llama-Llama-3.1-8B-Instruct":         {"\n\n", "\n\n"},
		"mistralai-Ministral-3-14B-Reasoning-2512": {"[/INST]", "[/INST]"},
	}
	names, _ := filepath.Glob(testdata(t, "templates", "*.jinja"))
	for _, path := range names {
		name := strings.TrimSuffix(filepath.Base(path), ".jinja")
		tm := template(t, name, nil)
		for i, think := range []*bool{&on, &off} {
			text, err := tm.Text(m, Options{AddGenerationPrompt: true, Think: think})
			if err != nil {
				t.Errorf("%s, think %v: %v", name, *think, err)
			}
			if want := ends[name][i]; !strings.HasSuffix(text, want) {
				t.Errorf("%s, think %v ends with %q, want %q", name, *think, text[max(0, len(text)-60):], want)
			}
		}
	}
	for name, want := range map[string]bool{"Qwen-Qwen3-0.6B": true, "openai-gpt-oss-120b": true, "muse-glimmer": true, "Qwen-Qwen2.5-7B-Instruct": false, "": false} {
		if got := template(t, name, nil).Thinks(); got != want {
			t.Errorf("%q thinks: %v, want %v", name, got, want)
		}
	}
}

func TestToolsAreRendered(t *testing.T) {
	tm := template(t, "Qwen-Qwen3-0.6B", nil)
	got, err := tm.Text([]Message{
		{Role: User, Content: "Hi"},
		{Role: Assistant, Thinking: "hm", ToolCalls: []ToolCall{{Name: "f", Arguments: `{"b": "<é>", "a": 1.0}`}}},
		{Role: Tool, Content: "42"},
	}, Options{Tools: []byte(`[{"type": "function", "function": {"name": "f"}}]`), AddGenerationPrompt: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"<tools>\n" + `{"type": "function", "function": {"name": "f"}}` + "\n</tools>",
		"<|im_start|>assistant\n<think>\nhm\n</think>\n\n<tool_call>\n" + `{"name": "f", "arguments": {"b": "<é>", "a": 1.0}}` + "\n</tool_call><|im_end|>\n",
		"<|im_start|>user\n<tool_response>\n42\n</tool_response><|im_end|>\n<|im_start|>assistant\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}

func TestIDs(t *testing.T) {
	a, b, c := template(t, "Qwen-Qwen3-0.6B", nil), template(t, "Qwen-Qwen3-0.6B", nil), template(t, "", nil)
	if a.ID() != b.ID() || a.ID() == c.ID() || len(a.ID()) != 12 || !c.Fallback() || a.Fallback() {
		t.Errorf("ids %s %s %s, fallback %v %v", a.ID(), b.ID(), c.ID(), a.Fallback(), c.Fallback())
	}
}

// A tool's result, and the call before it, are in the prompt of every template that knows
// tools.
func TestResultsAreRendered(t *testing.T) {
	toolless := []string{"google-gemma-2-2b-it", "llama-cpp-rwkv-world", "microsoft-Phi-3.5-mini-instruct"}
	m := []Message{
		{Role: User, Content: "Hi"},
		{Role: Assistant, ToolCalls: []ToolCall{{ID: "abcdefghi", Name: "look_up", Arguments: `{"a": 1}`}}},
		{Role: Tool, Name: "look_up", ToolCallID: "abcdefghi", Content: "It is 42."},
	}
	names, _ := filepath.Glob(testdata(t, "templates", "*.jinja"))
	for _, path := range names {
		name := strings.TrimSuffix(filepath.Base(path), ".jinja")
		text, err := template(t, name, nil).Text(m, Options{Tools: []byte(declared), AddGenerationPrompt: true})
		knows := err == nil && strings.Count(text, "It is 42.") == 1
		if knows == slices.Contains(toolless, name) {
			t.Errorf("%s: %v, %q", name, err, text)
		}
	}
}
