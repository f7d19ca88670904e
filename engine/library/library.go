package library

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/confab-tui/confab/engine/gguf"
)

// Model is a model file that was found.
type Model struct {
	// Name is what -m takes: unique among the models found.
	Name string
	// Path is the file, or the first part of a split one.
	Path string
	// Source says whose folder it lies in.
	Source string
	// Arch and Quant are as the file says, such as "llama" and "Q4_K_M".
	Arch, Quant string
	// Bytes is the size of all parts, Parts how many there are.
	Bytes int64
	Parts int
	// Err says why the file cannot be used.
	Err error
}

// Folder is a place to look for models.
type Folder struct {
	Source, Path string
}

// Find lists the models below the folders, by name.
func Find(folders []Folder) []Model {
	seen := map[string]bool{}
	var out []Model
	for _, f := range folders {
		for _, m := range f.find() {
			real, err := filepath.EvalSymlinks(m.Path)
			if err != nil || seen[real] {
				continue
			}
			seen[real] = true
			m.describe()
			out = append(out, m)
		}
	}
	unique(out)
	slices.SortFunc(out, func(a, b Model) int { return cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
	return out
}

// Lookup finds a model by its name, letters' case aside.
func Lookup(models []Model, name string) (Model, bool) {
	for _, m := range models {
		if strings.EqualFold(m.Name, name) {
			return m, true
		}
	}
	return Model{}, false
}

// find lists the candidates of one folder.
func (f Folder) find() []Model {
	if f.Source == ollama {
		return manifests(f.Path)
	}
	var out []Model
	walk(f.Path, 8, func(path string) {
		if m, ok := candidate(path); ok {
			m.Source = f.Source
			out = append(out, m)
		}
	})
	return out
}

var part = regexp.MustCompile(`^(.*)-(\d{5})-of-(\d{5})$`)

// candidate tells whether a file name is that of a chat model's first part.
func candidate(path string) (Model, bool) {
	base := filepath.Base(path)
	stem, ok := strings.CutSuffix(base, ".gguf")
	if !ok || strings.HasPrefix(strings.ToLower(base), "mmproj") {
		return Model{}, false
	}
	m := Model{Name: stem, Path: path}
	if p := part.FindStringSubmatch(stem); p != nil {
		if p[2] != "00001" {
			return Model{}, false
		}
		m.Name = p[1]
	}
	return m, true
}

// describe reads the file's head.
func (m *Model) describe() {
	f, err := gguf.Open(m.Path)
	if err != nil {
		m.Err = err
		if st, serr := os.Stat(m.Path); serr == nil {
			m.Bytes = st.Size()
		}
		return
	}
	defer f.Close()
	m.Bytes, m.Parts = f.Size, 1
	m.Err = m.read(f)
}

// read takes over what the file says of itself. Other programs may cut it short meanwhile.
func (m *Model) read(f *gguf.File) error {
	return f.Guard(func() error {
		m.Arch, _ = f.String("general.architecture")
		m.Quant = Quant(f)
		if n, ok := f.Int("split.count"); ok && n > 0 {
			m.Parts = int(n)
		}
		return nil
	})
}

// unique puts the folder's name before names that several models share, and
// numbers what is still alike.
func unique(models []Model) {
	count := func() map[string]int {
		n := map[string]int{}
		for _, m := range models {
			n[strings.ToLower(m.Name)]++
		}
		return n
	}
	for i, n := 0, count(); i < len(models); i++ {
		if n[strings.ToLower(models[i].Name)] > 1 {
			models[i].Name = filepath.Base(filepath.Dir(models[i].Path)) + "/" + models[i].Name
		}
	}
	for i, n := 0, count(); i < len(models); i++ {
		if n[strings.ToLower(models[i].Name)] > 1 {
			models[i].Name = models[i].Path
		}
	}
}
