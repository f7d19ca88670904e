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
