package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/confab-tui/confab/engine/chat"
)

// example is a chat with everything in it.
func example(s *Store) *Chat {
	c := s.New()
	c.SetSystem("be \"brief\"")
	c.SetModel("/m/a.gguf", "A: b")
	c.SetSampling([]byte(`{"temperature":0.5}`))
	c.SetPinned(true)
	u := c.AddUser(0, "hi\n# there")
	talk(c, u.ID, "first")
	a := c.BeginAnswer(u.ID, Facts{})
	yes := true
	a.Finish(chat.Message{Content: "second", Thinking: "hm\nhm", Tokens: []int32{3, 1}, TokensOf: "id", ToolCalls: []chat.ToolCall{{ID: "1", Name: "f", Arguments: `{"x":1}`}}},
		Facts{ModelID: "id", ModelName: "A", Seed: 1<<64 - 1, Sampling: []byte(`{"temperature":0.5}`), Changes: []Change{{2, []byte(`{"temperature":0}`)}}, Reason: "stop", Think: &yes, Counts: Counts{Generated: 2, Decode: 5}}, NewOdds(slices.Values([]TokenOdds{{ID: 3, LogProb: -1, Prob: 0.5, Length: 6}})))
	c.Add(c.Leaf(), chat.Message{Role: chat.Tool, Content: "42", ToolCallID: "1", Name: "f"})
	c.SetDraft("next")
	return c
}

// shape is a chat's content without its ids.
func shape(t *testing.T, c *Chat) string {
	t.Helper()
	order := map[ID]int{}
	var list []*Message
	var walk func(id ID)
	walk = func(id ID) {
		for _, child := range c.children[id] {
			order[child] = len(order) + 1
			list = append(list, c.messages[child])
			walk(child)
		}
	}
	walk(0)
	var b strings.Builder
	fmt.Fprintln(&b, c.Title, c.System, c.Draft, c.Pinned, c.ModelName, c.ModelPath, order[c.leaf])
	for _, m := range list {
		one := *m
		one.ID, one.Parent = 0, ID(order[m.Parent])
		one.Created = one.Created.UTC().Truncate(1e6)
		j, err := json.Marshal(one)
		if err != nil {
			t.Fatal(err)
		}
		var compact bytes.Buffer
		json.Compact(&compact, j)
		fmt.Fprintln(&b, compact.String())
	}
	return b.String()
}

func TestJSONIsLossless(t *testing.T) {
	s := openTest(t, t.TempDir())
	c := example(s)
	var b bytes.Buffer
	if err := c.Export(&b, JSON); err != nil {
		t.Fatal(err)
	}
	back, err := s.Import(bytes.NewReader(b.Bytes()))
	if err != nil || len(back) != 1 {
		t.Fatal(back, err)
	}
	want := shape(t, c)
	for _, got := range []*Chat{back[0], load(t, s, back[0].ID)} {
		if g := shape(t, got); g != want {
			t.Errorf("came back as\n%s\nwant\n%s", g, want)
		}
		if got.ID == c.ID || !json.Valid(got.Sampling) || !strings.Contains(string(got.Sampling), "0.5") {
			t.Errorf("chat %d, sampling %s", got.ID, got.Sampling)
		}
	}
}

func TestMarkdown(t *testing.T) {
	s := openTest(t, t.TempDir())
	c := example(s)
	c.SetTitle("hi # there")
	var b bytes.Buffer
	if err := c.Export(&b, Markdown); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"---\ntitle: \"hi # there\"\n", "model: \"A: b\"", `"seed":"18446744073709551615"`, `"changes":[{"index":2`, "\n## User\n\nhi\n# there\n", "\n## Assistant (A)\n\n> hm\n> hm\n\nsecond\n", "## Tool f\n\n42"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "\nfirst\n") {
		t.Error("another version is in the text")
	}
}

func TestLines(t *testing.T) {
	s := openTest(t, t.TempDir())
	var b bytes.Buffer
	if err := example(s).Export(&b, JSONL); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "\n"); n != 4 {
		t.Errorf("%d lines", n)
	}
	back, err := s.Import(&b)
	if err != nil || len(back) != 1 {
		t.Fatal(back, err)
	}
	if got := texts(back[0].Path()); got != "hi\n# there|second|42" || back[0].System != "be \"brief\"" || back[0].Path()[1].Thinking != "hm\nhm" {
		t.Errorf("came back as %q", got)
	}
}

func TestImports(t *testing.T) {
	for name, c := range map[string]struct{ file, want string }{
		"messages":      {`{"title":"T","messages":[{"role":"system","content":"s"},{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"text","text":"b"}]}]}`, "T s a|b"},
		"list":          {`[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]`, "a  a|b"},
		"lines":         {"{\"role\":\"user\",\"content\":\"a\"}\n{\"role\":\"assistant\",\"content\":\"b\"}\n", "a  a|b"},
		"sharegpt":      {`[{"id":"x","conversations":[{"from":"system","value":"s"},{"from":"human","value":"a"},{"from":"gpt","value":"b"}]}]`, "a s a|b"},
		"sharegpt line": {`{"conversations":[{"from":"human","value":"a"}]}` + "\n" + `{"conversations":[{"from":"human","value":"c"}]}`, "a  a;c  c"},
		"llama-server": {`[{"conv":{"id":"1","name":"N","lastModified":1700000000000,"currNode":"m3"},"messages":[
			{"id":"r","type":"root","role":"system","content":"","parent":null,"children":["m1"]},
			{"id":"m1","type":"text","role":"user","content":"a","parent":"r","timestamp":1700000000000},
			{"id":"m2","type":"text","role":"assistant","content":"b","parent":"m1"},
			{"id":"m3","type":"text","role":"assistant","content":"c","thinking":"h","parent":"m1"}]}]`, "N  a|c"},
		"open-webui": {`[{"title":"x","chat":{"title":"N","models":["m"],"history":{"currentId":"3","messages":{
			"3":{"id":"3","parentId":"1","role":"assistant","content":"c","model":"m","timestamp":3},
			"2":{"id":"2","parentId":"1","role":"assistant","content":"b","timestamp":2},
			"1":{"id":"1","parentId":null,"childrenIds":["2","3"],"role":"user","content":"a","timestamp":1}}}}}]`, "N  a|c"},
		"chatgpt": {`[{"title":"N","create_time":1,"current_node":"4","mapping":{
			"0":{"id":"0","message":null,"parent":null,"children":["1"]},
			"1":{"id":"1","message":{"author":{"role":"system"},"content":{"content_type":"text","parts":[""]}},"parent":"0"},
			"2":{"id":"2","message":{"author":{"role":"user"},"content":{"content_type":"text","parts":["a",{"x":1}]},"create_time":2},"parent":"1"},
			"3":{"id":"3","message":{"author":{"role":"assistant"},"content":{"content_type":"text","parts":["b"]},"create_time":3},"parent":"2"},
			"4":{"id":"4","message":{"author":{"role":"assistant"},"content":{"content_type":"text","parts":["c"]},"create_time":4,"metadata":{"model_slug":"m"}},"parent":"2"}}}]`, "N  a|c"},
		"chatgpt circle": {`{"title":"N","mapping":{"1":{"parent":"2"},"2":{"parent":"1"},"3":{"message":{"author":{"role":"user"},"content":{"content_type":"text","parts":["a"]}},"parent":"1"}}}`, "N  a"},
		"markdown":       {"# Anything\r\n\r\n## User\r\n\r\na\r\n\r\n## assistant\r\n\r\nb\r\n", "a  a|b"},
		"circle":         {`{"confab":1,"title":"N","leaf":"2","messages":[{"id":"1","parent":"2","role":"user","content":"a"},{"id":"2","parent":"1","role":"user","content":"b"},{"id":"3","parent":"3","role":"user","content":"c"}]}`, "N  b"},
		"no parent":      {`{"confab":1,"title":"N","leaf":"9","messages":[{"id":"1","parent":"7","role":"user","content":"a"}]}`, "N  a"},
	} {
		s := openTest(t, t.TempDir())
		chats, err := s.Import(strings.NewReader(c.file))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var all []string
		for _, one := range chats {
			got := load(t, s, one.ID)
			all = append(all, fmt.Sprintf("%s %s %s", got.Title, got.System, texts(got.Path())))
		}
		if got := strings.Join(all, ";"); got != c.want {
			t.Errorf("%s came as %q, want %q", name, got, c.want)
		}
	}
}

// TestMarkdownComesBack: the active path with its facts and its thinking, also where
// a message has a line that looks like a heading of the file.
func TestMarkdownComesBack(t *testing.T) {
	s := openTest(t, t.TempDir())
	c := example(s)
	c.AddUser(c.Leaf(), "what of\n## User\n\\## Tool x\n> that?")
	for _, m := range c.Path() {
		m.ToolCalls = nil // which stand in the text
	}
	var b bytes.Buffer
	if err := c.Export(&b, Markdown); err != nil {
		t.Fatal(err)
	}
	back, err := s.Import(bytes.NewReader(b.Bytes()))
	if err != nil || len(back) != 1 {
		t.Fatal(back, err)
	}
	got, want := back[0].Path(), c.Path()
	if texts(got) != texts(want) || back[0].Title != c.Title || back[0].System != c.System || back[0].ModelName != c.ModelName {
		t.Errorf("came back as %q\nof\n%s", texts(got), b.String())
	}
	if f, w := got[1].Facts, want[1].Facts; got[1].Thinking != want[1].Thinking || f == nil || f.Seed != w.Seed || len(f.Changes) != 1 || f.Counts != w.Counts {
		t.Errorf("the answer came back with %q and %+v", got[1].Thinking, f)
	}
}

// TestForeignFormatsComeBack: what is written for other programs is read as theirs,
// with as much of the chat as each has room for.
func TestForeignFormatsComeBack(t *testing.T) {
	for format, messages := range map[Format]int{ShareGPT: 3, LlamaServer: 4, OpenWebUI: 4} {
		s := openTest(t, t.TempDir())
		c := example(s)
		var b bytes.Buffer
		if err := c.Export(&b, format); err != nil {
			t.Fatal(err)
		}
		back, err := s.Import(bytes.NewReader(b.Bytes()))
		if err != nil || len(back) != 1 {
			t.Fatalf("%s: %v\n%s", format, err, b.String())
		}
		got := back[0]
		if texts(got.Path()) != texts(c.Path()) || got.System != c.System || got.Title != c.Title || got.Len() != messages {
			t.Errorf("%s came back as %q %q with %d messages: %q", format, got.Title, got.System, got.Len(), texts(got.Path()))
		}
		if think := got.Path()[1].Thinking; format != ShareGPT && think != "hm\nhm" {
			t.Errorf("%s: thought %q", format, think)
		}
	}
}

// TestAllChatsComeBack: everything in one file, but what is in the trash.
func TestAllChatsComeBack(t *testing.T) {
	s := openTest(t, t.TempDir())
	one, gone, two := example(s), example(s), example(s)
	s.Delete(gone.ID)
	var b bytes.Buffer
	n, err := s.ExportAll(t.Context(), &b)
	if err != nil || n != 2 {
		t.Fatalf("%d chats, %v", n, err)
	}
	back, err := openTest(t, t.TempDir()).Import(&b)
	if err != nil || len(back) != 2 {
		t.Fatal(back, err)
	}
	got, want := []string{shape(t, back[0]), shape(t, back[1])}, []string{shape(t, one), shape(t, two)}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("came back as\n%s\nwant\n%s", got, want)
	}
}

func TestBadImports(t *testing.T) {
	s := openTest(t, t.TempDir())
	for file, want := range map[string]string{
		"": "empty", "{": "damaged or cut short", "null": "no", "{}": "no chat", "[]": "no messages", "[1]": "item 1", `{"confab":99}`: "99", "hello": "neither", `{"messages":3}`: "messages",
	} {
		if _, err := s.Import(strings.NewReader(file)); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "looking for beginning") {
			t.Errorf("%q gave %v", file, err)
		}
	}
	if all, _ := s.List(t.Context()); len(all) != 0 {
		t.Errorf("bad files left %d chats", len(all))
	}
}

func FuzzImport(f *testing.F) {
	for _, b := range []string{`{"confab":1,"messages":[{"id":"1","parent":"0","role":"user"}]}`, `[{"conversations":[{"from":"human","value":"a"}]}]`, `{"conv":{},"messages":[{}]}`, `[{"chat":{"history":{"messages":{"1":{"parentId":"1"}}}}}]`, "{}\n[]", "---\ntitle: \"t\"\nanswers:\n  - message: 2\n    thinking: true\n---\n## User\na\n## Assistant (m), unfinished\n> b\n\nc", `{"mapping":{"1":{"message":{"content":{"content_type":"text","parts":["a"]}},"parent":"1"}}}`} {
		f.Add([]byte(b))
	}
	s, err := OpenMemory(Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { s.Close() })
	f.Fuzz(func(t *testing.T, b []byte) {
		chats, _ := s.Import(bytes.NewReader(b))
		for _, c := range chats {
			if c.Len() == 0 || len(c.Path()) == 0 {
				t.Errorf("%q gave a chat of %d messages with a path of %d", b, c.Len(), len(c.Path()))
			}
		}
	})
}
