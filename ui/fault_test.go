package ui

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/confab-tui/confab/ui/store"
)

// TestDamagedConversations: what cannot be read is moved aside and named, and what is
// said from then on is kept.
func TestDamagedConversations(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, store.FileName)
	if err := os.WriteFile(path, []byte("this is no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := newBench(t, 200, 50, func(o *Options, _ *fake) { o.DataDir = dir })
	b.shows("could not be read", "a new file was begun")
	b.ask("poem")
	if err := b.r.store.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	moved, _ := filepath.Glob(filepath.Join(dir, "*.damaged.db"))
	if len(moved) != 1 {
		t.Fatalf("moved to %q", moved)
	}
	if text, _ := os.ReadFile(moved[0]); string(text) != "this is no database" {
		t.Errorf("the damaged file is %q now", text)
	}
	again, err := store.Open(dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if all, err := again.List(t.Context()); err != nil || len(all) != 1 || all[0].Messages != 2 {
		t.Errorf("kept are %+v, %v", all, err)
	}
}
