package main

import (
	"encoding/json"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// allowed says which of our packages each of ours may import.
var allowed = map[string][]string{
	"":               {"ui", "engine", "engine/builtin", "engine/library"},
	"release":        {},
	"ui":             {"engine", "engine/chat", "ui/screen", "ui/store", "ui/text", "engine/library"},
	"ui/store":       {"engine/chat"},
	"ui/text":        {},
	"ui/picture":     {},
	"ui/screen":      {},
	"engine":         {"engine/builtin", "engine/library", "engine/chat", "engine/token", "engine/gguf", "engine/model", "engine/kv", "engine/cpu", "engine/cuda"},
	"engine/chat":    {"engine/token"},
	"engine/token":   {"engine/gguf"},
	"engine/model":   {"engine/gguf"},
	"engine/library": {"engine/gguf"},
	"engine/kv":      {"engine/model"},
	"engine/cpu":     {"engine/model", "kernels", "kernels/matmul", "kernels/rowwise", "kernels/attend", "kernels/sample", "kernels/recurrent"},
	"engine/cuda":    {"engine/model", "kernels", "kernels/matmul", "kernels/rowwise", "kernels/attend", "kernels/sample", "kernels/recurrent", "gpu"},
	"kernels":        {"gpu"},

	"kernels/rowwise":    {"kernels", "gpu"},
	"kernels/matmul":     {"kernels", "kernels/rowwise", "gpu"},
	"kernels/attend":     {"kernels", "kernels/rowwise", "gpu"},
	"kernels/sample":     {"kernels", "kernels/rowwise", "gpu"},
	"kernels/recurrent":  {"kernels", "kernels/rowwise", "gpu"},
	"kernels/kerneltest": {"kernels", "gpu"},

	"engine/gguf":    {},
	"engine/builtin": {},
	"gpu":            {},
	"gpu/fake":       {},
}

type listed struct {
	ImportPath, Doc string
	Imports         []string
	CgoFiles        []string
	Error           *struct{ Err string }
}

func TestImports(t *testing.T) {
	for _, tags := range []string{"", "cuda"} {
		for _, p := range list(t, tags) {
			checkImports(t, p)
		}
	}
}

func list(t *testing.T, tags string) []listed {
	out, err := exec.Command("go", "list", "-e", "-json=ImportPath,Doc,Imports,CgoFiles", "-tags", tags, "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := dec.Decode(&p); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

const module = "github.com/confab-tui/confab"

func checkImports(t *testing.T, p listed) {
	name := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
	rule, ok := allowed[name]
	if !ok {
		t.Errorf("%s has no rule in the table of imports", p.ImportPath)
	}
	if p.Doc == "" {
		t.Errorf("%s has no package comment", p.ImportPath)
	}
	for _, imp := range p.Imports {
		ours, is := strings.CutPrefix(imp, module+"/")
		if is && !slices.Contains(rule, ours) {
			t.Errorf("%s imports %s, which the table does not allow", p.ImportPath, ours)
		}
	}
	if len(p.CgoFiles) > 0 && name != "gpu" {
		t.Errorf("%s uses cgo: only gpu may", p.ImportPath)
	}
}
