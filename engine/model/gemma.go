package model

// sandwich lists layers that norm what attention and feed-forward give before they
// add it, with an epsilon of its own.
func (b *builder) sandwich(x Ref, how func(layer int) attention, act Activation, postEps float32) {
	for i := range b.layers() {
		h := b.norm(x, layerName(i, "attn_norm.weight"))
		att := b.attend(i, h, how(i))
		if name := layerName(i, "attn_gate"); b.has(name + ".weight") {
			g := b.buffer("gate", att.Width)
			b.matMul(g, h, name)
			b.op(&Gate{Out: att, Gate: g, Up: att, Act: ActSigmoid})
		}
		b.wanted(i, &x, &att)
		y := b.output(i, att)
		b.normInPlace(y, 1, layerName(i, "post_attention_norm.weight"), postEps)
		b.add(x, y)
		y = b.gated(i, b.norm(x, layerName(i, "ffn_norm.weight")), act)
		b.normInPlace(y, 1, layerName(i, "post_ffw_norm.weight"), postEps)
		b.add(x, y)
	}
	b.head(x)
}

// gemma2 slides in every other layer, from the first, and caps scores and logits.
func gemma2(b *builder) {
	a := b.attention()
	a.rope = b.rotary(rotary{})
	a.softCap = b.floatOr("attn_logit_softcapping", 50)
	if b.p.Spec.Layers == gemma2Large {
		a.scale = 1 / sqrt(float32(b.p.Spec.Width/b.p.Spec.Heads))
	}
	b.gemma(a, a, b.slides(2))
}

// The largest of gemma2 and of gemma3 divide scores by the root of width over heads; files
// do not say so, except by how many layers there are.
const gemma2Large, gemma3Large = 46, 62

// gemma3 slides in five layers of six, with rotary positions of their own, and norms
// q and k.
func gemma3(b *builder) {
	a := b.attention()
	a.rope = b.rotary(rotary{})
	if b.p.Spec.Layers == gemma3Large {
		a.scale = 1 / sqrt(float32(b.p.Spec.Width/b.p.Spec.Heads))
	}
	near := a
	near.rope = b.rotary(rotary{base: b.floatOr("rope.freq_base_swa", 10000), unscaled: true})
	b.gemma(a, near, b.slides(6))
}

func (b *builder) gemma(full, near attention, slides func(layer int) bool) {
	near.window = b.window()
	b.sandwich(b.embed(sqrt(float32(b.p.Spec.Width))), b.sliding(near, full, slides), ActGELU, b.p.Spec.Eps)
}
