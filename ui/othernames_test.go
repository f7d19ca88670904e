package ui

import "testing"

// TestNamesOfOtherPrograms: what people type elsewhere is offered and does the same
// here.
func TestNamesOfOtherPrograms(t *testing.T) {
	b := newBench(t, 120, 32)
	b.f.script = echo
	b.write("/by")
	b.shows("/bye ", "leave; everything is kept")
	b.keys("ctrl+u")
	b.write("/reasoning o")
	b.shows("off", "ask against it")
	b.keys("ctrl+u")
	b.runCommand("/set system Answer in one word.")
	b.runCommand("/set nothink")
	b.ask("hello")
	req := b.f.asked[0]
	if m := req.Messages[0]; m.Role != "system" || m.Content != "Answer in one word." {
		t.Errorf("/set system gave %+v", m)
	}
	if req.Think == nil || *req.Think {
		t.Errorf("/set nothink gave %v", req.Think)
	}
	b.runCommand("/set think")
	b.ask("again")
	if th := b.f.asked[1].Think; th == nil || !*th {
		t.Errorf("/set think gave %v", th)
	}
	b.runCommand("/set")
	b.shows("write /set parameter NAME VALUE")
	b.keys("ctrl+u")
	b.runCommand("/fork another title")
	if got := b.r.pane().conv.chat.Title; got != "another title" || len(b.r.tabs) != 2 {
		t.Errorf("/fork gave %d tabs, the last one of %q", len(b.r.tabs), got)
	}
	b.runCommand("/save mine")
	b.shows("every chat is kept while it is written")
	b.keys("ctrl+u")
	b.runCommand("/set verbose")
	b.shows("the last line tells the speed")
	b.keys("ctrl+u")
	b.runCommand("/show license")
	b.shows("licenses are not read")
	b.keys("ctrl+u")
	b.runCommand("/rm llama3")
	b.shows("model files are only read")
	b.keys("ctrl+u")
	b.runCommand("/list")
	b.shows("Models", "this build has no list")
}
