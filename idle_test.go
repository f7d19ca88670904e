//go:build linux

package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// switches counts how often a process was given a processor so far: every thread that
// sleeps and is woken counts.
func switches(t *testing.T, pid int) (n int) {
	t.Helper()
	tasks, err := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/status")
	if err != nil || len(tasks) == 0 {
		t.Fatalf("no threads of process %d: %v", pid, err)
	}
	for _, path := range tasks {
		status, err := os.ReadFile(path)
		if err != nil {
			continue // the thread has ended
		}
		for line := range strings.Lines(string(status)) {
			if name, value, _ := strings.Cut(line, ":"); strings.HasSuffix(name, "ctxt_switches") {
				count, _ := strconv.Atoi(strings.TrimSpace(value))
				n += count
			}
		}
	}
	return n
}

// TestIdle: with a model loaded and a chat on the screen, whole seconds go by in which
// no thread of the program wakes. A clock that ticks even once a second would show.
func TestIdle(t *testing.T) {
	s := openSession(t, home(t))
	s.ask("What is a cell?")
	s.until("the answer ends", func(screen string) bool { return !streaming(screen) })
	quiet, least := 0, 1<<30
	for end := time.Now().Add(2 * time.Minute); quiet < 3; {
		before := switches(t, s.cmd.Process.Pid)
		time.Sleep(time.Second)
		n := switches(t, s.cmd.Process.Pid) - before
		least = min(least, n)
		if quiet++; n > 0 {
			quiet = 0
		}
		if time.Now().After(end) {
			t.Fatalf("in no three seconds the program sleeps; a second wakes it %d times at least", least)
		}
	}
}
