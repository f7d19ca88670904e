package model

import "fmt"

// Placement says what of a program a device runs; its host runs the rest.
type Placement struct {
	// Layers is how many layers the device runs: the last ones. What follows them goes
	// with them, and what comes before the first layer goes with that one.
	Layers int
	// HostExperts is how many of the device's layers leave it to the host to choose experts
	// and to multiply by them: the first that have experts.
	HostExperts int
}

// MayPlace lists how many layers a device may run, the fewest first: none of them attends
// to keys and values that a layer of the host stores.
func (p *Program) MayPlace() []int {
	var counts []int
	for layer := p.Spec.Layers - 1; layer >= 0; layer-- {
		stored, attended := 0, len(p.Caches)
		for i, op := range p.Ops {
			switch op := op.(type) {
			case *Store:
				if i < p.Layers[layer] {
					stored++
				}
			case *Attend:
				if i >= p.Layers[layer] {
					attended = min(attended, op.Cache)
				}
			}
		}
		if attended >= stored { // caches are numbered in the order of their stores
			counts = append(counts, p.Spec.Layers-layer)
		}
	}
	return counts
}

// MostHostExperts is how many of the last layers may leave their experts to the host.
func (p *Program) MostHostExperts(layers int) int { return len(p.banks(layers)) }

// banks are the operations of each of the last layers from the choice of its experts to
// their products. The very last layer has none: it works on the wanted rows.
func (p *Program) banks(layers int) []Span {
	var banks []Span
	route := 0
	for i := p.Layers[p.Spec.Layers-layers]; i < p.Layers[p.Spec.Layers-1]; i++ {
		switch p.Ops[i].(type) {
		case *Route:
			route = i
		case *Experts:
			banks = append(banks, Span{route, i + 1 - route})
		}
	}
	return banks
}

// side is one of a program's halves, a bit.
type side uint8

const (
	onDevice side = 1 << iota
	onHost
)

// sides says where each operation runs.
func (p *Program) sides(at Placement) []side {
	where := make([]side, len(p.Ops))
	for i := range where {
		where[i] = onDevice
		if at.Layers < p.Spec.Layers && i < p.Layers[p.Spec.Layers-at.Layers] {
			where[i] = onHost
		}
	}
	for _, bank := range p.banks(at.Layers)[:at.HostExperts] {
		for i := range bank.Count {
			where[bank.First+i] = onHost
		}
	}
	return where
}

// Split divides a program in two that run in turns: where the side changes, one half gives
// and the other takes the values that it needs and does not have. Each half is a program
// by itself, with the buffers' numbers and of the weights, caches, states and columns only
// what its own operations use. What begins with a Take runs second. Cells and slots are the
// same in both, and what is done to the wanted rows is the device's.
func (p *Program) Split(at Placement) (device, host *Program) {
	halves := map[side]*portion{onDevice: newPortion(p), onHost: newPortion(p)}
	have := columns{}
	for _, b := range p.Buffers {
		have = append(have, make([]side, b.Width))
	}
	where := p.sides(at)
	var give *Give
	var take *Take
	for i, op := range p.Ops {
		here := where[i]
		if i > 0 && here != where[i-1] {
			give, take = &Give{}, &Take{}
			halves[where[i-1]].add(give)
			halves[here].add(take)
		}
		for _, r := range op.Reads(nil) {
			for _, missing := range have.fetch(r, here) {
				if b := p.Buffers[r.Buf]; b.Outputs || b.Ints {
					panic(fmt.Sprintf("model: %s cannot be handed over", b.Name))
				}
				take.Refs = joined(take.Refs, missing)
				give.Refs = take.Refs
			}
		}
		halves[here].add(op)
		for _, w := range op.Writes(nil) {
			have.set(w, here)
		}
	}
	return &halves[onDevice].Program, &halves[onHost].Program
}

// joined appends columns, to the last ones where they follow those.
func joined(refs []Ref, r Ref) []Ref {
	if n := len(refs); n > 0 && refs[n-1].Buf == r.Buf && refs[n-1].At+refs[n-1].Width == r.At {
		refs[n-1].Width += r.Width
		return refs
	}
	return append(refs, r)
}

// columns says for each column of each buffer which halves have its value.
type columns [][]side

func (c columns) set(r Ref, where side) {
	for i := range r.Width {
		c[r.Buf][r.At+i] = where
	}
}

// fetch returns those columns of r that only the other half has; now both have them.
func (c columns) fetch(r Ref, here side) []Ref {
	var missing []Ref
	for at := r.At; at < r.At+r.Width; at++ {
		if has := c[r.Buf][at]; has != 0 && has&here == 0 {
			c[r.Buf][at] |= here
			missing = joined(missing, Ref{Buf: r.Buf, At: at, Width: 1})
		}
	}
	return missing
}

// portion collects the program of a half.
type portion struct {
	Program
	whole          *Program
	caches, states map[int]int // the half's numbers by the whole program's
}

func newPortion(whole *Program) *portion {
	h := &portion{whole: whole, caches: map[int]int{}, states: map[int]int{},
		Program: Program{Spec: whole.Spec, File: whole.File, Logits: whole.Logits, used: map[string]bool{}}}
	for _, b := range whole.Buffers {
		b.Width = 0
		h.Buffers = append(h.Buffers, b)
	}
	return h
}

func (h *portion) add(op Op) {
	for _, r := range op.Reads(op.Writes(nil)) {
		h.Buffers[r.Buf] = h.whole.Buffers[r.Buf]
	}
	for _, m := range op.Matrices(nil) {
		h.used[m.Tensor.Name] = true
	}
	switch o := op.(type) {
	case *Store:
		own := *o
		own.Cache = number(h.caches, o.Cache, &h.Caches, h.whole.Caches)
		op = &own
	case *Attend:
		own := *o
		own.Cache = number(h.caches, o.Cache, &h.Caches, h.whole.Caches)
		op = &own
	case *Conv:
		own := *o
		own.State = number(h.states, o.State, &h.States, h.whole.States)
		op = &own
	case *DeltaNet:
		own := *o
		own.State = number(h.states, o.State, &h.States, h.whole.States)
		op = &own
	}
	h.Ops = append(h.Ops, op)
}

// number is what a half calls one of the whole program's things, which it takes over when
// it is first asked for.
func number[T any](numbers map[int]int, n int, own *[]T, whole []T) int {
	at, known := numbers[n]
	if !known {
		at = len(*own)
		numbers[n] = at
		*own = append(*own, whole[n])
	}
	return at
}
