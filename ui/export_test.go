package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/confab-tui/confab/engine"
)

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestExportComparison: the file has the prompt once, every parameter of every
// pane, and the answers.
func TestExportComparison(t *testing.T) {
	b := newBench(t, 200, 50)
	path := filepath.Join(t.TempDir(), "four.md")
	b.r.dice = func() int64 { return 417 }
	b.write("Capital of Japan?")
	b.keys("alt+c")
	b.settle()
	b.keys("alt+a")
	b.runCommand("/system Be | brief.")
	b.keys("ctrl+r")
	b.settle()
	b.runCommand("/export compare " + path)
	b.shows("written to")
	got := read(t, path)
	for _, want := range []string{
		"## Prompt\n\n> Capital of Japan?\n\n## Parameters", "|  | 1 | 2 | 3 | 4 |", "| temperature | 0.00 | 0.40 | 0.80 | 1.20 |",
		"| top_k | 40 | 40 | 40 | 40 |", "| model file | fake |", "| backend | CPU, 2 threads |", "| seed |", "| ended by | stop |",
		"## 1 · temperature 0.00\n\nSystem prompt:\n\n> Be | brief.\n\nI hear the wide blue sea,", "## 4 · temperature 1.20\n\nI hear",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the file lacks %q:\n%s", want, got)
		}
	}
	if n := strings.Count(got, "Capital of Japan?"); n != 1 {
		t.Errorf("the prompt stands there %d times", n)
	}
	b.runCommand("/export compare " + path)
	b.shows("is there already and stays as it is")
	if read(t, path) != got {
		t.Error("the file was overwritten")
	}
	b.keys("ctrl+n")
	b.ask("one")
	b.runCommand("/export compare")
	b.shows("a comparison has two panes or more")
}

// TestOnlyThisKeepsTheOthers: the panes that leave the screen are chats of the list.
func TestOnlyThisKeepsTheOthers(t *testing.T) {
	b := newBench(t, 200, 50)
	b.write("Capital of Japan?")
	b.keys("alt+c")
	b.settle()
	b.keys("tab 2 o")
	if n := len(b.r.tab().panes); n != 1 {
		t.Fatalf("%d panes", n)
	}
	all, err := b.r.store.List(b.r.ctx)
	n := 0
	for _, c := range all {
		n += min(c.Messages, 2)
	}
	if err != nil || n != 8 {
		t.Errorf("%d messages of four chats are kept, %v", n, err)
	}
}

// TestImportWhatWasExported: what was written as JSON comes back as another chat,
// with the odds of its tokens; lines of messages and lists of chats do, too.
func TestImportWhatWasExported(t *testing.T) {
	b := newBench(t, 120, 32)
	b.f.script = func(engine.Request) reply { return reply{thinking: "Hm.", text: poem, reason: engine.ReasonStop} }
	b.ask("Write a poem")
	dir := t.TempDir()
	if saved := string(b.r.pane().conv.last().m.Facts.Sampling); !strings.Contains(saved, `"min_p":0.05,`) {
		t.Errorf("the knobs are written as %s", saved)
	}
	whole, lines := filepath.Join(dir, "my poem.json"), filepath.Join(dir, "poem.jsonl")
	b.runCommand("/export " + whole)
	b.runCommand("/export " + lines)
	b.runCommand("/export " + filepath.Join(dir, "poem.pdf"))
	b.shows("a name ends in .md to be read")
	b.keys("ctrl+u ctrl+s alt+i")
	b.write("'" + whole + "'")
	b.keys("enter")
	b.shows("imported from my poem.json", "hear and see.")
	if len(b.r.tabs) != 2 {
		t.Fatalf("%d tabs", len(b.r.tabs))
	}
	b.keys("ctrl+t")
	b.shows("Tokens", "perplexity")
	b.keys("esc")
	b.runCommand("/import " + lines)
	b.shows("imported from poem.jsonl")
	list := filepath.Join(dir, "list.json")
	err := os.WriteFile(list, []byte(`[{"conversations":[{"from":"human","value":"hi"},{"from":"gpt","value":"ho"}]},{"messages":[{"role":"user","content":"x"}]}]`), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	b.runCommand("/import " + list)
	b.shows("2 chats imported from list.json", "type to search")
	b.keys("esc")
	b.runCommand("/import " + filepath.Join(dir, "no.json"))
	b.shows("there is no file")
	b.keys("ctrl+u")
	b.runCommand("/import " + filepath.Join(dir, "my\\ poem.json"))
	b.shows("imported from my poem.json")
}
