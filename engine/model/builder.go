package model

import (
	"fmt"
	"iter"
	"slices"

	"github.com/confab-tui/confab/engine/gguf"
)

// builder collects a Program. Its first error sticks, and what it returns after one
// is empty but safe to go on with.
type builder struct {
	f    *gguf.File
	arch string
	p    *Program
	// context is how long conversations are wanted, 0 for any.
	context int
	used    map[string]bool // tensors bound so far
	asked   map[string]bool // keys of the architecture looked at so far
	// outputs says that rows were selected: new buffers have a row an output.
	outputs bool
	// residual multiplies what is added to the residual stream; 0 stands for 1.
	residual float32
	err      error
}

func (b *builder) fail(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf(format, args...)
	}
}

func (b *builder) check(ok bool, format string, args ...any) {
	if !ok {
		b.fail(format, args...)
	}
}

func (b *builder) op(o Op) {
	if b.err == nil {
		b.p.Ops = append(b.p.Ops, o)
	}
}

// layers counts the layers and notes where each begins.
func (b *builder) layers() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range b.p.Spec.Layers {
			b.p.Layers = append(b.p.Layers, len(b.p.Ops))
			if b.err != nil || !yield(i) {
				return
			}
		}
		b.p.Layers = append(b.p.Layers, len(b.p.Ops))
	}
}

// buffer returns all of the buffer of that name, which is made, or widened, as needed.
// Buffers of outputs are others than those of rows.
func (b *builder) buffer(name string, width int) Ref {
	return b.typed(Buffer{Name: name, Width: width, Outputs: b.outputs})
}

func (b *builder) typed(want Buffer) Ref {
	if want.Outputs {
		want.Name += ".out"
	}
	at := slices.IndexFunc(b.p.Buffers, func(have Buffer) bool { return have.Name == want.Name })
	if at < 0 {
		at = len(b.p.Buffers)
		b.p.Buffers = append(b.p.Buffers, want)
	}
	have := &b.p.Buffers[at]
	have.Width = max(have.Width, want.Width)
	return Ref{Buf: at, Width: want.Width}
}

// part is width columns of r from at.
func (r Ref) part(at, width int) Ref { return Ref{Buf: r.Buf, At: r.At + at, Width: width} }

// int reads a key of the architecture that must be there.
func (b *builder) int(key string) int {
	v, ok := b.f.Int(b.key(key))
	b.check(ok, "the key %s.%s is missing", b.arch, key)
	return b.size(key, v)
}

func (b *builder) intOr(key string, other int) int {
	if v, ok := b.f.Int(b.key(key)); ok {
		return b.size(key, v)
	}
	return other
}

// size refuses what no size of a model can be, so that products of sizes stay numbers.
func (b *builder) size(key string, v int64) int {
	const most = 1 << 28
	if v < 0 || v > most {
		b.fail("%s.%s is %d; wanted 0 to %d", b.arch, key, v, most)
		return 0
	}
	return int(v)
}

func (b *builder) floatOr(key string, other float32) float32 {
	if v, ok := b.f.Float(b.key(key)); ok {
		return float32(v)
	}
	return other
}

// scale reads a factor; files write 0 for none.
func (b *builder) scale(key string) float32 {
	if v := b.floatOr(key, 1); v != 0 {
		return v
	}
	return 1
}

func (b *builder) flag(key string, other bool) bool {
	if v, ok := b.f.Bool(b.key(key)); ok {
		return v
	}
	return other
}

// layerInts reads a key that has one number for all layers or one for each.
func (b *builder) layerInts(key string, other int) []int {
	n := max(1, b.p.Spec.Layers)
	each, ok := b.f.Ints(b.key(key))
	if !ok {
		return slices.Repeat([]int{b.intOr(key, other)}, n)
	}
	b.check(len(each) == n, "%s.%s has %d numbers for %d layers", b.arch, key, len(each), n)
	out := make([]int, n)
	for i := range min(n, len(each)) {
		out[i] = b.size(key, each[i])
	}
	return out
}

// finish checks what only a mistake in a family could get wrong.
func (b *builder) finish() {
	for i, op := range b.p.Ops {
		for _, r := range append(op.Reads(nil), op.Writes(nil)...) {
			if r.Width <= 0 || r.At < 0 || r.At+r.Width > b.p.Buffers[r.Buf].Width {
				panic(fmt.Sprintf("model: %s: operation %d (%T) refers to columns %d..%d of %s, which has %d",
					b.arch, i, op, r.At, r.At+r.Width, b.p.Buffers[r.Buf].Name, b.p.Buffers[r.Buf].Width))
			}
		}
	}
}
