package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/confab-tui/confab/engine/builtin"
	"github.com/confab-tui/confab/engine/gguf"
	"github.com/confab-tui/confab/engine/library"
	"github.com/confab-tui/confab/engine/model"
)

// Inspection is what a model file is, what it costs, and what of it confab uses.
type Inspection struct {
	Path, Name, Arch, Quant string
	Bytes, Params           int64
	Context                 int
	// Tokenizer and Template say in words what there is, or why it is refused.
	Tokenizer, Template string
	Keys                []InspectedKey
	Tensors             []InspectedTensor
	Types               []InspectedType
	// CellBytes is what a token's keys and values take, StateBytes what a
	// conversation's recurrent layers remember.
	CellBytes, StateBytes int64
	// Unused are tensors that no operation reads, of UnusedBytes together; UnusedKeys
	// what the file says of its architecture that changes nothing here.
	Unused, UnusedKeys []string
	UnusedBytes        int64
	// Placed says what of the model the GPU would have now; empty where there is none.
	Placed string
	// Program lists the operations; empty where the model is refused.
	Program string
	// Refused says why confab cannot run the file, nil where it can.
	Refused error
}

// InspectedKey is a metadata key with its value, a long one cut.
type InspectedKey struct{ Key, Value string }

// InspectedTensor is a tensor's entry in the directory.
type InspectedTensor struct {
	Name, Type string
	Shape      []int
	Bytes      int64
}

// InspectedType is what one tensor type amounts to.
type InspectedType struct {
	Type    string
	Tensors int
	Bytes   int64
}

// openFile opens a model's file, the built-in one where path is empty.
func openFile(path string) (*gguf.File, error) {
	if path == "" {
		return gguf.Parse(builtin.Name, builtin.Model())
	}
	return gguf.Open(path)
}

// Inspect reads a model file without loading it. The error is of the file
// itself; a sound file that confab cannot run says so in Refused.
func Inspect(path string) (*Inspection, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := &Inspection{Path: f.Path, Bytes: f.Size}
	return in, f.Guard(func() error { in.read(f); return nil })
}

func (in *Inspection) read(f *gguf.File) {
	in.Quant = library.Quant(f)
	in.Arch, _ = f.String("general.architecture")
	in.Name, _ = f.String("general.name")
	if n, ok := f.Int(in.Arch + ".context_length"); ok {
		in.Context = int(n)
	}
	in.list(f)
	in.words(f)
	if len(in.Tensors) == 0 {
		in.Refused = fmt.Errorf("engine: %s has no weights: it is a vocabulary, for confab tokenize alone", f.Path)
		return
	}
	p, err := model.Load(f)
	if err != nil {
		in.Refused = err
		return
	}
	have := p.Inventory()
	in.CellBytes, in.StateBytes, in.Unused, in.UnusedKeys = have.CellBytes, have.StateBytes, have.Unused, have.UnusedKeys
	for _, name := range in.Unused {
		in.UnusedBytes += int64(len(f.Tensor(name).Data))
	}
	in.Program, in.Placed = p.String(), placedNow(p)
}

func (in *Inspection) list(f *gguf.File) {
	for _, k := range f.Keys() {
		v, _ := f.Value(k)
		in.Keys = append(in.Keys, InspectedKey{k, short(v)})
	}
	for _, t := range f.Tensors() {
		in.Params += int64(t.Len())
		in.Tensors = append(in.Tensors, InspectedTensor{t.Name, t.Type.String(), t.Shape, int64(len(t.Data))})
		in.count(t)
	}
	slices.SortStableFunc(in.Types, func(a, b InspectedType) int { return cmp.Compare(b.Bytes, a.Bytes) })
}

// count adds a tensor to what its type amounts to.
func (in *Inspection) count(t *gguf.Tensor) {
	name := t.Type.String()
	i := slices.IndexFunc(in.Types, func(of InspectedType) bool { return of.Type == name })
	if i < 0 {
		i = len(in.Types)
		in.Types = append(in.Types, InspectedType{Type: name})
	}
	in.Types[i].Tensors++
	in.Types[i].Bytes += int64(len(t.Data))
}

// words describes what turns text into tokens.
func (in *Inspection) words(f *gguf.File) {
	if list, _ := f.Strings("tokenizer.ggml.tokens"); len(list) == 0 {
		in.Tokenizer, in.Template = "none: the file takes token ids only", "none"
		return
	}
	kind, _ := f.String("tokenizer.ggml.model")
	pre, _ := f.String("tokenizer.ggml.pre")
	w, err := wordsOf(f)
	in.Refused = err
	if w.tok == nil {
		in.Tokenizer = err.Error()
	} else {
		in.Tokenizer = strings.TrimSpace(fmt.Sprintf("%s %s, %d in the vocabulary", kind, pre, w.tok.Len()))
	}
	in.Template = "none: ChatML is used"
	if s, ok := f.String("tokenizer.chat_template"); ok {
		in.Template = fmt.Sprintf("Jinja, %d characters", utf8.RuneCountInString(s))
		if w.tok != nil && err != nil {
			in.Template = err.Error()
		}
	}
}

// short prints a value on one line of at most 200 characters.
func short(v any) string {
	s := fmt.Sprintf("%q", fmt.Sprint(v))
	if list, ok := v.([]string); ok {
		s = fmt.Sprintf("%d strings, the first %q", len(list), list[:min(len(list), 6)])
	}
	if r := []rune(s); len(r) > 200 {
		s = string(r[:200]) + fmt.Sprintf("… (%d characters)", len(r))
	}
	return s
}
