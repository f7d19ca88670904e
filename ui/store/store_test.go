package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/confab-tui/confab/engine/chat"
)

func openTest(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(dir, Options{AppVersion: "test 1"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func flush(t *testing.T, s *Store) {
	t.Helper()
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func load(t *testing.T, s *Store, id ID) *Chat {
	t.Helper()
	c, err := s.Load(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func texts(path []*Message) string {
	var all []string
	for _, m := range path {
		all = append(all, m.Content)
	}
	return strings.Join(all, "|")
}

func TestAnswerRoundTrip(t *testing.T) {
	dir := t.TempDir()
	s := openTest(t, dir)
	c := s.New()
	c.SetSystem("be brief")
	c.SetModel("/m/a.gguf", "A")
	c.SetSampling([]byte(`{"temperature":0.5}`))
	u := c.AddUser(0, "hello there")
	a := c.BeginAnswer(u.ID, Facts{ModelID: "id1", ModelName: "A", TemplateID: "t1", Backend: "CPU", Sampling: []byte(`{"temperature":0.5}`)})
	a.Append("", "hmm")
	a.Append("Good ", "")
	a.Append("day", "")
	f := *a.Message().Facts
	f.Seed, f.Reason = 1<<63+5, "stop"
	f.Changes = []Change{{Index: 3, Sampling: []byte(`{"temperature":0}`)}}
	f.Counts = Counts{Prompt: 7, Cached: 2, Evaluated: 5, Generated: 3}
	a.Finish(chat.Message{Content: "Good day", Thinking: "hmm", Tokens: []int32{5, 1 << 30, 0, 7}, TokensOf: "id1",
		ToolCalls: []chat.ToolCall{{ID: "1", Name: "f", Arguments: `{"a":1}`}}}, f, nil)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	got := load(t, openTest(t, dir), c.ID)
	if got.Title != "hello there" || got.System != "be brief" || got.ModelPath != "/m/a.gguf" || got.ModelName != "A" || string(got.Sampling) != `{"temperature":0.5}` {
		t.Errorf("chat came back as %+v", got)
	}
	if p := texts(got.Path()); p != "hello there|Good day" {
		t.Fatalf("path %q", p)
	}
	m := got.Path()[1]
	if m.Thinking != "hmm" || m.Unfinished || m.TokensOf != "id1" || len(m.Tokens) != 4 || m.Tokens[1] != 1<<30 || m.Tokens[3] != 7 {
		t.Errorf("answer came back as %+v", m)
	}
	if len(m.ToolCalls) != 1 || m.ToolCalls[0].Arguments != `{"a":1}` {
		t.Errorf("tool calls came back as %+v", m.ToolCalls)
	}
	g := m.Facts
	if g == nil || g.Seed != 1<<63+5 || g.Reason != "stop" || g.AppVersion != "test 1" || g.Counts != f.Counts ||
		len(g.Changes) != 1 || g.Changes[0].Index != 3 || string(g.Changes[0].Sampling) != `{"temperature":0}` || g.TemplateID != "t1" {
		t.Errorf("facts came back as %+v", g)
	}
	conv := got.Conversation(got.Leaf())
	if len(conv) != 3 || conv[0].Role != chat.System || conv[2].Role != chat.Assistant {
		t.Errorf("conversation is %+v", conv)
	}
}

func TestUnusedChatLeavesNothing(t *testing.T) {
	s := openTest(t, t.TempDir())
	c := s.New()
	c.SetSystem("x")
	c.SetOpened()
	c.SetDraft("")
	s.Delete(c.ID)
	flush(t, s)
	if n := rows(t, s, "chats"); n != 0 {
		t.Fatalf("an unused chat was stored: %d rows", n)
	}
	c.SetDraft("word")
	if got := load(t, s, c.ID); got.System != "x" || got.Draft != "word" {
		t.Fatalf("came back as %+v", got)
	}
}

func TestListOrderDeleteUndo(t *testing.T) {
	s := openTest(t, t.TempDir())
	var ids []ID
	for _, text := range []string{"one", "two", "three"} {
		c := s.New()
		c.AddUser(0, text)
		ids = append(ids, c.ID)
	}
	s.SetPinned(ids[0], true)
	s.Rename(ids[1], "zwei")
	titles := func() string {
		all, err := s.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, i := range all {
			names = append(names, i.Title)
		}
		return strings.Join(names, " ")
	}
	if got := titles(); got != "one three zwei" {
		t.Errorf("list is %q", got)
	}
	s.Delete(ids[2])
	if got := titles(); got != "one zwei" {
		t.Errorf("after deleting, the list is %q", got)
	}
	s.Undelete(ids[2])
	if got := titles(); got != "one three zwei" {
		t.Errorf("after undoing, the list is %q", got)
	}
	s.Delete(ids[1])
	if n, err := s.purge(t.Context(), fromMillis(1<<50)); n != 1 || err != nil {
		t.Errorf("purged %d, %v", n, err)
	}
	if left := rows(t, s, "messages"); left != 2 {
		t.Errorf("%d messages are left", left)
	}
}

// rows counts those of a table.
func rows(t *testing.T, s *Store, table string) (n int) {
	t.Helper()
	if err := s.db.QueryRow("SELECT count(*) FROM " + table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// What is deleted can be had back for a month; then a start removes it for good. Its words are
// no prompts at once.
func TestDeletedChatsGo(t *testing.T) {
	dir := t.TempDir()
	s := openTest(t, dir)
	for text, ago := range map[string]time.Duration{"kept": 0, "long ago": keepDeleted + time.Minute, "lately": keepDeleted - time.Hour} {
		c := s.New()
		c.AddUser(0, text)
		flush(t, s) // what is written later than it is deleted revives a chat
		if ago > 0 {
			s.setColumns(c.ID, true, map[string]any{"deleted": time.Now().Add(-ago).UnixMilli()})
		}
	}
	if all, err := s.Prompts(t.Context(), 10); err != nil || len(all) != 1 || all[0] != "kept" {
		t.Errorf("the prompts are %q, %v", all, err)
	}
	flush(t, s)
	if n := rows(t, openTest(t, dir), "messages"); n != 2 {
		t.Errorf("%d chats are there after another start, want 2", n)
	}
}

func TestStateAndPrompts(t *testing.T) {
	dir := t.TempDir()
	s := openTest(t, dir)
	s.SetState("tabs", "1,2")
	s.SetState("tabs", "2,1")
	c := s.New()
	c.AddUser(0, "b")
	c.AddUser(0, "a")
	c.AddUser(0, "b")
	s.Close()
	s = openTest(t, dir)
	if v, err := s.State(t.Context(), "tabs"); v != "2,1" || err != nil {
		t.Errorf("state is %q, %v", v, err)
	}
	if v, err := s.State(t.Context(), "none"); v != "" || err != nil {
		t.Errorf("missing state is %q, %v", v, err)
	}
	if all, err := s.Prompts(t.Context(), 10); err != nil || strings.Join(all, " ") != "b a" {
		t.Errorf("prompts are %q, %v", all, err)
	}
}

func TestModes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s := openTest(t, dir)
	s.New().SetTitle("x")
	flush(t, s)
	if i, _ := os.Stat(dir); i.Mode().Perm() != 0o700 {
		t.Errorf("folder has mode %v", i.Mode())
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	if len(files) < 2 {
		t.Errorf("found only %v", files)
	}
	for _, f := range files {
		if i, _ := os.Stat(f); i.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", f, i.Mode())
		}
	}
}

func TestCorruptIsRefusedAndMovedAside(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, FileName)
	junk := strings.Repeat("this is no database ", 1000)
	os.WriteFile(path, []byte(junk), 0o600)
	_, err := Open(dir, Options{})
	var corrupt *CorruptError
	if !errors.As(err, &corrupt) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "aside") {
		t.Fatalf("error is %v", err)
	}
	if b, _ := os.ReadFile(path); string(b) != junk {
		t.Fatal("the damaged file was changed")
	}
	s, aside, err := OpenOrBegin(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.New().SetTitle("x")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(aside); string(b) != junk {
		t.Error("the damaged file was not kept")
	}
	s, aside, err = OpenOrBegin(dir, Options{})
	if err != nil || aside != "" {
		t.Fatalf("a sound database: moved to %q, %v", aside, err)
	}
	s.Close()
}

func TestNewerSchemaIsRefused(t *testing.T) {
	dir := t.TempDir()
	s := openTest(t, dir)
	if _, err := s.db.Exec("PRAGMA user_version = 999"); err != nil {
		t.Fatal(err)
	}
	s.Close()
	_, err := Open(dir, Options{})
	if err == nil || !strings.Contains(err.Error(), "999") {
		t.Fatalf("error is %v", err)
	}
}

func TestReadOnlyFolder(t *testing.T) {
	// A file where the folder should be cannot be written by root either.
	dir := filepath.Join(t.TempDir(), "data")
	os.WriteFile(dir, nil, 0o400)
	if _, err := Open(dir, Options{}); err == nil {
		t.Fatal("opened a database in a file")
	}
	s, err := OpenMemory(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c := s.New()
	c.AddUser(0, "kept in memory")
	if got := load(t, s, c.ID); texts(got.Path()) != "kept in memory" {
		t.Errorf("path is %q", texts(got.Path()))
	}
	if hits, err := s.Search(t.Context(), "memory", 5); err != nil || len(hits) != 2 {
		t.Errorf("found %v, %v", hits, err)
	}
}

func TestOddFolderNames(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b?c#d%20é&_pragma=x")
	s := openTest(t, dir)
	s.New().SetTitle("x")
	flush(t, s)
	if _, err := os.Stat(filepath.Join(dir, FileName)); err != nil {
		t.Fatal(err)
	}
	if all, _ := s.List(t.Context()); len(all) != 1 {
		t.Fatal("nothing was stored")
	}
	if i, err := os.Stat(filepath.Join(dir, FileName)); err != nil || i.Size() == 0 {
		t.Fatalf("the database went elsewhere: %v %v", i, err)
	}
}
