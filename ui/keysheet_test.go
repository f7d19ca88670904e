package ui

import "testing"

// TestGivingOtherKeys: in the program, with what the key does already said, and
// kept for the next time.
func TestGivingOtherKeys(t *testing.T) {
	dir := onDisk(t)
	b := newBench(t, 120, 40, dir)
	b.keys("? e")
	b.write("split")
	b.shows("Keys", "alt+s", "one more pane")
	b.keys("enter ctrl+n")
	b.shows("ctrl+n is new-chat: once more takes it")
	b.keys("esc")
	if b.r.keys.anywhere("ctrl+n") != doNewChat {
		t.Error("leaving it took the key")
	}
	b.keys("enter x")
	b.shows(`"x" for split is needed to write text`)
	b.keys("ctrl+n ctrl+n")
	b.shows("split is ctrl+n now", `[keys] split = "ctrl+n"`, "yours")
	if b.r.keys.anywhere("ctrl+n") != doSplit || b.r.keys.anywhere("alt+s") != doNothing {
		t.Error("the keys are not the new ones")
	}
	b.keys("ctrl+u")
	b.write("new-chat")
	b.shows("(no key)")
	b.keys("enter ctrl+left")
	b.shows("ctrl+left moves the cursor where you write")
	b.keys("f6")
	b.keys("esc ctrl+n")
	if n := len(b.r.tab().panes); n != 2 {
		t.Fatalf("%d panes after the new key", n)
	}
	b.r.remember()
	if err := b.r.store.Flush(b.r.ctx); err != nil {
		t.Fatal(err)
	}
	again := newBench(t, 120, 40, dir)
	if again.r.keys.anywhere("ctrl+n") != doSplit || again.r.keys.anywhere("f6") != doNewChat {
		t.Error("the keys are forgotten")
	}
	again.runCommand("/keys split")
	again.keys("ctrl+d")
	again.shows("alt+s")
	again.keys("ctrl+u")
	again.write("text.copy")
	again.keys("enter e e")
	again.shows("text.copy is e now", `"text.copy" = "e"`)
	exact(t, again, "keys")
}
