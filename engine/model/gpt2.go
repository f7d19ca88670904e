package model

// gpt2 adds learned positions to the embeddings.
func gpt2(b *builder) {
	x := b.embed(1)
	at := b.buffer("y", x.Width)
	b.op(&Embed{Out: at, Table: b.matrix("position_embd.weight", x.Width, b.p.Spec.Context), Scale: 1, ByPosition: true})
	b.add(x, at)
	b.ungated(x, b.attention(), ActGELU)
}

// nemotron turns part of a head, in halves, and squares what its feed-forward lets pass.
func nemotron(b *builder) {
	a := b.attention()
	a.rope = b.rotary(rotary{})
	b.ungated(b.embed(1), a, ActReLUSquared)
}

// ungated lists layers with norms by mean and deviation and a feed-forward without a gate,
// and the head; everything may have biases.
func (b *builder) ungated(x Ref, a attention, act Activation) {
	for i := range b.layers() {
		att := b.attend(i, b.layerNorm(x, layerName(i, "attn_norm")), a)
		b.wanted(i, &x, &att)
		b.add(x, b.output(i, att))
		h := b.layerNorm(x, layerName(i, "ffn_norm"))
		up := b.buffer("up", b.p.Spec.Hidden)
		b.matMul(up, h, layerName(i, "ffn_up"))
		b.op(&Activate{Out: up, In: up, Act: act})
		y := b.buffer("y", x.Width)
		b.matMul(y, up, layerName(i, "ffn_down"))
		b.add(x, y)
	}
	b.vocabulary(b.layerNorm(x, "output_norm"), 1)
}

func (b *builder) layerNorm(x Ref, name string) Ref {
	h := b.buffer("h", x.Width)
	b.op(&Norm{Out: h, In: x, Parts: 1, Center: true, Eps: b.p.Spec.Eps,
		Weight: b.vector(name+".weight", x.Width), Bias: b.vector(name+".bias", x.Width)})
	return h
}
