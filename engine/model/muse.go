package model

// musePostEps is the epsilon of norms after attention and feed-forward; files do not
// have it.
const musePostEps = 1e-8

// museGlimmer norms the embeddings, has rotary positions in sliding layers only, and
// multiplies what was attended by a sigmoid gate.
func museGlimmer(b *builder) {
	x := b.embed(1)
	b.normInPlace(x, 1, "", b.p.Spec.Eps)
	full := b.attention()
	near := full
	near.rope = b.rotary(rotary{interleaved: true})
	near.window = b.window()
	b.sandwich(x, b.sliding(near, full, b.slides(4)), ActSiLU, musePostEps)
}
