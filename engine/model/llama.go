package model

// llama is Llama 2 and 3, Mistral and the many models of their shape: norm,
// attention, norm, gated feed-forward. Rotary pairs are neighbours; Llama 3 divides
// their frequencies by rope_freqs.weight. With experts it is Mixtral.
func llama(b *builder) {
	a := b.windowed(b.attention())
	a.rope = b.rotary(rotary{interleaved: true})
	b.plain(func(int) attention { return a })
}

// plain is the model that most families are: plain layers between embeddings and head.
func (b *builder) plain(how func(layer int) attention) {
	x := b.embed(1)
	b.plainLayers(&x, b.softmaxed(), "ffn_norm", how)
	b.head(x)
}

// plainLayers lists layers of norm, attention, norm and feed-forward on x, which becomes
// the wanted rows; ffnNorm names the second norm, how says how a layer attends.
func (b *builder) plainLayers(x *Ref, f *feedForward, ffnNorm string, how func(layer int) attention) {
	for i := range b.layers() {
		att := b.attend(i, b.norm(*x, layerName(i, "attn_norm.weight")), how(i))
		b.wanted(i, x, &att)
		b.add(*x, b.output(i, att))
		f.add(b, i, *x, b.norm(*x, layerName(i, ffnNorm+".weight")))
	}
}

// smollm3 is llama with no rotary positions in every fourth layer.
func smollm3(b *builder) {
	a := b.attention()
	rope := b.rotary(rotary{interleaved: true})
	b.plain(func(layer int) attention {
		a.rope = rope
		if layer%4 == 3 {
			a.rope = nil
		}
		return a
	})
}

// mistral3 is llama with YaRN and scores that sharpen with every original context's
// length of positions.
func mistral3(b *builder) {
	a := b.windowed(b.attention())
	a.rope = b.rotary(rotary{interleaved: true})
	a.sharpen = b.floatOr("attention.temperature_scale", 0)
	if a.sharpen != 0 {
		a.sharpenEvery = b.intOr("attention.temperature_length", b.int("rope.scaling.original_context_length"))
		b.check(a.sharpenEvery > 0, "scores sharpen every %d positions", a.sharpenEvery)
	}
	b.plain(func(int) attention { return a })
}
