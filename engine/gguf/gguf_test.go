package gguf

import (
	"os"
	"path/filepath"
	"testing"
)

// shared is where the large test data lies; it is not part of the module.
const shared = "../../../shared/testdata"

// builtinPath is the model that ships with the program.
const builtinPath = "../builtin/confab-tiny-q8_0.gguf"

func mustOpen(t testing.TB, path string) *File {
	t.Helper()
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

func TestOpenBuiltin(t *testing.T) {
	f := mustOpen(t, builtinPath)
	if f.Version != 3 || f.Alignment != 32 {
		t.Errorf("version %d, alignment %d", f.Version, f.Alignment)
	}
	info, err := os.Stat(builtinPath)
	if err != nil {
		t.Fatal(err)
	}
	if f.Size != info.Size() {
		t.Errorf("Size is %d, the file's %d", f.Size, info.Size())
	}
	embd := f.Tensor("token_embd.weight")
	if embd == nil || embd.Type != Q8_0 || len(embd.Shape) != 2 {
		t.Fatalf("token_embd.weight is %+v", embd)
	}
	tokens, ok := f.Strings("tokenizer.ggml.tokens")
	if !ok || len(tokens) != embd.Shape[1] {
		t.Errorf("%d tokens for %d embeddings", len(tokens), embd.Shape[1])
	}
	for _, x := range f.Tensors() {
		if f.Tensor(x.Name) != x {
			t.Errorf("Tensor(%q) is another one", x.Name)
		}
		values, bytes := x.Type.Block()
		if len(x.Data) != x.Len()/values*bytes {
			t.Errorf("%s has %d bytes", x.Name, len(x.Data))
		}
	}
	data, err := os.ReadFile(builtinPath)
	if err != nil {
		t.Fatal(err)
	}
	g, err := Parse("bytes", data)
	if err != nil {
		t.Fatal(err)
	}
	if f.Hash() != g.Hash() || len(f.Hash()) != 32 {
		t.Errorf("hashes %s from the file, %s from its bytes", f.Hash(), g.Hash())
	}
	before := string(embd.Data)
	f.Release(embd)
	g.Release(g.Tensors()[0])
	if string(embd.Data) != before || string(g.Tensor(embd.Name).Data) != before {
		t.Error("the data changed")
	}
}

func TestOpenShared(t *testing.T) {
	paths, _ := filepath.Glob(filepath.Join(shared, "*", "*.gguf"))
	if len(paths) == 0 {
		t.Skip("../shared/testdata not present")
	}
	hashes := map[string]string{}
	for _, path := range paths {
		f := mustOpen(t, path)
		if twin := hashes[f.Hash()]; twin != "" {
			t.Errorf("%s and %s have one hash", path, twin)
		}
		hashes[f.Hash()] = path
		for _, key := range f.Keys() {
			if v, ok := f.Value(key); !ok || v == nil {
				t.Errorf("%s: %s has no value", path, key)
			}
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	path := filepath.Join(shared, "tokenizers", "llama-bpe.gguf")
	if _, err := os.Stat(path); err != nil {
		b.Skip("../shared/testdata not present")
	}
	for b.Loop() {
		f, err := Open(path)
		if err != nil {
			b.Fatal(err)
		}
		tokens, _ := f.Strings("tokenizer.ggml.tokens")
		merges, _ := f.Strings("tokenizer.ggml.merges")
		b.ReportMetric(float64(len(tokens)+len(merges)), "strings")
		if err := f.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
