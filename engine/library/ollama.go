package library

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

// manifest is the part of an ollama manifest that names the model's file.
type manifest struct {
	Layers []struct {
		MediaType string `json:"mediaType"`
		Digest    string `json:"digest"`
	} `json:"layers"`
}

const modelLayer = "application/vnd.ollama.image.model"

// manifests lists the models below dir/manifests/HOST/NAMESPACE/NAME/TAG.
func manifests(dir string) []Model {
	var out []Model
	root := filepath.Join(dir, "manifests")
	walk(root, 6, func(path string) {
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return
		}
		parts := strings.Split(filepath.ToSlash(rel), "/")
		if len(parts) < 2 {
			return
		}
		if blob := modelBlob(path); blob != "" {
			name := parts[len(parts)-2] + ":" + parts[len(parts)-1]
			out = append(out, Model{Name: name, Source: ollama, Path: filepath.Join(dir, "blobs", blob)})
		}
	})
	return out
}

// modelBlob reads a manifest; a broken one names no blob.
func modelBlob(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	var m manifest
	if json.Unmarshal(data, &m) != nil {
		return ""
	}
	for _, l := range m.Layers {
		hex, ok := strings.CutPrefix(l.Digest, "sha256:")
		if l.MediaType == modelLayer && ok && len(hex) == 64 && !strings.ContainsAny(hex, `/\.`) {
			return "sha256-" + hex
		}
	}
	return ""
}
