package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/confab-tui/confab/engine"
	"github.com/confab-tui/confab/engine/model"
)

// summaryOf is what inspect prints of a file.
func summaryOf(t *testing.T, path string) (*engine.Inspection, string) {
	t.Helper()
	in, err := engine.Inspect(path)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := inspectSummary(&b, in); err != nil {
		t.Fatal(err)
	}
	return in, b.String()
}

func TestInspectModels(t *testing.T) {
	for _, folder := range []string{"testdata/models", "../shared/testdata/models"} {
		paths, err := filepath.Glob(filepath.Join(folder, "*.gguf"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			in, text := summaryOf(t, path)
			want := []string{"a cell", "memory", "template", "tokens", "weights", "runs\n"}
			if !slices.Contains(model.Architectures(), in.Arch) {
				want = []string{"weights", "does not run", `"` + in.Arch + `" is not supported`}
			}
			if strings.HasPrefix(in.Arch, "qwen35") {
				want = append(want, "recurrent")
			}
			for _, w := range want {
				if !strings.Contains(text, w) {
					t.Errorf("%s: no %q in\n%s", path, w, text)
				}
			}
			if in.Arch == "glm4moe" { // its last layer guesses a token further ahead
				in.Unused = slices.DeleteFunc(in.Unused, func(name string) bool { return strings.HasPrefix(name, "blk.2.") })
			}
			if len(in.Unused) > 0 || (in.Refused == nil) != (in.Program != "") {
				t.Errorf("%s: unused %q, refused: %v, a program of %d bytes", path, in.Unused, in.Refused, len(in.Program))
			}
		}
	}
}

func TestInspectVocabularies(t *testing.T) {
	paths, err := filepath.Glob("../shared/testdata/tokenizers/*.gguf")
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) == 0 {
		t.Skip("../shared/testdata not present")
	}
	for _, path := range paths {
		_, text := summaryOf(t, path)
		if !strings.Contains(text, "in the vocabulary") || !strings.Contains(text, "does not run") || !strings.Contains(text, "has no weights") {
			t.Errorf("%s:\n%s", path, text)
		}
	}
}

// TestInspectOtherFiles has a model with one tensor more than it needs, and files that are
// none or end too soon.
func TestInspectOtherFiles(t *testing.T) {
	whole, err := os.ReadFile("testdata/models/tiny-smollm3-f32.gguf")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model.gguf")
	put := func(data []byte) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// Without its last layer, the file has tensors that nothing reads.
	key := "smollm3.block_count"
	at := strings.Index(string(whole), key) + len(key) + 4
	shorter := slices.Clone(whole)
	if shorter[at] != 4 {
		t.Fatalf("%d layers where 4 were", shorter[at])
	}
	shorter[at] = 3
	put(shorter)
	in, text := summaryOf(t, path)
	if len(in.Unused) != 9 || in.UnusedBytes == 0 || !strings.Contains(text, "not used") || !strings.Contains(text, "9 tensors") {
		t.Errorf("%d unused of %d bytes:\n%s", len(in.Unused), in.UnusedBytes, text)
	}
	for _, n := range []int{0, 3, 20, 4000, len(whole) / 2, len(whole) - 1} {
		put(whole[:n])
		if _, err := engine.Inspect(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%d of %d bytes: %v", n, len(whole), err)
		}
	}
}

// TestInspectFigures has what a cell takes worked out by hand: layers that keep keys and
// values, times heads, times both widths, two bytes each; and for a conversation what its
// layers with a state keep, four bytes a value.
func TestInspectFigures(t *testing.T) {
	for name, want := range map[string]struct{ cell, state int64 }{
		"tiny-deepseek2-f32":      {cell: 2 * 1 * (16 + 8 + 16) * 2}, // latent keys and values, for all heads
		"tiny-deepseek2-lite-f32": {cell: 2 * 3 * (24 + 12) * 2},
		"tiny-exaone4-f32":        {cell: 2 * 1 * (8 + 8) * 2},
		"tiny-exaone4-swa-f32":    {cell: 64 * 1 * (4 + 4) * 2},
		"tiny-gemma2-f32":         {cell: 2 * 2 * (32 + 32) * 2},
		"tiny-gemma3-f32":         {cell: 6 * 2 * (32 + 32) * 2},
		"tiny-gemma4-f32":         {cell: 2*(32+32)*2 + 2*(64+64)*2}, // two of four layers use those of others
		"tiny-gemma4moe-f32":      {cell: 2*(32+32)*2 + 1*(64+64)*2},
		"tiny-glm4-f32":           {cell: 2 * 2 * (32 + 32) * 2},
		"tiny-glm4moe-f32":        {cell: 2 * 1 * (16 + 16) * 2}, // the third layer is not run
		"tiny-gpt-oss-f32":        {cell: 2 * 2 * (32 + 32) * 2},
		"tiny-granite-f32":        {cell: 2 * 1 * (16 + 16) * 2},
		"tiny-granitemoe-f32":     {cell: 2 * 1 * (16 + 16) * 2},
		"tiny-lfm2-f32":           {cell: 1 * 1 * (8 + 8) * 2, state: 2 * 2 * 16 * 4}, // attention in one of three layers
		"tiny-lfm2moe-f32":        {cell: 1 * 1 * (8 + 8) * 2, state: 2 * 2 * 16 * 4},
		"tiny-llama-q4_k_m":       {cell: 2 * 2 * (64 + 64) * 2},
		"tiny-mistral3-f32":       {cell: 2 * 2 * (32 + 32) * 2},
		"tiny-muse-glimmer-f32":   {cell: 2 * 2 * (32 + 32) * 2},
		"tiny-nemotron-f32":       {cell: 2 * 1 * (8 + 8) * 2},
		"tiny-olmo2-f32":          {cell: 2 * 1 * (16 + 16) * 2},
		"tiny-phi3-f32":           {cell: 2 * 1 * (32 + 32) * 2},
		"tiny-qwen2-f32":          {cell: 2 * 1 * (32 + 32) * 2},
		"tiny-qwen3-f32":          {cell: 3 * 2 * (32 + 32) * 2},
		// Four heads of 32 by 32, and three rows of what goes into the convolution.
		"tiny-qwen35-f32":    {cell: 2 * 2 * (32 + 32) * 2, state: 2 * (4*32*32 + 3*(2*2*32+4*32)) * 4},
		"tiny-qwen35moe-f32": {cell: 1 * 2 * (32 + 32) * 2, state: 1 * (4*32*32 + 3*(2*2*32+4*32)) * 4},
		"tiny-qwen3moe-f32":  {cell: 2 * 2 * (32 + 32) * 2},
		"tiny-smollm3-f32":   {cell: 4 * 2 * (32 + 32) * 2},
	} {
		in, _ := summaryOf(t, "testdata/models/"+name+".gguf")
		if in.CellBytes != want.cell || in.StateBytes != want.state {
			t.Errorf("%s: a cell %d, a conversation %d bytes, want %+v", name, in.CellBytes, in.StateBytes, want)
		}
	}
}
