package model

// olmo2 norms q and k as wholes, and what attention and feed-forward give; nothing before
// them. Olmo 3 slides in three layers of four, where positions are not scaled.
func olmo2(b *builder) {
	full := b.attention()
	full.wholeNorms = true
	full.rope = b.rotary(rotary{})
	if b.intOr("attention.sliding_window", 0) == 0 {
		b.postNormed(func(int) attention { return full })
		return
	}
	near := full
	near.window = b.window()
	near.rope = b.rotary(rotary{base: b.floatOr("rope.freq_base_swa", 0), unscaled: true})
	b.postNormed(b.sliding(near, full, b.slides(4)))
}

// exaone4 norms heads of q and k. The large one, known by its layers, slides in three of
// four, and its other layers have no rotary positions.
func exaone4(b *builder) {
	const large, window = 64, 4096
	near := b.attention()
	near.rope = b.rotary(rotary{})
	if b.p.Spec.Layers != large {
		b.postNormed(func(int) attention { return near })
		return
	}
	full := near
	full.rope = nil
	near.window = b.intOr("attention.sliding_window", window)
	b.postNormed(b.sliding(near, full, b.slides(4)))
}

// postNormed lists layers without norms before attention and feed-forward, but after
// them.
func (b *builder) postNormed(how func(layer int) attention) {
	x := b.embed(1)
	for i := range b.layers() {
		att := b.attend(i, x, how(i))
		b.wanted(i, &x, &att)
		y := b.output(i, att)
		b.normInPlace(y, 1, layerName(i, "post_attention_norm.weight"), b.p.Spec.Eps)
		b.add(x, y)
		y = b.gated(i, x, ActSiLU)
		b.normInPlace(y, 1, layerName(i, "post_ffw_norm.weight"), b.p.Spec.Eps)
		b.add(x, y)
	}
	b.head(x)
}
