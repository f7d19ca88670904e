package engine

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Through Open, the loop and the pool every family says what the reference
// implementation says, as far as that is sure: up to the first place where its
// two likeliest tokens lie closer than rounding.
func TestGolden(t *testing.T) {
	files, _ := filepath.Glob("../testdata/logits/*.json")
	if len(files) == 0 {
		t.Fatal("no golden logits in testdata")
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		path := "../testdata/models/" + name + ".gguf"
		if _, err := os.Stat(path); err != nil || strings.HasSuffix(name, ".exact") {
			continue
		}
		t.Run(name, func(t *testing.T) { golden(t, file, path) })
	}
}

func golden(t *testing.T, file, path string) {
	var want struct {
		Tokens, Greedy []int32
		Gap            []float64
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	close := 0.02 // of F32 files
	if !strings.HasSuffix(path, "-f32.gguf") {
		close = 0.3
	}
	sure := 0
	for sure < len(want.Gap) && want.Gap[sure] > close {
		sure++
	}
	if sure == 0 {
		t.Skip("the reference is not sure of the first token")
	}
	e, err := Open(context.Background(), Config{Model: path, Backend: "cpu", Threads: 2, CellType: "f32", Cells: 300, BatchTokens: 20}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	var streams []*Stream
	for range 2 { // the second finds the first's prompt, or evaluates beside it
		streams = append(streams, e.Generate(context.Background(), Request{Tokens: want.Tokens, MaxTokens: sure, IgnoreEnd: true, Sampling: greedy()}))
	}
	for _, s := range streams {
		if got := finish(t, s); !slices.Equal(ids(got.Tokens), want.Greedy[:sure]) {
			t.Errorf("says %v, %v\nwants %v", ids(got.Tokens), got.End.Err, want.Greedy[:sure])
		}
	}
}
