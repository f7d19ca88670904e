//go:build linux

package main

import (
	"strings"
	"testing"
)

// TestTerminalThatOnlyPrints: TERM=dumb holds a conversation in lines, without a
// single control sequence.
func TestTerminalThatOnlyPrints(t *testing.T) {
	s := openScreen(t, append(home(t), "TERM=dumb"), 100, 30, "--temp", "0")
	s.awaitText("you: ")
	s.keys("what is temperature?\n")
	s.awaitText("sometimes silly.")
	if code := s.quit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if raw := s.raw.String(); strings.Contains(raw, "\x1b") {
		t.Errorf("a terminal that only prints was sent %q", raw)
	}
}
