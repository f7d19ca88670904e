package token

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/confab-tui/confab/engine/gguf"
)

// shared is where the large test data lies; it is not part of the module.
const shared = "../../../shared"

func need(t testing.TB, path string) string {
	t.Helper()
	path = filepath.Join(shared, path)
	if _, err := os.Stat(path); err != nil {
		t.Skip("../shared/testdata not present")
	}
	return path
}

func open(t testing.TB, path string) *gguf.File {
	t.Helper()
	f, err := gguf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

func load(t testing.TB, path string) *Tokenizer {
	t.Helper()
	tok, err := New(open(t, path))
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// vectors are the texts and ids of a vocabulary's files .inp and .out.
func vectors(t testing.TB, name string) (texts []string, ids [][]int32) {
	t.Helper()
	inp, err := os.ReadFile(need(t, "testdata/tokenizers/"+name+".inp"))
	if err != nil {
		t.Fatal(err)
	}
	out, err := os.ReadFile(need(t, "testdata/tokenizers/"+name+".out"))
	if err != nil {
		t.Fatal(err)
	}
	const end = "\n__ggml_vocab_test__\n"
	texts = strings.Split(strings.TrimSuffix(string(inp), end), end)
	for line := range strings.Lines(string(out)) {
		var row []int32
		for field := range strings.FieldsSeq(line) {
			var id int32
			if _, err := fmt.Sscan(field, &id); err != nil {
				t.Fatal(err)
			}
			row = append(row, id)
		}
		ids = append(ids, row)
	}
	if len(texts) != len(ids) {
		t.Fatalf("%s: %d texts, %d lines of ids", name, len(texts), len(ids))
	}
	return texts, ids
}

func TestVectors(t *testing.T) {
	for _, name := range []string{"llama-bpe", "llama-spm", "phi-3", "qwen2", "qwen35", "gpt-2", "mpt", "refact", "deepseek-coder"} {
		t.Run(name, func(t *testing.T) {
			texts, want := vectors(t, name)
			var tok *Tokenizer
			if name == "qwen35" {
				tok = withPre(t, need(t, "testdata/tokenizers/qwen2.gguf"), "qwen35")
			} else {
				tok = load(t, need(t, "testdata/tokenizers/"+name+".gguf"))
			}
			for i, text := range texts {
				got := tok.Encode(nil, text)
				if !slices.Equal(got, want[i]) {
					t.Errorf("text %d, %q:\n got %v\nwant %v", i, text, got, want[i])
				}
				if again := tok.Encode(nil, text); !slices.Equal(got, again) {
					t.Errorf("text %d, %q: %v the second time, %v the first", i, text, again, got)
				}
				if back := tok.Decode(got, true); back != text {
					t.Errorf("text %d, %q: decoded to %q", i, text, back)
				}
			}
		})
	}
}

// withPre loads a vocabulary with another pre-tokenizer than its own, whose
// name must be a byte shorter than the other.
func withPre(t testing.TB, path, pre string) *Tokenizer {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const key = "tokenizer.ggml.pre"
	at := strings.Index(string(data), key) + len(key) + 4
	length := int(data[at])
	changed := append(slices.Clone(data[:at]), byte(len(pre)), 0, 0, 0, 0, 0, 0, 0)
	changed = append(append(changed, pre...), data[at+8+length:]...)
	f, err := gguf.Parse(path, append(changed, make([]byte, 64)...))
	if err != nil {
		t.Fatal(err)
	}
	tok, err := New(f)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// TestPrompts checks the ids of the prompts that the models' logits belong to.
func TestPrompts(t *testing.T) {
	paths, _ := filepath.Glob(need(t, "testdata/logits") + "/*.json")
	for _, path := range paths {
		var c struct {
			Prompt string
			Tokens []int32
			Model  string
		}
		readJSON(t, path, &c)
		if c.Prompt == "" {
			continue
		}
		tok := load(t, need(t, "testdata/models/"+c.Model))
		var got []int32
		if bos, ok := tok.BOS(); ok && tok.AddBOS() {
			got = append(got, bos)
		}
		if got = tok.EncodeSpecial(got, c.Prompt); !slices.Equal(got, c.Tokens) {
			t.Errorf("%s: %q:\n got %v\nwant %v", c.Model, c.Prompt, got, c.Tokens)
		}
	}
}

func TestExpected(t *testing.T) {
	var all struct {
		Model   string
		Prompts []struct {
			Kind, Prompt, Text string
			Tokens, Greedy     []int32
		}
	}
	readJSON(t, need(t, "models/expected.json"), &all)
	tok := load(t, need(t, "models/"+all.Model))
	for _, p := range all.Prompts {
		encode := tok.EncodeSpecial
		if p.Kind == "raw" {
			encode = tok.Encode
		}
		if got := encode(nil, p.Prompt); !slices.Equal(got, p.Tokens) {
			t.Errorf("%s %q:\n got %v\nwant %v", p.Kind, p.Prompt, got, p.Tokens)
		}
		if got := tok.Decode(p.Greedy, true); got != p.Text {
			t.Errorf("decoded %q, want %q", got, p.Text)
		}
	}
}

func readJSON(t testing.TB, path string, to any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, to); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}
