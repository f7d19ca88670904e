package model

// glm4 turns part of a head, in neighbouring pairs, and norms around attention and
// feed-forward.
func glm4(b *builder) {
	a := b.attention()
	a.rope = b.rotary(rotary{interleaved: true})
	b.sandwich(b.embed(1), func(int) attention { return a }, ActSiLU, b.p.Spec.Eps)
}
