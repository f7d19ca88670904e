package model

import (
	"fmt"
	"math"
)

func sqrt(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// rotary says how a family turns its heads; zero fields take the file's keys.
type rotary struct {
	interleaved bool
	dim         int // the head's width
	turned      int // how much of it turns
	base        float32
	// factors is a tensor of divisors of the frequencies, which a file may have or
	// not; rope_freqs.weight unless named.
	factors string
	// unscaled leaves the file's divisors and scaling to other layers.
	unscaled bool
	// latent says that scores take what YaRN would lengthen; see yarnMagnitude.
	latent bool
}

// rotary makes a table of frequencies.
func (b *builder) rotary(r rotary) *Rotary {
	s := &b.p.Spec
	if r.dim == 0 {
		r.dim = s.KeyDim
	}
	if r.turned == 0 {
		r.turned = b.intOr("rope.dimension_count", r.dim)
	}
	if r.base == 0 {
		r.base = b.floatOr("rope.freq_base", 10000)
	}
	if r.factors == "" {
		r.factors = "rope_freqs.weight"
	}
	b.check(r.turned > 0 && r.turned%2 == 0 && r.turned <= r.dim && r.base > 0,
		"cannot turn %d of a head's %d values by base %g", r.turned, r.dim, r.base)
	if b.err != nil {
		return &Rotary{Magnitude: 1}
	}
	freqs := make([]float64, r.turned/2)
	t := &Rotary{Freqs: freqs, Magnitude: 1, Interleaved: r.interleaved, Dim: r.dim}
	t.Label = fmt.Sprintf("%d of %d, base %g", r.turned, r.dim, r.base)
	for i := range freqs {
		freqs[i] = math.Pow(float64(r.base), -2*float64(i)/float64(r.turned))
	}
	if !r.unscaled {
		b.divideRotary(t, r.factors)
		b.scaleRotary(t, r)
	}
	return t
}

// divideRotary applies divisors, where the file has them.
func (b *builder) divideRotary(t *Rotary, name string) {
	if !b.has(name) {
		return
	}
	t.Label += ", " + name
	for i, by := range b.vector(name, len(t.Freqs)).Values {
		t.Freqs[i] /= float64(by)
	}
}

// scaleRotary applies the file's rope.scaling keys.
func (b *builder) scaleRotary(t *Rotary, r rotary) {
	kind, _ := b.f.String(b.key("rope.scaling.type"))
	factor := float64(b.floatOr("rope.scaling.factor", b.floatOr("rope.scale_linear", 1)))
	t.Magnitude = b.floatOr("rope.scaling.attn_factor", 1)
	if kind == "" && factor != 1 {
		kind = "linear"
	}
	b.check(factor > 0, "the rotary scaling factor is %g", factor)
	blend := b.floatOr("rope.scaling.yarn_ext_factor", -1)
	if blend < 0 && kind == "yarn" {
		blend = 1
	}
	b.check(kind == "yarn" || blend <= 0, "rope.scaling.yarn_ext_factor %g is not supported beside rotary scaling %q", blend, kind)
	if blend <= 0 {
		t.Magnitude *= b.floatOr("rope.scaling.yarn_attn_factor", 1)
	}
	switch kind {
	case "", "none", "longrope":
		b.check(kind != "longrope" || factor == 1, "rotary scaling longrope by a factor, %g, is not supported", factor)
		return
	case "linear":
		for i := range t.Freqs {
			t.Freqs[i] /= factor
		}
	case "yarn":
		b.yarn(t, factor, float64(blend), r)
	default:
		b.fail("rotary scaling %q is not supported; none, linear, yarn and longrope are", kind)
	}
	t.Label += fmt.Sprintf(", %s %g", kind, factor)
}

// sections checks what a file that reads pictures too says of its pairs: that every one goes
// by its place in time, row or column, in turns, which are one position in a text. What is
// left over goes by a fourth place that a text has none of.
func (b *builder) sections(pairs int) {
	list, ok := b.f.Ints(b.key("rope.dimension_sections"))
	if !ok {
		return
	}
	all := int64(0)
	for _, n := range list {
		all += max(0, n)
	}
	b.check(len(list) >= 3 && all > 0, "rope.dimension_sections are %v; wanted three or four numbers", list)
	for i := int64(0); i < int64(pairs) && b.err == nil; i++ {
		at := i % all
		b.check(at/3 < list[at%3], "rope.dimension_sections are %v: pair %d goes by none of the first three, which is not supported", list, i)
	}
}

// yarn divides slow pairs by the factor, leaves fast ones, and blends between: a pair is
// fast if it turns beta_fast times within the original context, slow below beta_slow.
// blend is how much of what is fast is left so, 0 for none of it and no sharper scores.
func (b *builder) yarn(t *Rotary, factor, blend float64, r rotary) {
	original := float64(b.intOr("rope.scaling.original_context_length", b.p.Spec.Context))
	n := float64(r.turned)
	pair := func(turns float32) float64 {
		return n * math.Log(original/(float64(turns)*2*math.Pi)) / (2 * math.Log(float64(r.base)))
	}
	low := max(0, math.Floor(pair(b.floatOr("rope.scaling.yarn_beta_fast", 32))))
	high := min(n-1, math.Ceil(pair(b.floatOr("rope.scaling.yarn_beta_slow", 1))))
	for i, f := range t.Freqs {
		fast := blend * (1 - min(1, max(0, (float64(i)-low)/max(0.001, high-low))))
		t.Freqs[i] = f/factor*(1-fast) + f*fast
	}
	b.check(blend == 1 || !r.latent, "rope.scaling.yarn_ext_factor %g is not supported beside latent attention", blend)
	if blend <= 0 {
		return
	}
	by := yarnMagnitude(factor, float64(b.floatOr("rope.scaling.yarn_log_multiplier", 0)), r.latent)
	// Files write a factor to multiply by here, or the magnitude itself.
	given := float64(b.floatOr("rope.scaling.yarn_attn_factor", 1))
	b.check(given == 1 || math.Abs(given/by-1) < 1e-3, "rope.scaling.yarn_attn_factor is %g; 1 and the usual %g are supported", given, by)
	t.Magnitude *= float32(by)
}

// yarnMagnitude is by how much YaRN lengthens what it turns, less what by says is in the
// scores already; with latent attention that is all of it.
func yarnMagnitude(factor, by float64, latent bool) float64 {
	if factor <= 1 || latent && by != 0 {
		return 1
	}
	return (1 + 0.1*math.Log(factor)) / (1 + 0.1*by*math.Log(factor))
}
