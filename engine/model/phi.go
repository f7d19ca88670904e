package model

// phi3 is Phi 3 and 4: joined matrices, of which the plain parts know, partial rotation,
// and, for long contexts, other divisors of the rotary frequencies than for short
// ones.
func phi3(b *builder) {
	a := b.windowed(b.attention())
	const short, long = "rope_factors_short.weight", "rope_factors_long.weight"
	r := rotary{factors: short}
	if b.has(short) && b.has(long) {
		turned := b.intOr("rope.dimension_count", a.keyDim)
		b.vector(short, turned/2)
		b.vector(long, turned/2)
		original := b.int("rope.scaling.original_context_length")
		if b.context > original {
			r.factors = long
		} else if b.err == nil {
			b.p.Spec.Context = min(b.p.Spec.Context, original)
		}
	}
	a.rope = b.rotary(r)
	b.plain(func(int) attention { return a })
}
