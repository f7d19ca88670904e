package store

import (
	"fmt"
	"testing"

	"github.com/confab-tui/confab/engine/chat"
)

// talk adds a finished answer.
func talk(c *Chat, parent ID, text string) *Message {
	a := c.BeginAnswer(parent, Facts{ModelName: "m"})
	a.Append(text, "")
	a.Finish(chat.Message{Content: text}, *a.Message().Facts, nil)
	return a.Message()
}

func TestBranches(t *testing.T) {
	s := openTest(t, t.TempDir())
	c := s.New()
	u := c.AddUser(0, "q")
	a1 := talk(c, u.ID, "a1")
	f1 := c.AddUser(a1.ID, "f1")
	b1 := talk(c, f1.ID, "b1")
	a2 := talk(c, u.ID, "a2")
	path := func(want string) {
		t.Helper()
		if got := texts(c.Path()); got != want {
			t.Errorf("path is %q, want %q", got, want)
		}
		if got := texts(load(t, s, c.ID).Path()); got != want {
			t.Errorf("loaded path is %q, want %q", got, want)
		}
	}
	path("q|a2")
	if ids, at := c.Versions(a2.ID); fmt.Sprint(ids) != fmt.Sprint([]ID{a1.ID, a2.ID}) || at != 1 {
		t.Errorf("versions are %v at %d", ids, at)
	}
	c.Switch(a1.ID)
	path("q|a1|f1|b1")
	e := c.Edit(f1.ID, "f2")
	path("q|a1|f2")
	if e.Parent != a1.ID || e.Role != chat.User {
		t.Errorf("edited message is %+v", e)
	}
	c.Switch(f1.ID)
	path("q|a1|f1|b1")
	c.Switch(a2.ID)
	c.Switch(a1.ID) // where the path last went
	path("q|a1|f1|b1")
	c.Remove(f1.ID)
	path("q|a1|f2")
	if got := c.Children(a1.ID); len(got) != 1 || got[0] != e.ID {
		t.Errorf("children are %v", got)
	}
	c.Restore(f1.ID)
	path("q|a1|f1|b1")
	c.SetLeaf(a1.ID)
	path("q|a1")
	c.Remove(u.ID)
	path("")
	c.Restore(u.ID)

	fork := c.Fork(b1.ID)
	if got := texts(load(t, s, fork.ID).Path()); got != "q|a1|f1|b1" {
		t.Errorf("fork is %q", got)
	}
	fork.Edit(fork.Path()[0].ID, "other")
	path("q|a1|f1|b1")
}

func TestContinue(t *testing.T) {
	s := openTest(t, t.TempDir())
	c := s.New()
	u := c.AddUser(0, "q")
	a := c.BeginAnswer(u.ID, Facts{})
	a.Append("one", "")
	a.Finish(chat.Message{Content: "one", Unfinished: true, Tokens: []int32{1}, TokensOf: "m"}, Facts{Reason: "length"}, nil)
	if m := load(t, s, c.ID).Get(a.ID()); !m.Unfinished || len(m.Tokens) != 1 {
		t.Errorf("cut answer is %+v", m)
	}
	more := c.Continue(a.ID(), Facts{})
	more.Append(" two", "")
	if m := load(t, s, c.ID).Get(a.ID()); m.Content != "one two" || m.Tokens != nil || !m.Unfinished {
		t.Errorf("while it goes on, the answer is %+v", m)
	}
	more.Finish(chat.Message{Content: "one two", Tokens: []int32{1, 2}, TokensOf: "m"}, Facts{Reason: "stop"}, nil)
	if m := load(t, s, c.ID).Get(a.ID()); m.Unfinished || len(m.Tokens) != 2 {
		t.Errorf("the answer is %+v", m)
	}
	if c.Continue(u.ID, Facts{}) != nil {
		t.Error("a person's message was continued")
	}
}

func TestUnknownMessages(t *testing.T) {
	s := openTest(t, t.TempDir())
	c := s.New()
	c.Switch(5)
	c.Remove(5)
	c.Restore(5)
	if c.Edit(5, "x") != nil || c.Get(5) != nil || len(c.PathTo(5)) != 0 || c.Len() != 0 {
		t.Error("a message that is not there did something")
	}
	if ids, at := c.Versions(5); ids != nil || at != -1 {
		t.Errorf("versions are %v, %d", ids, at)
	}
	if _, err := s.Load(t.Context(), 5); err == nil {
		t.Error("loaded a chat that is not there")
	}
}
