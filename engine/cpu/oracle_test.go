package cpu

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/confab-tui/confab/engine/model"
)

// TestTransformers compares a small random model of each family that transformers has
// with what that makes of it; they share no code with this.
func TestTransformers(t *testing.T) {
	if out, err := exec.Command("python3", "-c", "import torch, transformers, numpy").CombinedOutput(); err != nil {
		t.Skipf("python3 with transformers is not here: %v\n%s", err, out)
	}
	dir := t.TempDir()
	out, err := exec.Command("python3", "../cuda/testdata/families.py", dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
	files, err := filepath.Glob(filepath.Join(dir, "*.gguf"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) { likeTransformers(t, path) })
	}
}

// likeTransformers allows for GELU, which is rounded to half precision here as elsewhere.
func likeTransformers(t *testing.T, path string) {
	base := strings.TrimSuffix(path, ".gguf")
	var given struct{ Tokens []int32 }
	text, err := os.ReadFile(base + ".json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &given); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(base + ".f32")
	if err != nil {
		t.Fatal(err)
	}
	p := load(t, path)
	var at []int
	for i := range given.Tokens {
		at = append(at, i)
	}
	res, err := start(t, p, Options{Threads: 2, Cells: 128, F32Cells: true}).Run(newSequence(len(at)).step(given.Tokens, at...))
	if err != nil {
		t.Fatal(err)
	}
	var got []float32
	for _, o := range res.Outputs {
		got = append(got, o.Logits...)
	}
	allow := 1e-5
	for _, op := range p.Ops {
		if g, ok := op.(*model.Gate); ok && g.Act == model.ActGELU {
			allow = 2e-3
		}
	}
	off := distance(got, floats(raw))
	t.Logf("transformers: distance %.2g", off)
	if !(off <= allow) {
		t.Errorf("logits differ from transformers' by %.2g; allowed %.2g", off, allow)
	}
}
