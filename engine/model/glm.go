package model

// glm4 turns part of a head, in neighbouring pairs, and norms around attention and
// feed-forward.
func glm4(b *builder) {
	a := b.attention()
	a.rope = b.rotary(rotary{interleaved: true})
	b.sandwich(b.embed(1), func(int) attention { return a }, ActSiLU, b.p.Spec.Eps)
}

// glm4moe turns part of a head, in halves, and has experts chosen by biased sigmoids
// beside a shared one in all but the first layers.
func glm4moe(b *builder) {
	a := b.attention()
	a.rope = b.rotary(rotary{})
	x := b.embed(1)
	b.plainLayers(&x, b.mixed(RouteSigmoid), "post_attention_norm", func(int) attention { return a })
	b.head(x)
}
