package store

import (
	"slices"
	"testing"
	"time"

	"github.com/confab-tui/confab/engine/chat"
)

// two opens a chat in two programs on one database.
func two(t *testing.T) (a, b *Store, mine, yours *Chat) {
	t.Helper()
	dir := t.TempDir()
	var err error
	if a, err = Open(dir, Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	if b, err = Open(dir, Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	mine = a.New()
	mine.AddUser(0, "first")
	if err := a.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if yours, err = b.Load(t.Context(), mine.ID); err != nil {
		t.Fatal(err)
	}
	return a, b, mine, yours
}

// TestChanged: what another program writes is noticed once, and nothing where nobody
// wrote.
func TestChanged(t *testing.T) {
	a, b, mine, _ := two(t)
	for i, want := range []bool{true, false, false} {
		if got, err := b.Changed(t.Context()); got != want || err != nil {
			t.Errorf("look %d: changed %v, %v", i, got, err)
		}
	}
	mine.SetTitle("another")
	if err := a.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{true, false} {
		if got, err := b.Changed(t.Context()); got != want || err != nil {
			t.Errorf("look %d after a change: changed %v, %v", i, got, err)
		}
	}
}

// TestMerge: what the one adds the other takes over, along its path and beside it, and
// nothing of its own goes.
func TestMerge(t *testing.T) {
	_, b, mine, yours := two(t)
	first := mine.Leaf()
	merge := func() (added, grown []ID) {
		t.Helper()
		if err := mine.store.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		loaded, err := b.Load(t.Context(), mine.ID)
		if err != nil {
			t.Fatal(err)
		}
		return yours.Merge(loaded)
	}
	a := mine.BeginAnswer(first, Facts{})
	a.Append("half", "")
	if added, _ := merge(); len(added) > 0 {
		t.Error("an answer that is being written was taken over")
	}
	a.Finish(chat.Message{Role: chat.Assistant, Content: "half an", Unfinished: true}, Facts{Reason: "cancel"}, nil)
	behind := func() []ID {
		t.Helper()
		ids, err := b.Behind(t.Context(), map[ID]time.Time{yours.ID: yours.Updated, 77: {}})
		if err != nil {
			t.Fatal(err)
		}
		return ids
	}
	if err := mine.store.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := behind(); !slices.Equal(got, []ID{yours.ID}) {
		t.Errorf("behind are %v", got)
	}
	if added, grown := merge(); !slices.Equal(added, []ID{a.ID()}) || len(grown) > 0 || yours.Leaf() != a.ID() {
		t.Errorf("added %v, grown %v, leaf %v", added, grown, yours.Leaf())
	}
	if got := behind(); len(got) > 0 {
		t.Errorf("behind are %v though all of it was taken over", got)
	}
	more := mine.Continue(a.ID(), Facts{})
	more.Finish(chat.Message{Role: chat.Assistant, Content: "half an answer"}, Facts{Reason: "stop"}, nil)
	if added, grown := merge(); len(added) > 0 || !slices.Equal(grown, []ID{a.ID()}) || yours.Get(a.ID()).Content != "half an answer" {
		t.Errorf("added %v, grown %v: %q", added, grown, yours.Get(a.ID()).Content)
	}
	own := yours.AddUser(yours.Leaf(), "of my own")
	version := mine.Edit(first, "first, better")
	if added, _ := merge(); !slices.Equal(added, []ID{version.ID}) || yours.Leaf() != own.ID {
		t.Errorf("added %v, and the path ends in %v, not in %v", added, yours.Leaf(), own.ID)
	}
	if ids, at := yours.Versions(first); len(ids) != 2 || at != 0 {
		t.Errorf("versions %v, at %d", ids, at)
	}
}
