package store

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestStreamsAreSavedWhileTheyRun(t *testing.T) {
	dir := t.TempDir()
	s := openTest(t, dir)
	c := s.New()
	a := c.BeginAnswer(c.AddUser(0, "q").ID, Facts{})
	a.Append("text", "thought")
	other := openTest(t, dir)
	for try := 0; ; try++ {
		if got, err := other.Load(t.Context(), c.ID); err == nil && got.Get(a.ID()) != nil && got.Get(a.ID()).Content == "text" {
			return
		}
		if try == 2400 {
			t.Fatal("the text does not reach the disk by itself")
		}
		time.Sleep(25 * time.Millisecond)
	}
}

func TestTwoStoresOnOneFile(t *testing.T) {
	dir := t.TempDir()
	a, b := openTest(t, dir), openTest(t, dir)
	shared := a.New()
	root := shared.AddUser(0, "root")
	flush(t, a)
	fromB := load(t, b, shared.ID)
	var wait sync.WaitGroup
	for i, s := range []*Store{a, b} {
		c := []*Chat{shared, fromB}[i]
		wait.Go(func() {
			for n := range 30 {
				own := s.New()
				talk(own, own.AddUser(0, fmt.Sprintf("own %d %d", i, n)).ID, "x")
				talk(c, root.ID, fmt.Sprintf("version %d %d", i, n))
			}
			if err := s.Flush(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if got := load(t, a, shared.ID); got.Len() != 61 || len(got.Children(root.ID)) != 60 {
		t.Errorf("the shared chat has %d messages", got.Len())
	}
	if all, err := b.List(t.Context()); err != nil || len(all) != 61 {
		t.Errorf("there are %d chats, %v", len(all), err)
	}
	// What the other removed for good comes back with what is written.
	b.Delete(shared.ID)
	if n, err := b.purge(t.Context(), time.Now().Add(time.Hour)); n != 1 || err != nil {
		t.Fatalf("purged %d, %v", n, err)
	}
	shared.AddUser(root.ID, "still here")
	if got := load(t, a, shared.ID); got.Len() != 1 {
		t.Errorf("%d messages came back", got.Len())
	}
}

func TestFailuresLoseNothing(t *testing.T) {
	var mu sync.Mutex
	var reports []error
	dir := t.TempDir()
	s, err := Open(dir, Options{Report: func(err error) { mu.Lock(); reports = append(reports, err); mu.Unlock() }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c := s.New()
	c.AddUser(0, "before")
	flush(t, s)
	if _, err := s.db.Exec("PRAGMA max_page_count = 1"); err != nil {
		t.Fatal(err)
	}
	s.db.SetMaxOpenConns(1) // the pragma is a connection's
	c.AddUser(c.Leaf(), strings.Repeat("too much ", 100_000))
	if err := s.Flush(t.Context()); err == nil || !strings.Contains(err.Error(), "disk is full") || !strings.Contains(err.Error(), dir) {
		t.Fatalf("error is %v", err)
	}
	c.AddUser(c.Leaf(), "after")
	if s.Err() == nil {
		t.Error("the failure is forgotten")
	}
	if _, err := s.db.Exec("PRAGMA max_page_count = 100000"); err != nil {
		t.Fatal(err)
	}
	flush(t, s)
	if got := load(t, s, c.ID); got.Len() != 3 || got.Path()[2].Content != "after" {
		t.Errorf("%d messages were saved", got.Len())
	}
	mu.Lock()
	defer mu.Unlock()
	if len(reports) != 2 || reports[0] == nil || reports[1] != nil {
		t.Errorf("reports are %v", reports)
	}
}

// A row that cannot be written does not keep others from the disk.
func TestOneBadRow(t *testing.T) {
	s := openTest(t, t.TempDir())
	if _, err := s.db.Exec("CREATE TRIGGER refuse BEFORE INSERT ON messages WHEN new.content = 'bad' BEGIN SELECT RAISE(ABORT, 'bad row'); END"); err != nil {
		t.Fatal(err)
	}
	c := s.New()
	c.AddUser(0, "good")
	c.AddUser(0, "bad")
	c.AddUser(0, "fine")
	if err := s.Flush(t.Context()); err == nil {
		t.Fatal("the bad row was written")
	}
	if got := load(t, s, c.ID); got.Len() != 2 {
		t.Errorf("%d messages were saved", got.Len())
	}
	if _, err := s.db.Exec("DROP TRIGGER refuse"); err != nil {
		t.Fatal(err)
	}
	flush(t, s)
	if got := load(t, s, c.ID); got.Len() != 3 {
		t.Errorf("%d messages were saved in the end", got.Len())
	}
}

func TestClosedStore(t *testing.T) {
	s := openTest(t, t.TempDir())
	c := s.New()
	s.Close()
	c.AddUser(0, "late") // must not block or panic
	if err := s.Close(); err != nil {
		t.Logf("closing twice: %v", err)
	}
}

// TestCloseSaysWhatIsLost: at the end nothing is promised that will not come.
func TestCloseSaysWhatIsLost(t *testing.T) {
	s, err := Open(t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	flush(t, s)
	s.db.SetMaxOpenConns(1) // the pragma is a connection's
	if _, err := s.db.Exec("PRAGMA max_page_count = 1"); err != nil {
		t.Fatal(err)
	}
	c := s.New()
	c.AddUser(0, strings.Repeat("too much ", 100_000))
	if err := s.Flush(t.Context()); err == nil || !strings.Contains(err.Error(), "changes in memory, to be written") {
		t.Errorf("while there is time: %v", err)
	}
	if err := s.Close(); err == nil || !strings.Contains(err.Error(), "changes lost") {
		t.Errorf("at the end: %v", err)
	}
}

// TestWritingRevives: a chat that another program deleted is no longer in the trash when
// someone writes on in it, but stays there when only what was there before is saved.
func TestWritingRevives(t *testing.T) {
	dir := t.TempDir()
	a, b := openTest(t, dir), openTest(t, dir)
	c := a.New()
	c.AddUser(0, "before")
	flush(t, a)
	deleted := func(at time.Time) {
		t.Helper()
		b.setColumns(c.ID, true, map[string]any{"deleted": at.UnixMilli()})
		flush(t, b)
	}
	listed := func(want int) {
		t.Helper()
		flush(t, a)
		if all, err := b.List(t.Context()); err != nil || len(all) != want {
			t.Errorf("%d chats are listed, %v; want %d", len(all), err, want)
		}
	}
	deleted(time.Now().Add(time.Hour))
	talk(c, c.Leaf(), "said before it was deleted")
	listed(0)
	deleted(time.Now().Add(-time.Hour))
	talk(c, c.Leaf(), "said afterwards")
	listed(1)
}
