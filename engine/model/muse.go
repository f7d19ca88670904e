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
	slides := b.slides(4)
	b.sandwich(x, func(layer int) attention {
		if slides(layer) {
			return near
		}
		return full
	}, ActSiLU, musePostEps)
}
