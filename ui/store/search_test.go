package store

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSearch(t *testing.T) {
	s := openTest(t, t.TempDir())
	one := s.New()
	one.SetTitle("Cooking")
	u := one.AddUser(0, "How do I boil an EGG in Zürich?")
	a := one.BeginAnswer(u.ID, Facts{})
	a.Append("Put the egg into water.", "pondering thermodynamics")
	two := s.New()
	two.SetTitle("Other")
	two.AddUser(0, "日本語を勉強しています 100% \"quoted\" a_b")
	gone := s.New()
	gone.AddUser(0, "egg that is gone")
	s.Delete(gone.ID)
	find := func(query string) string {
		t.Helper()
		hits, err := s.Search(t.Context(), query, 10)
		if err != nil {
			t.Fatalf("%q: %v", query, err)
		}
		var all []string
		for _, h := range hits {
			marked := ""
			for _, m := range h.Marks {
				marked += h.Snippet[m[0]:m[1]] + ","
			}
			all = append(all, fmt.Sprintf("%d:%s", map[ID]int{one.ID: 1, two.ID: 2}[h.Chat], marked))
		}
		return strings.Join(all, " ")
	}
	for query, want := range map[string]string{
		"egg": "1:egg, 1:EGG,", "egg water": "1:egg,water,", `"egg in"`: "1:egg in, 1:EGG in,", `"in egg"`: "", "thermodyn": "1:thermodyn,",
		"勉強": "2:勉強,", "本": "2:本,", "勉強し": "2:勉強し,", "zurich": "1:", "Zürich": "1:Zürich,", "cook": "1:Cook,", "100%": "2:100%,", "%": "2:%,", "a_b": "2:a_b,", "_": "2:_,",
		"": "", " ": "", `"`: "", "nothing": "", "egg OR nothing": "", "eg*": "", "-egg": "", "NEAR(egg)": "", `""egg`: "1:egg, 1:EGG,", "'": "", "x' OR '1'='1": "", "\x00": "", "\xff": "",
	} {
		if got := find(query); got != want {
			t.Errorf("%q found %q, want %q", query, got, want)
		}
	}
	a.Append(" Then peel it.", "")
	if got := find("peel"); got != "1:peel," {
		t.Errorf("what was added is found as %q", got)
	}
	if hits, _ := s.Search(t.Context(), "egg", 1); len(hits) != 1 {
		t.Errorf("found %d of at most 1", len(hits))
	}
	one.Remove(u.ID)
	if got := find("boil"); got != "" {
		t.Errorf("a removed message is found: %q", got)
	}
	s.Delete(one.ID)
	if got := find("water"); got != "" {
		t.Errorf("a deleted chat is found: %q", got)
	}
}

func TestSnippet(t *testing.T) {
	long := strings.Repeat("lorem ", 100) + "needle\nin\x1b[2J hay" + strings.Repeat(" ipsum", 100)
	text, marks := snippet(long, []string{"NEEDLE", "hay"})
	if len(marks) != 2 || text[marks[0][0]:marks[0][1]] != "needle" || text[marks[1][0]:marks[1][1]] != "hay" {
		t.Errorf("marks %v in %q", marks, text)
	}
	if strings.ContainsAny(text, "\n\x1b") || !strings.HasPrefix(text, "…") || !strings.HasSuffix(text, "…") {
		t.Errorf("snippet is %q", text)
	}
}

// Whatever a text holds, it comes back as it was.
func TestHostileStrings(t *testing.T) {
	all := []string{"\x00", "a\x00b", "\xff\xfe", "\x1b]52;c;AAAA\x07", "'; DROP TABLE chats; --", strings.Repeat("long ", 400_000), "\uFDD0\u202e", "  \n\t "}
	var hard []struct{ Text string }
	path := filepath.Join("..", "..", "..", "shared", "testdata", "text", "hard_strings.json")
	if b, err := os.ReadFile(path); err == nil {
		if err := json.Unmarshal(b, &hard); err != nil {
			var wrapped map[string]json.RawMessage
			if json.Unmarshal(b, &wrapped) != nil {
				t.Fatal(err)
			}
		}
	}
	for _, h := range hard {
		all = append(all, h.Text)
	}
	dir := t.TempDir()
	s := openTest(t, dir)
	c := s.New()
	c.SetTitle(all[0] + all[3])
	for _, text := range all {
		m := c.AddUser(c.Leaf(), text)
		a := c.BeginAnswer(m.ID, Facts{ModelName: text})
		a.Append(text, text)
	}
	c.SetDraft(all[1])
	s.SetState(all[1], all[2])
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openTest(t, dir)
	got := load(t, s, c.ID)
	if got.Title != c.Title || got.Draft != c.Draft {
		t.Errorf("title %q, draft %q", got.Title, got.Draft)
	}
	for i, text := range all {
		u, a := got.Path()[2*i], got.Path()[2*i+1]
		if u.Content != text || a.Content != text || a.Thinking != text {
			t.Errorf("text %d came back as %.40q and %.40q", i, u.Content, a.Content)
		}
	}
	if v, err := s.State(t.Context(), all[1]); v != all[2] || err != nil {
		t.Errorf("state is %q, %v", v, err)
	}
	if _, err := s.Search(t.Context(), "long", 5); err != nil {
		t.Error(err)
	}
}

func FuzzSearch(f *testing.F) {
	for _, q := range []string{"egg", `"a b" c`, "日本", `a"b`, "*", "NOT x", "\x00\xff"} {
		f.Add(q)
	}
	s, err := OpenMemory(Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { s.Close() })
	s.New().AddUser(0, "some egg 日本語 a\"b * NOT x")
	f.Fuzz(func(t *testing.T, query string) {
		if _, err := s.Search(t.Context(), query, 3); err != nil {
			t.Errorf("%q: %v", query, err)
		}
	})
}
