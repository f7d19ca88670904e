package library

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/confab-tui/confab/engine/gguf"
)

// tiny is the smallest file that the reader takes: version 3, no tensors, two
// keys.
func tiny() []byte {
	var b []byte
	u32 := func(v uint32) { b = append(b, byte(v), byte(v>>8), byte(v>>16), byte(v>>24)) }
	u64 := func(v uint64) { u32(uint32(v)); u32(uint32(v >> 32)) }
	str := func(s string) { u64(uint64(len(s))); b = append(b, s...) }
	b = append(b, "GGUF"...)
	u32(3)
	u64(0)
	u64(2)
	str("general.architecture")
	u32(8)
	str("llama")
	str("general.file_type")
	u32(4)
	u32(15)
	return append(b, make([]byte, 64)...)
}

func put(t *testing.T, data []byte, path ...string) string {
	t.Helper()
	p := filepath.Join(path...)
	if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	hex := strings.Repeat("ab", 32)
	put(t, tiny(), dir, "own", "first.gguf")
	put(t, tiny(), dir, "own", "sub", "mmproj-first.gguf")
	put(t, []byte("not a model"), dir, "own", "broken.gguf")
	put(t, tiny(), dir, "own", "readme.txt")
	put(t, tiny(), dir, "ollama", "blobs", "sha256-"+hex)
	put(t, []byte(`{"layers":[{"mediaType":"application/vnd.ollama.image.model","digest":"sha256:`+hex+`"}]}`),
		dir, "ollama", "manifests", "registry", "library", "qwen3", "0.6b")
	put(t, []byte(`{"layers":[{"mediaType":"application/vnd.ollama.image.model","digest":"sha256:../../x"}]}`),
		dir, "ollama", "manifests", "registry", "library", "evil", "1b")
	put(t, []byte(`{broken`), dir, "ollama", "manifests", "registry", "library", "bad", "1b")
	put(t, tiny(), dir, "hub", "models--a--b", "snapshots", "1", "first.gguf")
	if err := os.Symlink(filepath.Join(dir, "own", "first.gguf"), filepath.Join(dir, "hub", "again.gguf")); err != nil {
		t.Fatal(err)
	}

	got := Find([]Folder{
		{"confab", filepath.Join(dir, "own")}, {"missing", filepath.Join(dir, "nowhere")},
		{ollama, filepath.Join(dir, "ollama")}, {"Hugging Face", filepath.Join(dir, "hub")},
	})
	var names []string
	for _, m := range got {
		names = append(names, m.Name)
		if m.Name == "broken" {
			if m.Err == nil {
				t.Error("a broken file has no error")
			}
		} else if m.Err != nil || m.Arch != "llama" || m.Quant != "Q4_K_M" || m.Parts != 1 {
			t.Errorf("%+v", m)
		}
	}
	if want := "1/first broken own/first qwen3:0.6b"; strings.Join(names, " ") != want {
		t.Errorf("found %q, want %q", names, want)
	}
	if m, ok := Lookup(got, "QWEN3:0.6B"); !ok || m.Source != ollama {
		t.Errorf("Lookup: %+v %v", m, ok)
	}
}

func TestFoldersFollowTheVariables(t *testing.T) {
	t.Setenv("OLLAMA_MODELS", "/srv/ollama")
	t.Setenv("HF_HOME", "/srv/hf")
	t.Setenv("LLAMA_CACHE", "relative/is/ignored")
	got := Folders("/own", []string{"/more"})
	find := func(want Folder) bool {
		for _, f := range got {
			if f == want {
				return true
			}
		}
		return false
	}
	for _, want := range []Folder{{"confab", "/own"}, {"config", "/more"}, {ollama, "/srv/ollama"}, {"Hugging Face", filepath.Join("/srv/hf", "hub")}} {
		if !find(want) {
			t.Errorf("%v is missing in %v", want, got)
		}
	}
	if find(Folder{"llama.cpp", "relative/is/ignored"}) {
		t.Error("a relative folder is searched")
	}
}

// A file that another program cuts short while it is looked at is an unreadable one, not the
// end of the program.
func TestFileCutShortWhileItIsLookedAt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files that are mapped cannot be cut short there")
	}
	path := put(t, tiny(), t.TempDir(), "m.gguf")
	f, err := gguf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	var m Model
	if err := m.read(f); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("%v does not name the file", err)
	}
}
