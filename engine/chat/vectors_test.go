package chat

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// testdata is a path in the shared test data; the test is skipped where there
// is none.
func testdata(t testing.TB, path ...string) string {
	t.Helper()
	root := filepath.Join("..", "..", "..", "shared", "testdata")
	if _, err := os.Stat(root); err != nil {
		t.Skip("../shared/testdata not present")
	}
	return filepath.Join(append([]string{root}, path...)...)
}

func loadJSON(t testing.TB, path string, v any) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		t.Fatal(err)
	}
}

func TestVectors(t *testing.T) {
	var given struct {
		BOS           string    `json:"bos_token"`
		EOS           string    `json:"eos_token"`
		Now           time.Time `json:"now"`
		Conversations map[string][]Message
	}
	loadJSON(t, testdata(t, "templates", "conversations.json"), &given)
	names, err := filepath.Glob(testdata(t, "templates", "*.jinja"))
	if err != nil || len(names) != 59 {
		t.Fatalf("found %d templates, %v", len(names), err)
	}
	for _, path := range names {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".jinja"), func(t *testing.T) {
			source, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var want struct {
				Cases []struct {
					Conversation string
					Prompt       bool `json:"add_generation_prompt"`
					Expected     *string
					Error        json.RawMessage
				}
			}
			loadJSON(t, strings.TrimSuffix(path, ".jinja")+".json", &want)
			tm, err := New(string(source), nil, Names{given.BOS, given.EOS})
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range want.Cases {
				got, err := tm.Text(given.Conversations[c.Conversation], Options{AddGenerationPrompt: c.Prompt, Now: given.Now, Strict: true})
				switch {
				case c.Expected == nil && err == nil:
					t.Errorf("%s: rendered %q, the template should refuse", c.Conversation, got)
				case c.Expected != nil && err != nil:
					t.Errorf("%s: %v", c.Conversation, err)
				case c.Expected != nil && got != *c.Expected:
					t.Errorf("%s, prompt %v:\n got %q\nwant %q", c.Conversation, c.Prompt, got, *c.Expected)
				}
			}
		})
	}
}
