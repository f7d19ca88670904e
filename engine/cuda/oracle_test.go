//go:build cuda

package cuda

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// transformers, which shares no code with this, gives the same logits for a Llama and
// a Qwen3 of random weights.
func TestTransformers(t *testing.T) {
	if err := Available(); err != nil {
		t.Skip(err)
	}
	if out, err := exec.Command("python3", "-c", "import torch, transformers, numpy").CombinedOutput(); err != nil {
		t.Skipf("python3 with transformers is not here: %v\n%s", err, out)
	}
	dir := t.TempDir()
	if out, err := exec.Command("python3", "testdata/models.py", "oracle", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.gguf"))
	if err != nil || len(files) != 4 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		base := strings.TrimSuffix(path, ".gguf")
		t.Run(filepath.Base(base), func(t *testing.T) { asTransformers(t, path, base) })
	}
}

func asTransformers(t *testing.T, path, base string) {
	var given struct{ Tokens []int32 }
	text, err := os.ReadFile(base + ".json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &given); err != nil {
		t.Fatal(err)
	}
	exact, own := readFloats(t, base+".f32"), readFloats(t, base+".own")
	e := start(t, load(t, path), Options{Cells: 200})
	all, some := newSequence(len(given.Tokens)), newSequence(len(given.Tokens))
	var at []int
	for i := range given.Tokens {
		at = append(at, i)
	}
	res, err := e.Run(all.step(given.Tokens, at...))
	if err != nil {
		t.Fatal(err)
	}
	var whole, pieces []float32
	for _, o := range res.Outputs {
		whole = append(whole, o.Logits...)
	}
	for i, tok := range given.Tokens { // token by token, through the graph of one row
		if res, err = e.Run(some.step([]int32{tok}, i)); err != nil {
			t.Fatal(err)
		}
		pieces = append(pieces, res.Outputs[0].Logits...)
	}
	t.Logf("from transformers %.2g at once, %.2g token by token; transformers in its own type %.2g",
		distance(whole, exact), distance(pieces, exact), distance(own, exact))
	// Cells of half precision are what differs token by token. A prompt's products in BF16
	// round its activations to BF16 too, which is less than transformers does in its own type.
	apart := distance(own, exact)
	for _, c := range []struct {
		got   []float32
		limit float64
	}{{pieces, 2e-3}, {whole, max(2e-3, apart/2)}} {
		if d := distance(c.got, exact); !(d <= c.limit) {
			t.Errorf("logits differ from transformers' by %.2g, at most %.2g", d, c.limit)
		}
		if d := distance(c.got, own); !(d <= max(2e-3, 2*apart)) {
			t.Errorf("logits differ from transformers' in its own type by %.2g", d)
		}
	}
}

func readFloats(t *testing.T, path string) []float32 {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var x []float32
	for ; len(raw) >= 4; raw = raw[4:] {
		x = append(x, math.Float32frombits(binary.LittleEndian.Uint32(raw)))
	}
	return x
}
