package screen

import (
	"io"
	"os"
	"regexp"
	"runtime"
	"testing"
	"time"
)

// TestWaitingForAKeyHoldsNoProcessor: who reads waits in Go's poller. In a system call it
// would keep one of the scheduler's processors, with what was typed in its queue.
func TestWaitingForAKeyHoldsNoProcessor(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	in, err := newInput(r)
	if err != nil {
		t.Fatal(err)
	}
	read := make(chan string)
	go func() {
		for b := make([]byte, 16); ; {
			n, err := in.Read(b)
			if err != nil {
				close(read)
				return
			}
			read <- string(b[:n])
		}
	}()
	parked := regexp.MustCompile(`goroutine \d+ \[IO wait[^\n]*\n(?:[^\n]+\n)*?[^\n]*\(\*waiting\)\.Read`)
	for _, key := range []string{"a", "bc"} {
		deadline := time.Now().Add(time.Minute)
		for stacks := make([]byte, 1<<20); !parked.Match(stacks[:runtime.Stack(stacks, true)]); time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("who reads does not wait in the poller:\n%s", stacks)
			}
		}
		if _, err := w.WriteString(key); err != nil {
			t.Fatal(err)
		}
		if got := <-read; got != key {
			t.Errorf("%q was typed and %q is read", key, got)
		}
	}
	if !in.Cancel() {
		t.Error("it cannot be cancelled")
	}
	if got, more := <-read; more {
		t.Errorf("when it is cancelled it reads %q", got)
	}
	if err := in.Close(); err != nil {
		t.Error(err)
	}
}

// TestInputEnds: what was typed before the end is read.
func TestInputEnds(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	w.WriteString("x")
	w.Close()
	in, err := newInput(r)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if got, err := io.ReadAll(in); string(got) != "x" || err != nil {
		t.Errorf("%q is read, and %v", got, err)
	}
}
