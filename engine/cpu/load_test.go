package cpu

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/confab-tui/confab/engine/gguf"
)

// TestProgress is told of every byte of every matrix, once.
func TestProgress(t *testing.T) {
	path, ok := goldenModels(t)["tiny-qwen3moe-q4_k_m"]
	if !ok {
		t.Skip("the model is not present")
	}
	p := load(t, path)
	var mutex sync.Mutex
	var last, all int64
	start(t, p, Options{Threads: 3, Cells: 16, Progress: func(done, total int64) error {
		mutex.Lock()
		defer mutex.Unlock()
		if done < last || done > total || all != 0 && total != all {
			t.Errorf("%d of %d after %d of %d", done, total, last, all)
		}
		last, all = done, total
		return nil
	}})
	want := p.WeightBytes()
	for _, tensor := range p.File.Tensors() {
		if len(tensor.Shape) == 1 || tensor.Name == "token_embd.weight" {
			want -= int64(len(tensor.Data))
		}
	}
	if last != want || all != want {
		t.Errorf("ended at %d of %d; the matrices have %d bytes", last, all, want)
	}
}

// TestLoadingStops where whoever is told how far it is returns an error.
func TestLoadingStops(t *testing.T) {
	p := load(t, "../builtin/confab-tiny-q8_0.gguf")
	enough, calls := errors.New("enough"), 0
	_, err := New(p, Options{Threads: 2, Cells: 16, Progress: func(done, total int64) error {
		if calls++; calls >= 3 {
			return enough
		}
		return nil
	}})
	if err != enough || calls > 4 {
		t.Errorf("error %v after %d calls", err, calls)
	}
}

// TestNewRefuses what it cannot run.
func TestNewRefuses(t *testing.T) {
	path, ok := goldenModels(t)["tiny-qwen2-f32"]
	if !ok {
		t.Skip("the model is not present")
	}
	for _, c := range []struct {
		tensor string
		cells  int
		want   string
	}{
		{"", 1, "a pool of 1 cells has no room"},
		{"token_embd.weight", 16, "token_embd.weight of type Q8_1"},
		{"blk.1.ffn_down.weight", 16, "blk.1.ffn_down.weight of type Q8_1"},
	} {
		p := load(t, path)
		if c.tensor != "" {
			p.File.Tensor(c.tensor).Type = gguf.Q8_1
		}
		if _, err := New(p, Options{Threads: 1, Cells: c.cells}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error is %v, want one about %q", err, c.want)
		}
	}
}
