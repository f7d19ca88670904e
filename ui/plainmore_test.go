package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/confab-tui/confab/engine"
)

// TestPlainComparison: without a screen there is room for every pane, each says which
// it is, and nothing is said in the middle of an answer.
func TestPlainComparison(t *testing.T) {
	s := startPlain(t, true, nil, func(_ *Options, f *fake) { f.script = echo })
	s.hears("you: ")
	s.types("/compare 0 0.5 1 1.5 2")
	s.hears("you: ")
	s.types("Capital of Japan?")
	s.hears("pane 1, confab tiny, temperature 0.00: ")
	for _, name := range []string{"pane 2, confab tiny, temperature 0.50: ", "temperature 1.00: ", "temperature 1.50: ", "pane 5, confab tiny, temperature 2.00: "} {
		s.hears(name)
	}
	if strings.Contains(s.text(), "wider window") {
		t.Errorf("a width is spoken of where there is no screen:\n%s", s.text())
	}
}

// TestPlainViews: what the screen would draw is said whole, and without marks.
func TestPlainViews(t *testing.T) {
	s := startPlain(t, true, nil)
	s.hears("you: ")
	s.types("/show parameters")
	s.hears("temperature 0.80, by model\ntop-k 40, by model")
	s.hears("you: ")
	s.types("A rather long name of a conversation, longer than there is room for")
	s.hears("you: ")
	s.types("/pool")
	s.hears("65,536 cells")
	s.hears("A rather long name of a conversation, longer than there is r…")
	s.hears("steps by batch")
	if text := s.text(); strings.Contains(text, "held by an answer") || strings.Contains(text, "~") {
		t.Errorf("the pool is said with its legend, or cut off:\n%s", text)
	}
}

// TestPlainAttaches: a file is sent with the next message, whatever commands come
// between.
func TestPlainAttaches(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(path, []byte("what is in it\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tty := range []bool{true, false} {
		s := startPlain(t, tty, nil, func(_ *Options, f *fake) { f.script = echo })
		s.hears("you: ")
		s.types("/read " + path)
		s.hears("a.txt - 14 B - about 3 tokens: it is sent with your next message\nyou: ")
		s.types("/seed 7")
		s.hears("you: ")
		s.types("Tell me")
		s.hears("> what is in it\n")
		s.hears("> Tell me\nyou: ")
		s.types("And now?")
		s.hears("You wrote:\n\n> And now?\nyou: ")
	}
}

// TestPlainIsNeverSilent: a command whose effect only a screen would show is answered.
func TestPlainIsNeverSilent(t *testing.T) {
	s := startPlain(t, true, nil)
	s.hears("you: ")
	for _, c := range []string{"/rename A name", "/new", "/split"} {
		s.types(c)
		s.hears("done.\nyou: ")
	}
	s.types("/seed 7")
	s.hears("seed is 7\nyou: ")
}

// TestPlainSpeaksOfNoKeys: what is said names commands, and they do what is said.
func TestPlainSpeaksOfNoKeys(t *testing.T) {
	s := startPlain(t, true, nil)
	s.hears("you: ")
	s.types("hello")
	s.hears("hear and see.\nyou: ")
	s.types("/undo")
	s.hears("deleted from here on - /restore brings it back\nyou: ")
	s.types("/restore")
	s.hears("you: ")
	s.types("/transcript")
	s.hears("you: hello\n")
}

// TestPlainWaitsForCommands: the next prompt comes when a command has ended, and so
// does a script's next line.
func TestPlainWaitsForCommands(t *testing.T) {
	dir := t.TempDir()
	s := startPlain(t, false, strings.NewReader("hello\n/export "+dir+"/a.json\n/import "+dir+"/a.json\n/replay\n/tokens\n"))
	<-s.done
	for _, want := range []string{"written to", "imported from a.json", "all of the", "tokens, perplexity"} {
		if !strings.Contains(s.text(), want) {
			t.Errorf("%q is missing in\n%s", want, s.text())
		}
	}
	if strings.Contains(strings.TrimSuffix(s.text(), "you: \n"), "you: \n") {
		t.Errorf("a prompt stands before the end of a command:\n%s", s.text())
	}
}

// TestPlainSaysNothingWithinAnAnswer: what there is to tell waits for its end.
func TestPlainSaysNothingWithinAnAnswer(t *testing.T) {
	b := newBench(t, 80, 24)
	var out strings.Builder
	frame := b.r.options.frame
	p := newPlain(b.r, &rows{out: &out, width: func() int { return 0 }}, true)
	b.r.options.frame = frame // the test's own
	b.f.script = func(engine.Request) reply { return reply{text: poem, reason: engine.ReasonStop} }
	b.r.pane().input.set("poem")
	b.send(keyPress("enter"))
	b.frames(10)
	p.speak()
	b.r.say(toneQuiet, "a word in between")
	b.frames(2)
	p.speak()
	if strings.Contains(out.String(), "a word") {
		t.Errorf("said in the middle: %q", out.String())
	}
	b.settle()
	p.speak()
	p.speak()
	if !strings.Contains(out.String(), "hear and see.\na word in between\n") {
		t.Errorf("said %q", out.String())
	}
}
