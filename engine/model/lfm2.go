package model

// lfm2 has a short convolution between two gates in most layers, and attention with norms
// of heads in those that the file gives key heads. With experts they follow the first,
// dense layers.
func lfm2(b *builder) {
	s := &b.p.Spec
	f := &feedForward{dense: s.Layers, hidden: b.layerInts("feed_forward_length", 0)}
	if s.Experts > 0 {
		f = b.mixed(RouteSigmoid)
		f.how.Normalize = true
	}
	a := b.windowed(b.attention())
	a.rope = b.rotary(rotary{})
	kvHeads := b.layerInts("attention.head_count_kv", s.Heads)
	x := b.embed(1)
	for i := range b.layers() {
		h := b.norm(x, layerName(i, "attn_norm.weight"))
		var y Ref
		if a.kvHeads = kvHeads[i]; a.kvHeads > 0 {
			att := b.attend(i, h, a)
			b.wanted(i, &x, &att)
			y = b.output(i, att)
		} else {
			mixed := b.shortConv(i, h)
			b.wanted(i, &x, &mixed)
			y = b.buffer("y", x.Width)
			b.matMul(y, mixed, layerName(i, "shortconv.out_proj"))
		}
		b.add(x, y)
		f.add(b, i, x, b.norm(x, layerName(i, "ffn_norm.weight")))
	}
	b.vocabulary(b.norm(x, "token_embd_norm.weight"), 1)
}

// shortConv multiplies a row by a gate, mixes it with the rows before, and multiplies by
// another gate; all but the product with shortconv.out_proj.
func (b *builder) shortConv(layer int, h Ref) Ref {
	taps := b.int("shortconv.l_cache")
	b.check(taps > 1, "shortconv.l_cache is %d", taps)
	all := b.buffer("mixed", 3*h.Width)
	in, out, x := all.part(0, h.Width), all.part(h.Width, h.Width), all.part(2*h.Width, h.Width)
	b.joined(h, layerName(layer, "shortconv.in_proj"), in, out, x)
	b.op(&Gate{Out: x, Gate: in, Up: x, Act: ActNone})
	filter := layerName(layer, "shortconv.conv.weight")
	b.op(&Conv{Out: x, In: x, Taps: taps, Act: ActNone, Weight: b.read(filter, b.tensor(filter, taps, h.Width)),
		State: b.state(layerName(layer, "conv"), (taps-1)*h.Width)})
	b.op(&Gate{Out: x, Gate: out, Up: x, Act: ActNone})
	return x
}
