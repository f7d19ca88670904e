package model

import "github.com/confab-tui/confab/engine/gguf"

// Program is a model as a list of operations over named buffers. It never changes
// after Load, and it refers to the file's data: the file must stay open as long as
// an executor reads weights from it.
type Program struct {
	Spec    Spec
	File    *gguf.File
	Buffers []Buffer
	// Caches hold the keys and values of earlier tokens, one for each layer that
	// stores any; a cell is room for one token in all of them.
	Caches []Cache
	// States are what recurrent layers remember of a sequence.
	States []State
	Ops    []Op
	// Layers has the index of the operation that each layer begins with, and at the
	// end of the one that follows the last layer.
	Layers []int
	// Logits is where the last operation leaves one value a token of the
	// vocabulary, for each output.
	Logits Ref
	used   map[string]bool // the tensors that were bound
	// unasked are the architecture's keys that nothing looked at.
	unasked []string
}

// Cache is the shape of one layer's keys and values.
type Cache struct {
	KVHeads, KeyDim, ValueDim int
	// Window is the most positions that any reader of the cache sees, 0 for all.
	Window int
}

// State is a recurrent layer's memory of one sequence: Width float32 values, zero
// before the first token.
type State struct {
	Name  string
	Width int
}

// Spec holds a model's sizes as its file gives them.
type Spec struct {
	Arch, Name string
	// Context is how many positions the model was trained for.
	Context int
	Vocab   int
	Width   int // of the residual stream
	Layers  int
	// Heads, KVHeads, KeyDim and ValueDim are those of the first attention layer
	// where layers differ.
	Heads, KVHeads, KeyDim, ValueDim int
	Hidden                           int // feed-forward width; of one expert where there are experts
	Experts, ExpertsUsed             int
	Eps                              float32 // of every norm that names no other
	Params                           int64   // weights in the file
}

// Read copies a part of the file's data to buf, which is as long; see gguf.File.
func (p *Program) Read(buf, data []byte) error { return p.File.Read(buf, data) }

// Release tells the system that this part of the file's data is copied and not needed soon.
func (p *Program) Release(data []byte) { p.File.Release(&gguf.Tensor{Data: data}) }
