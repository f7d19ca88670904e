package engine

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// inChild runs the calling test once more in a process of its own, which a fault
// may end, and says whether this is that process.
func inChild(t *testing.T) bool {
	t.Helper()
	const env = "CONFAB_TEST_CHILD"
	if os.Getenv(env) == t.Name() {
		return true
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), env+"="+t.Name())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("the process: %v\n%s", err, out[:min(len(out), 4000)])
	}
	return false
}

// ownModel is a copy of the built-in model that a test may spoil.
func ownModel(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("builtin/confab-tiny-q8_0.gguf")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model.gguf")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// header is about what is left of a file that is cut short.
const header = 8192

// A model's file that is cut short while it answers ends the answers of that
// engine, with what they have said, and nothing else.
func TestFileCutShortWhileAnswering(t *testing.T) {
	if !inChild(t) {
		return
	}
	path := ownModel(t)
	sick, err := Open(context.Background(), Config{Model: path, Backend: "cpu", Threads: 2, Cells: 3000}, nil)
	if err != nil {
		t.Fatal(err)
	}
	well, err := Open(context.Background(), Config{Backend: "cpu", Threads: 2, Cells: 3000}, nil)
	if err != nil {
		t.Fatal(err)
	}
	long := story(1)
	long.MaxTokens, long.IgnoreEnd, long.Pace = 900, true, 100 // so that it is not over too soon
	var streams []*Stream
	for range 3 {
		streams = append(streams, sick.Generate(context.Background(), long))
	}
	other := well.Generate(context.Background(), story(1))
	before := make([]Event, len(streams))
	for i, s := range streams {
		for len(before[i].Tokens) == 0 {
			event, err := s.Next(context.Background())
			if err != nil || event.End != nil {
				t.Fatal(err, event.End)
			}
			before[i].merge(event)
		}
	}
	if err := os.Truncate(path, header); err != nil {
		t.Fatal(err)
	}
	for i, s := range streams {
		before[i].merge(finish(t, s))
		end := before[i].End
		// Whichever comes first, reading what is not there or a look at the file.
		if end.Reason != ReasonError || !strings.Contains(end.Err.Error(), path+": ") || !strings.Contains(end.Err.Error(), "open it again") {
			t.Errorf("ended with %q, %v", end.Reason, end.Err)
		}
		if len(end.Message.Tokens) != len(before[i].Tokens) || end.Message.Content != before[i].Text {
			t.Errorf("%d tokens came, the message has %d", len(before[i].Tokens), len(end.Message.Tokens))
		}
	}
	if late := finish(t, sick.Generate(context.Background(), story(1))); late.End.Reason != ReasonError {
		t.Errorf("an engine without its file answers with %q", late.End.Reason)
	}
	if err := errors.Join(sick.Close(), sick.Close()); err != nil {
		t.Error(err)
	}
	if got := finish(t, other); got.End.Reason == ReasonError || got.Text == "" {
		t.Errorf("the other engine: %q, %v", got.End.Reason, got.End.Err)
	}
	if err := well.Close(); err != nil {
		t.Error(err)
	}
	if _, err := Open(context.Background(), Config{Model: path, Backend: "cpu"}, nil); err == nil {
		t.Error("what is left of the file was opened")
	}
}

// A file that is cut short while it is loaded is an error of Open.
func TestFileCutShortWhileLoading(t *testing.T) {
	if !inChild(t) {
		return
	}
	path := ownModel(t)
	c := Config{Model: path, Backend: "cpu", Threads: 2, Cells: 3000}
	_, err := Open(context.Background(), c, func(p Progress) {
		if err := os.Truncate(path, header); err != nil && p.Total > 0 {
			t.Error(err)
		}
	})
	if err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("error is %v", err)
	}
	again := ownModel(t)
	cut := false
	_, err = Open(context.Background(), Config{Model: again, Backend: "cpu", Threads: 2, Cells: 3000}, func(p Progress) {
		if cut = cut || p.Done > p.Total/2 && p.Total > 0; cut {
			os.Truncate(again, header)
		}
	})
	if err == nil || !strings.Contains(err.Error(), again+": cannot be read at byte") {
		t.Errorf("in the middle: error is %v", err)
	}
}

// A file that is overwritten in place while it answers ends that engine: what it would go
// on with is of another model.
func TestFileOverwrittenWhileAnswering(t *testing.T) {
	path := ownModel(t)
	e, err := Open(context.Background(), Config{Model: path, Backend: "cpu", Threads: 2, Cells: 3000}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	long := story(1)
	long.MaxTokens, long.IgnoreEnd, long.Pace = 900, true, 100 // so that it is not over too soon
	s := e.Generate(context.Background(), long)
	if event, err := s.Next(context.Background()); err != nil || event.End != nil {
		t.Fatal(err, event.End)
	}
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.WriteAt(make([]byte, 4<<20), header)
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Stream{s, e.Generate(context.Background(), long)} {
		if end := finish(t, s).End; end.Reason != ReasonError || !strings.Contains(end.Err.Error(), path+": was overwritten") {
			t.Errorf("ended with %q, %v", end.Reason, end.Err)
		}
	}
}
