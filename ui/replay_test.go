package ui

import (
	"strings"
	"testing"

	"github.com/confab-tui/confab/engine"
)

// TestReplay: the seed and the changes of the knobs go along, at the same tokens.
func TestReplay(t *testing.T) {
	b := newBench(t, 120, 32, onDisk(t))
	b.write("Write a poem")
	b.keys("enter ctrl+k")
	b.frames(12)
	b.keys("H")
	b.frames(4)
	b.keys("L esc")
	b.settle()
	was := b.r.pane().conv.last().answer
	if len(was.changes) != 2 {
		t.Fatalf("%d changes", len(was.changes))
	}
	for range 2 { // now, and after a restart
		b.runCommand("/replay")
		b.frames(4)
		b.shows("of 29 tokens came again")
		b.settle()
		req := b.f.asked[len(b.f.asked)-1]
		if req.Sampling.Seed != int64(was.seed) || len(req.Changes) != 2 || req.Changes[0].Index != was.changes[0].Index ||
			req.Changes[1].Sampling.Temperature != was.changes[1].Sampling.Temperature || req.MaxTokens != 30 || req.Now.IsZero() {
			t.Errorf("asked with seed %d, changes %+v, %d tokens", req.Sampling.Seed, req.Changes, req.MaxTokens)
		}
		if n := len(req.Messages); n != 1 {
			t.Errorf("asked with %d messages", n)
		}
		b.shows("same text: all of the 29 tokens came again", "2 changes of the knobs")
		b.keys("esc")
		if b.r.sheet != nil {
			t.Error("esc does not leave the replay")
		}
		b = b.again(120, 32)
		b.keys("ctrl+k esc esc")
	}
}

// TestReplayThatDiffers: it says where and why, and can be kept.
func TestReplayThatDiffers(t *testing.T) {
	b := newBench(t, 120, 32)
	b.ask("poem")
	b.runCommand("/system Be brief.\nAnd kind.")
	b.f.info.ID, b.f.info.Name = "other", "other model"
	b.f.script = func(engine.Request) reply {
		return reply{text: strings.Replace(poem, "wild", "high", 1), reason: engine.ReasonStop}
	}
	b.keys("tab R")
	b.settle()
	b.shows("differs from token 18 of 29 on", "another model file; another system prompt", "wild and free", "high and free", "a1b2c3d4e5f6  of confab tiny", "Be brief. And kind.")
	b.keys("enter")
	b.shows("kept as another version", "‹2/2›", "high and free", "other model")
	if a := b.r.pane().conv.last().answer; a.seed != b.r.pane().conv.turns[1].answer.seed {
		t.Error("the version that was kept has another seed")
	}
}

// TestReplayOfABranch: what a person chose is given, the rest is drawn again.
func TestReplayOfABranch(t *testing.T) {
	b := newBench(t, 120, 32)
	b.ask("poem")
	b.keys("ctrl+t home l l j enter")
	b.settle()
	b.runCommand("/replay")
	b.settle()
	req := b.f.asked[2]
	m := req.Messages[len(req.Messages)-1]
	if !m.Unfinished || len(m.Tokens) != 3 || m.Content == "" || len(req.Messages) != 2 {
		t.Errorf("the replay goes on from %+v", m)
	}
	b.shows("same text: all of the 29 tokens")
}

// TestReplayRunsBehindTheScreen: leaving the view does not stop it, and its end is
// told; esc in the view stops it.
func TestReplayRunsBehindTheScreen(t *testing.T) {
	b := newBench(t, 120, 32)
	b.ask("poem")
	b.runCommand("/replay")
	b.frames(9)
	b.keys("ctrl+p")
	b.settle()
	b.shows("replay: same text")
	b.keys("esc")
	b.runCommand("/replay")
	b.frames(12)
	b.keys("esc")
	b.settle()
	b.shows("stopped; the", "so far are the same")
	if b.ticks != 0 {
		t.Error("ticks are pending")
	}
}

// TestSystemPromptsInWords: the table of a replay tells system prompts by how they begin,
// and by their names where they begin alike or an older confab kept no more.
func TestSystemPromptsInWords(t *testing.T) {
	brief, kind := answer{system: "0123", begins: "Be brief."}, answer{system: "4567", begins: "Be kind."}
	alike, old := answer{system: "89ab", begins: "Be brief."}, answer{system: "0123"}
	for _, c := range []struct {
		a, b      *answer
		then, now string
	}{
		{&brief, &brief, "Be brief.", "Be brief."}, {&brief, &kind, "Be brief.", "Be kind."}, {&brief, &answer{}, "Be brief.", ""},
		{&brief, &alike, "Be brief.  0123", "Be brief.  89ab"}, {&old, &kind, "0123", "Be kind."}, {&old, &brief, "Be brief.", "Be brief."},
		{&answer{}, &answer{}, "", ""},
	} {
		if then, now := c.a.systemBeside(c.b), c.b.systemBeside(c.a); then != c.then || now != c.now {
			t.Errorf("%q and %q are shown as %q and %q, want %q and %q", c.a.system, c.b.system, then, now, c.then, c.now)
		}
	}
}
