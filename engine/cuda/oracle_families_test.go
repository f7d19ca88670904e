//go:build cuda

package cuda

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTransformersFamilies does with a small random model of many families what
// TestTransformers does with two; what the GPU refuses is skipped.
func TestTransformersFamilies(t *testing.T) {
	if err := Available(); err != nil {
		t.Skip(err)
	}
	if out, err := exec.Command("python3", "-c", "import torch, transformers, numpy").CombinedOutput(); err != nil {
		t.Skipf("python3 with transformers is not here: %v\n%s", err, out)
	}
	dir := t.TempDir()
	out, err := exec.Command("python3", "testdata/families.py", dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.gguf"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) { familyAsTransformers(t, path) })
	}
}

func familyAsTransformers(t *testing.T, path string) {
	base := strings.TrimSuffix(path, ".gguf")
	var given struct{ Tokens []int32 }
	text, err := os.ReadFile(base + ".json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &given); err != nil {
		t.Fatal(err)
	}
	p := load(t, path)
	e, err := New(p, Options{Cells: 200})
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { e.Close() })
	var at []int
	for i := range given.Tokens {
		at = append(at, i)
	}
	res, err := e.Run(newSequence(len(at)).step(given.Tokens, at...))
	if err != nil {
		t.Fatal(err)
	}
	var got []float32
	for _, o := range res.Outputs {
		got = append(got, o.Logits...)
	}
	// Cells of half precision differ, and with them, here and there, the choice of experts.
	allow := 5e-3
	if p.Spec.Experts > 0 {
		allow = 5e-2
	}
	off := distance(got, readFloats(t, base+".f32"))
	t.Logf("from transformers %.2g", off)
	if !(off <= allow) {
		t.Errorf("logits differ from transformers' by %.2g; allowed %.2g", off, allow)
	}
}
