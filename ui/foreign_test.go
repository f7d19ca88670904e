package ui

import (
	"os"
	"path/filepath"
	"testing"
)

// TestAnswersOfOtherPrograms: of an answer that another program wrote only the model's
// name is known, and nothing else is said of it.
func TestAnswersOfOtherPrograms(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chat.json")
	const file = `[{"chat":{"title":"Hello","history":{"currentId":"b","messages":{
		"a":{"id":"a","role":"user","content":"Hello?","timestamp":1700000000},
		"b":{"id":"b","parentId":"a","role":"assistant","content":"Good day.","model":"other-model","timestamp":1700000001}}}}}]`
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	b := newBench(t, 120, 32)
	b.runCommand("/import " + path)
	b.shows("other-model", "Good day.")
	b.hides("confab ended", "continue", "seed 0")
	b.runCommand("/replay")
	b.shows("confab did not write this answer")
	b.keys("ctrl+u ctrl+t")
	b.shows("the odds of this answer are not known")
	b.runCommand("/export " + filepath.Join(t.TempDir(), "again.md"))
	b.shows("written to")
	b.keys("ctrl+n ctrl+t")
	b.shows("there is no answer yet")
	b.runCommand("/replay")
	b.shows("there is no answer to replay yet")
}
