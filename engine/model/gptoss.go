package model

// gptOSS has biases everywhere, sinks in the attention, a window in every other layer
// from the first, and experts weighed by a softmax over those chosen.
func gptOSS(b *builder) {
	b.check(b.p.Spec.Experts > 0, "has no experts")
	a := b.attention()
	a.rope = b.rotary(rotary{})
	window, slides := b.window(), b.slides(2)
	x := b.embed(1)
	for i := range b.layers() {
		a.sinks = b.vector(layerName(i, "attn_sinks.weight"), a.heads)
		a.window = 0
		if slides(i) {
			a.window = window
		}
		att := b.attend(i, b.norm(x, layerName(i, "attn_norm.weight")), a)
		b.wanted(i, &x, &att)
		b.add(x, b.output(i, att))
		h := b.norm(x, layerName(i, "post_attention_norm.weight"))
		y := b.buffer("y", x.Width)
		b.experts(i, y, h, ActSwiGLUClamped, b.route(i, h, Route{Rule: RouteChosen, Scale: 1}))
		b.add(x, y)
	}
	b.head(x)
}
