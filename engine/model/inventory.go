package model

import (
	"slices"

	"github.com/confab-tui/confab/engine/gguf"
)

// Inventory says what a program's file holds and what running it takes.
type Inventory struct {
	Types []TypeTotal // the largest first
	// CellBytes is what a cell takes in all layers with half-precision keys and
	// values; StateBytes what a sequence's recurrent layers remember.
	CellBytes, StateBytes int64
	// Unused are tensors that no operation reads, UnusedKeys what the file says of the
	// architecture that changes nothing here.
	Unused, UnusedKeys []string
}

// TypeTotal is how much of a file has one tensor type.
type TypeTotal struct {
	Type    gguf.Type
	Tensors int
	Values  int64
	Bytes   int64
}

// Inventory counts the file.
func (p *Program) Inventory() Inventory {
	totals := map[gguf.Type]*TypeTotal{}
	var v Inventory
	for _, t := range p.File.Tensors() {
		if totals[t.Type] == nil {
			totals[t.Type] = &TypeTotal{Type: t.Type}
		}
		of := totals[t.Type]
		of.Tensors++
		of.Values += int64(t.Len())
		of.Bytes += int64(len(t.Data))
		if !p.used[t.Name] {
			v.Unused = append(v.Unused, t.Name)
		}
	}
	for _, of := range totals {
		v.Types = append(v.Types, *of)
	}
	slices.SortFunc(v.Types, func(a, b TypeTotal) int {
		if a.Bytes != b.Bytes {
			return int(min(1, max(-1, b.Bytes-a.Bytes)))
		}
		return int(a.Type) - int(b.Type)
	})
	v.UnusedKeys = p.unasked
	v.CellBytes = p.CellBytes(false)
	v.StateBytes = p.StateBytes()
	return v
}

// StateBytes is what a sequence's recurrent layers remember.
func (p *Program) StateBytes() int64 {
	var n int64
	for _, s := range p.States {
		n += 4 * int64(s.Width)
	}
	return n
}

// CellBytes is what a cell takes in all layers, with keys and values in half precision or
// as float32.
func (p *Program) CellBytes(f32 bool) int64 {
	var n int64
	for _, c := range p.Caches {
		n += int64(c.KVHeads) * int64(c.KeyDim+c.ValueDim)
	}
	if f32 {
		return 4 * n
	}
	return 2 * n
}

// WeightBytes is what the tensors take that operations read.
func (p *Program) WeightBytes() int64 {
	var n int64
	for _, t := range p.File.Tensors() {
		if p.used[t.Name] {
			n += int64(len(t.Data))
		}
	}
	return n
}
