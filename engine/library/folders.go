package library

import (
	"os"
	"path/filepath"
)

// ollama keeps its models as blobs that manifests name.
const ollama = "ollama"

// Folders lists where models may be: own (confab's folder), then extra, then
// the other programs' caches as their variables or defaults say.
func Folders(own string, extra []string) []Folder {
	out := []Folder{{"confab", own}}
	for _, e := range extra {
		out = append(out, Folder{"config", e})
	}
	home, _ := os.UserHomeDir()
	cache := os.Getenv("XDG_CACHE_HOME")
	if cache == "" {
		cache = filepath.Join(home, ".cache")
	}
	add := func(source string, paths ...string) {
		for _, p := range paths {
			if filepath.IsAbs(p) {
				out = append(out, Folder{source, p})
			}
		}
	}
	add(ollama, os.Getenv("OLLAMA_MODELS"), filepath.Join(home, ".ollama", "models"), "/usr/share/ollama/.ollama/models")
	add("LM Studio", filepath.Join(home, ".lmstudio", "models"), filepath.Join(cache, "lm-studio", "models"))
	add("Hugging Face", os.Getenv("HF_HUB_CACHE"), under(os.Getenv("HF_HOME"), "hub"), filepath.Join(cache, "huggingface", "hub"))
	add("llama.cpp", os.Getenv("LLAMA_CACHE"), filepath.Join(cache, "llama.cpp"))
	return out
}

func under(dir, name string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, name)
}

// walk calls see for every file below dir, at most depth folders down; it
// follows links to files but not to folders, and passes over what it cannot
// read.
func walk(dir string, depth int, see func(path string)) {
	entries, err := os.ReadDir(dir)
	if err != nil || depth == 0 {
		return
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if e.IsDir() {
			walk(path, depth-1, see)
		} else {
			see(path)
		}
	}
}
