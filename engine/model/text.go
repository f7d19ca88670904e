package model

import (
	"fmt"
	"strings"
)

// String prints the architecture: sizes, buffers, caches and every operation. Layers
// that differ in nothing but the names of their weights are printed once.
func (p *Program) String() string {
	var t strings.Builder
	s := &p.Spec
	fmt.Fprintf(&t, "%s: %d layers of width %d, %d heads over %d of %d, feed-forward %d", s.Arch, s.Layers, s.Width, s.Heads, s.KVHeads, s.KeyDim, s.Hidden)
	if s.Experts > 0 {
		fmt.Fprintf(&t, ", %d of %d experts", s.ExpertsUsed, s.Experts)
	}
	fmt.Fprintf(&t, ", vocabulary %d, context %d\n", s.Vocab, s.Context)
	t.WriteString("buffers:")
	for _, b := range p.Buffers {
		fmt.Fprintf(&t, " %s[%d]", b.Name, b.Width)
	}
	t.WriteString("\n")
	starts := p.Layers
	if len(starts) == 0 {
		starts = []int{len(p.Ops)}
	}
	p.print(&t, 0, starts[0], "")
	for first := 0; first+1 < len(starts); {
		last := first
		text := p.layerText(first)
		for last+2 < len(starts) && p.layerText(last+1) == text {
			last++
		}
		if first == last {
			fmt.Fprintf(&t, "layer %d:\n", first)
		} else {
			fmt.Fprintf(&t, "layers %d to %d:\n", first, last)
		}
		t.WriteString(text)
		first = last + 1
	}
	p.print(&t, starts[len(starts)-1], len(p.Ops), "")
	return t.String()
}

// layerText prints a layer with * for its number.
func (p *Program) layerText(layer int) string {
	var t strings.Builder
	p.print(&t, p.Layers[layer], p.Layers[layer+1], "  ")
	return strings.ReplaceAll(t.String(), fmt.Sprintf("blk.%d.", layer), "blk.*.")
}

func (p *Program) print(t *strings.Builder, from, to int, indent string) {
	for i := from; i < to; i++ {
		fmt.Fprintf(t, "%s%s\n", indent, p.opText(i))
	}
}

// ref prints a reference: the buffer's name, and the columns where they are not all.
func (p *Program) ref(r Ref) string {
	b := p.Buffers[r.Buf]
	if r.At == 0 && r.Width == b.Width {
		return b.Name
	}
	return fmt.Sprintf("%s[%d:%d]", b.Name, r.At, r.At+r.Width)
}

func (p *Program) refs(refs []Ref) string {
	var names []string
	for _, r := range refs {
		names = append(names, p.ref(r))
	}
	return strings.Join(names, ", ")
}

// opText prints one operation.
func (p *Program) opText(at int) string {
	switch o := p.Ops[at].(type) {
	case *Embed:
		by := "token"
		if o.ByPosition {
			by = "position"
		}
		return fmt.Sprintf("%s = row of %s by %s%s", p.ref(o.Out), o.Table, by, times(o.Scale))
	case *Norm:
		return fmt.Sprintf("%s = %s", p.ref(o.Out), p.normText(o))
	case *MatMul:
		return fmt.Sprintf("%s = %s · %s%s", p.ref(o.Out), o.W, p.ref(o.In), plus(o.Bias))
	case *Rope:
		return fmt.Sprintf("%s turned: %d heads, %s", p.ref(o.X), o.Heads, o.Table)
	case *Sharpen:
		return fmt.Sprintf("%s *= 1 + %g log(1 + position/%d)", p.ref(o.X), o.By, o.Every)
	case *Store:
		return fmt.Sprintf("store %s, %s in %s", p.ref(o.K), p.ref(o.V), p.cacheText(o.Cache, at))
	case *Attend:
		return fmt.Sprintf("%s = attention of %s%s", p.ref(o.Out), p.ref(o.Q), p.attendText(o, at))
	case *Add:
		return fmt.Sprintf("%s = %s + %s", p.ref(o.Out), p.ref(o.A), p.ref(o.B))
	case *Scale:
		return fmt.Sprintf("%s = %s%s", p.ref(o.Out), p.ref(o.In), times(o.By))
	case *SoftCap:
		return fmt.Sprintf("%s = %g tanh(%s/%g)", p.ref(o.X), o.Cap, p.ref(o.X), o.Cap)
	case *Activate:
		return fmt.Sprintf("%s = %s(%s)", p.ref(o.Out), o.Act, p.ref(o.In))
	case *Gate:
		return fmt.Sprintf("%s = %s(%s) * %s", p.ref(o.Out), o.Act, p.ref(o.Gate), p.ref(o.Up))
	case *Select:
		return fmt.Sprintf("%s = wanted rows of %s", p.ref(o.Out), p.ref(o.In))
	case *Route:
		return fmt.Sprintf("%s, %s = %d best of %s, %s", p.ref(o.IDs), p.ref(o.Weights), o.Used, p.ref(o.Scores), o.text())
	case *Experts:
		return fmt.Sprintf("%s = experts %s of %s by %s: %s, %s, %s", p.ref(o.Out), p.ref(o.IDs), p.ref(o.In), p.ref(o.Weights), o.Gate, o.Up, o.Down)
	case *Give:
		return "give " + p.refs(o.Refs)
	case *Take:
		return "take " + p.refs(o.Refs)
	case *Conv:
		return fmt.Sprintf("%s = %s(convolution of %s, %d taps, %s)", p.ref(o.Out), o.Act, p.ref(o.In), o.Taps, o.Weight.Name)
	case *DeltaNet:
		return fmt.Sprintf("%s = gated delta rule of %s, %s, %s by %s, %s: %d heads over %d of %d", p.ref(o.Out),
			p.ref(o.Q), p.ref(o.K), p.ref(o.V), p.ref(o.Alpha), p.ref(o.Beta), o.ValueHeads, o.KeyHeads, o.KeyDim)
	}
	panic(fmt.Sprintf("model: no text for %T", p.Ops[at]))
}

func (p *Program) normText(o *Norm) string {
	kind := "norm"
	if o.Center {
		kind = "layer norm"
	}
	parts := ""
	if o.Parts > 1 {
		parts = fmt.Sprintf(" in %d parts", o.Parts)
	}
	weight := ""
	if o.Weight != nil {
		weight = " * " + o.Weight.Name
	}
	return fmt.Sprintf("%s of %s%s%s%s, epsilon %g", kind, p.ref(o.In), parts, weight, plus(o.Bias), o.Eps)
}

func (p *Program) attendText(o *Attend, at int) string {
	c := p.Caches[o.Cache]
	t := fmt.Sprintf(" to %s: %d heads over %d of %d and %d, scale %g", p.cacheText(o.Cache, at), o.Heads, c.KVHeads, c.KeyDim, c.ValueDim, o.Scale)
	if o.SoftCap != 0 {
		t += fmt.Sprintf(", capped at %g", o.SoftCap)
	}
	if o.Window != 0 {
		t += fmt.Sprintf(", window %d", o.Window)
	}
	if o.Sinks != nil {
		t += ", sinks " + o.Sinks.Name
	}
	return t
}

// cacheText names a cache, that of the same layer by that word, so that layers print alike.
func (p *Program) cacheText(cache, at int) string {
	for layer := range max(0, len(p.Layers)-1) {
		for i := p.Layers[layer]; i < p.Layers[layer+1]; i++ {
			if s, ok := p.Ops[i].(*Store); ok && s.Cache == cache {
				if at >= p.Layers[layer] && at < p.Layers[layer+1] {
					return "the layer's cache"
				}
				return fmt.Sprintf("the cache of layer %d", layer)
			}
		}
	}
	return fmt.Sprintf("cache %d", cache)
}

func (m *Matrix) String() string {
	t := fmt.Sprintf("%s[%dx%d %s]", m.Tensor.Name, m.Rows, m.K, m.Tensor.Type)
	if m.Experts > 1 {
		t = fmt.Sprintf("%s[%dx%dx%d %s]", m.Tensor.Name, m.Experts, m.Rows, m.K, m.Tensor.Type)
	}
	if s := m.Spans[0]; len(m.Spans) > 1 || s.First != 0 {
		t += fmt.Sprintf(" from row %d", s.First)
	}
	return t
}

func (r *Rotary) String() string {
	pairs := "halves"
	if r.Interleaved {
		pairs = "neighbours"
	}
	return r.Label + ", " + pairs
}

func (o *Route) text() string {
	t := [...]string{RouteSoftmax: "softmax of all", RouteChosen: "softmax of the chosen", RouteSigmoid: "sigmoid"}[o.Rule]
	if o.Bias != nil {
		t += ", chosen with " + o.Bias.Name
	}
	if o.Groups > 1 {
		t += fmt.Sprintf(", in %d of %d groups", o.GroupsUsed, o.Groups)
	}
	if o.Normalize {
		t += ", normalized"
	}
	return t + times(o.Scale)
}

func (a Activation) String() string {
	return [...]string{ActSiLU: "silu", ActGELU: "gelu", ActSigmoid: "sigmoid", ActSwiGLUClamped: "clamped swiglu",
		ActReLUSquared: "squared relu", ActNone: "plain"}[a]
}

func times(by float32) string {
	if by == 1 {
		return ""
	}
	return fmt.Sprintf(" * %g", by)
}

func plus(v *Vector) string {
	if v == nil {
		return ""
	}
	return " + " + v.Name
}
