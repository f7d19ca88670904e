package model

// granite is llama with scales: of embeddings, of what layers add, of scores and of
// logits, which are divided. A file can switch its rotary positions off. With experts a
// shared one stands beside them.
func granite(b *builder) {
	a := b.attention()
	if by := b.floatOr("attention.scale", 0); by != 0 {
		a.scale = by
	}
	if b.flag("rope.scaling.finetuned", true) {
		a.rope = b.rotary(rotary{interleaved: true})
	}
	b.residual = b.scale("residual_scale")
	x := b.embed(b.scale("embedding_scale"))
	b.plainLayers(&x, b.softmaxed(), "ffn_norm", func(int) attention { return a })
	b.vocabulary(b.norm(x, "output_norm.weight"), 1/b.scale("logit_scale"))
}
