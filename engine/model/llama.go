package model

// llama is Llama 2 and 3, Mistral and the many models of their shape: norm,
// attention, norm, gated feed-forward. Rotary pairs are interleaved; Llama 3 divides
// their frequencies by rope_freqs.weight. With experts it is Mixtral.
func llama(b *builder) {
	a := b.attention()
	a.rope = b.rotary(rotary{interleaved: true})
	b.plain(func(int) attention { return a }, Route{Rule: RouteSoftmax, Normalize: true, Scale: 1})
}

// plain lists the block that most families share; attend says how a layer attends,
// route how a layer with experts chooses among them.
func (b *builder) plain(attend func(layer int) attention, route Route) {
	x := b.embed(1)
	for i := range b.layers() {
		h := b.norm(x, layerName(i, "attn_norm.weight"))
		a := attend(i)
		q, k, v := b.project(i, h, a)
		att := b.attend(q, k, v, a)
		b.wanted(i, &x, &att)
		b.add(x, b.output(i, att))
		h = b.norm(x, layerName(i, "ffn_norm.weight"))
		if b.p.Spec.Experts > 0 {
			b.add(x, b.experts(i, h, ActSiLU, route))
		} else {
			b.add(x, b.gated(i, h, ActSiLU))
		}
	}
	b.head(x)
}
