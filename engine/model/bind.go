package model

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/confab-tui/confab/engine/gguf"
)

// layerName is the name of a layer's tensor.
func layerName(layer int, name string) string { return fmt.Sprintf("blk.%d.%s", layer, name) }

func (b *builder) has(name string) bool { return b.f.Tensor(name) != nil }

// tensor finds a tensor and checks its shape, in GGUF's order.
func (b *builder) tensor(name string, shape ...int) *gguf.Tensor {
	t := b.f.Tensor(name)
	if t == nil {
		b.fail("the tensor %s is missing; wanted %v", name, shape)
		return nil
	}
	if !slices.Equal(trimOnes(t.Shape), trimOnes(shape)) {
		b.fail("the tensor %s is %v; wanted %v", name, t.Shape, shape)
		return nil
	}
	b.used[name] = true
	return t
}

// trimOnes drops dimensions of 1 at the end, which files have or leave out.
func trimOnes(shape []int) []int {
	for len(shape) > 1 && shape[len(shape)-1] == 1 {
		shape = shape[:len(shape)-1]
	}
	return shape
}

// matrix binds a matrix of rows times k values.
func (b *builder) matrix(name string, k, rows int) *Matrix {
	return &Matrix{Tensor: b.tensor(name, k, rows), Rows: rows, K: k, Experts: 1, Spans: []Span{{0, rows}}}
}

// bank binds one matrix of rows times k values for each expert.
func (b *builder) bank(name string, k, rows int) *Matrix {
	n := b.p.Spec.Experts
	return &Matrix{Tensor: b.tensor(name, k, rows, n), Rows: rows, K: k, Experts: n, Spans: []Span{{0, rows}}}
}

// part takes some of a joined matrix's rows.
func (m *Matrix) part(spans ...Span) *Matrix {
	p := &Matrix{Tensor: m.Tensor, K: m.K, Experts: m.Experts, Spans: spans}
	for _, s := range spans {
		p.Rows += s.Count
	}
	return p
}

// vector binds n values.
func (b *builder) vector(name string, n int) *Vector { return b.read(name, b.tensor(name, n)) }

// vectorsIf binds n values for each expert where the file has the tensor, else nil.
func (b *builder) vectorsIf(name string, n int) *Vector {
	if !b.has(name) {
		return nil
	}
	return b.read(name, b.tensor(name, n, b.p.Spec.Experts))
}

// vectorIf is vector where the file has the tensor, else nil.
func (b *builder) vectorIf(name string, n int) *Vector {
	if !b.has(name) {
		return nil
	}
	return b.vector(name, n)
}

// read converts a tensor to float32. Vectors are never quantised.
func (b *builder) read(name string, t *gguf.Tensor) *Vector {
	if t == nil {
		return &Vector{Name: name}
	}
	v := &Vector{Name: name, Values: make([]float32, t.Len())}
	switch t.Type {
	case gguf.F32:
		for i := range v.Values {
			v.Values[i] = math.Float32frombits(binary.LittleEndian.Uint32(t.Data[4*i:]))
		}
	case gguf.F16:
		for i := range v.Values {
			v.Values[i] = half(binary.LittleEndian.Uint16(t.Data[2*i:]))
		}
	case gguf.BF16:
		for i := range v.Values {
			v.Values[i] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(t.Data[2*i:])) << 16)
		}
	default:
		b.fail("the tensor %s is %s; wanted F32, F16 or BF16", name, t.Type)
	}
	return v
}

// half converts an IEEE half.
func half(h uint16) float32 {
	sign, exp, man := uint32(h>>15)<<31, int(h>>10&31), uint32(h&1023)
	switch exp {
	case 31:
		return math.Float32frombits(sign | 0xff<<23 | man<<13)
	case 0:
		return math.Float32frombits(sign | math.Float32bits(float32(man)*0x1p-24))
	}
	return math.Float32frombits(sign | uint32(exp+112)<<23 | man<<13)
}

// Bytes returns the rows of one expert's matrix, K contiguous. It copies only where the
// rows do not lie together.
func (m *Matrix) Bytes(expert int) []byte {
	per, size := m.Tensor.Type.Block()
	row := m.K / per * size
	of := len(m.Tensor.Data) / m.Experts
	data := m.Tensor.Data[expert*of : (expert+1)*of]
	if len(m.Spans) == 1 {
		s := m.Spans[0]
		return data[s.First*row : (s.First+s.Count)*row]
	}
	out := make([]byte, 0, m.Rows*row)
	for _, s := range m.Spans {
		out = append(out, data[s.First*row:(s.First+s.Count)*row]...)
	}
	return out
}
