package model

// The parts that blocks of layers are made of. Each appends its operations and
// returns where the result stands.

// embed looks the tokens up; scale multiplies the rows.
func (b *builder) embed(scale float32) Ref {
	x := b.buffer("x", b.p.Spec.Width)
	b.op(&Embed{Out: x, Table: b.matrix("token_embd.weight", x.Width, b.p.Spec.Vocab), Scale: scale})
	return x
}

// norm is a root-mean-square norm of whole rows.
func (b *builder) norm(x Ref, weight string) Ref {
	h := b.buffer("h", x.Width)
	b.op(&Norm{Out: h, In: x, Parts: 1, Weight: b.vector(weight, x.Width), Eps: b.p.Spec.Eps})
	return h
}

// normInPlace is a norm of parts of a row, each of the weight's width.
func (b *builder) normInPlace(x Ref, parts int, weight string, eps float32) {
	b.op(&Norm{Out: x, In: x, Parts: parts, Weight: b.vector(weight, x.Width/parts), Eps: eps})
}

// matMul multiplies by NAME.weight and adds NAME.bias where the file has one.
func (b *builder) matMul(out, in Ref, name string) {
	w := b.matrix(name+".weight", in.Width, out.Width)
	b.op(&MatMul{Out: out, In: in, W: w, Bias: b.vectorIf(name+".bias", out.Width)})
}

// add adds y to the residual stream.
func (b *builder) add(x, y Ref) { b.op(&Add{Out: x, A: x, B: y}) }

// attention says how one layer attends.
type attention struct {
	heads, kvHeads, keyDim, valueDim int
	scale, softCap                   float32
	window                           int
	rope                             *Rotary // nil: positions do not turn
	sinks                            *Vector
}

// attention returns the plain form: every head of one width, no window.
func (b *builder) attention() attention {
	s := &b.p.Spec
	return attention{heads: s.Heads, kvHeads: s.KVHeads, keyDim: s.KeyDim, valueDim: s.ValueDim,
		scale: 1 / sqrt(float32(s.KeyDim))}
}

// project computes q, k and v of h, with norms of heads where the file has them.
func (b *builder) project(layer int, h Ref, a attention) (q, k, v Ref) {
	qw, kw, vw := a.heads*a.keyDim, a.kvHeads*a.keyDim, a.kvHeads*a.valueDim
	all := b.buffer("qkv", qw+kw+vw)
	q, k, v = all.part(0, qw), all.part(qw, kw), all.part(qw+kw, vw)
	b.matMul(q, h, layerName(layer, "attn_q"))
	b.matMul(k, h, layerName(layer, "attn_k"))
	b.matMul(v, h, layerName(layer, "attn_v"))
	if name := layerName(layer, "attn_q_norm.weight"); b.has(name) {
		b.normInPlace(q, a.heads, name, b.p.Spec.Eps)
		b.normInPlace(k, a.kvHeads, layerName(layer, "attn_k_norm.weight"), b.p.Spec.Eps)
	}
	return q, k, v
}

// attend turns q and k, stores k and v in a cache of their own and attends.
func (b *builder) attend(q, k, v Ref, a attention) Ref {
	if a.rope != nil {
		b.op(&Rope{X: q, Heads: a.heads, Table: a.rope})
		b.op(&Rope{X: k, Heads: a.kvHeads, Table: a.rope})
	}
	cache := b.cache(a)
	b.op(&Store{K: k, V: v, Cache: cache})
	return b.attendTo(q, cache, a)
}

// cache adds a cache.
func (b *builder) cache(a attention) int {
	b.p.Caches = append(b.p.Caches, Cache{KVHeads: a.kvHeads, KeyDim: a.keyDim, ValueDim: a.valueDim, Window: a.window})
	return len(b.p.Caches) - 1
}

// attendTo attends to a cache.
func (b *builder) attendTo(q Ref, cache int, a attention) Ref {
	out := b.buffer("attended", a.heads*a.valueDim)
	b.op(&Attend{Out: out, Q: q, Cache: cache, Heads: a.heads, Scale: a.scale, SoftCap: a.softCap, Window: a.window, Sinks: a.sinks})
	return out
}

// output multiplies what was attended by attn_output.
func (b *builder) output(layer int, attended Ref) Ref {
	y := b.buffer("y", b.p.Spec.Width)
	b.matMul(y, attended, layerName(layer, "attn_output"))
	return y
}

// wanted goes on, in the last layer, with the rows that outputs were asked of.
func (b *builder) wanted(layer int, refs ...*Ref) {
	if layer != b.p.Spec.Layers-1 || b.outputs {
		return
	}
	b.outputs = true
	for _, r := range refs {
		out := b.buffer(b.p.Buffers[r.Buf].Name, r.Width)
		b.op(&Select{Out: out, In: *r})
		*r = out
	}
}

// gated is the gated feed-forward.
func (b *builder) gated(layer int, h Ref, act Activation) Ref {
	f := b.p.Spec.Hidden
	up := b.buffer("gate_up", 2*f)
	b.matMul(up.part(0, f), h, layerName(layer, "ffn_gate"))
	b.matMul(up.part(f, f), h, layerName(layer, "ffn_up"))
	return b.down(layer, up, f, act)
}

// down activates gate and up, which stand side by side, and multiplies by ffn_down.
func (b *builder) down(layer int, up Ref, f int, act Activation) Ref {
	hidden := up.part(0, f)
	b.op(&Gate{Out: hidden, Gate: up.part(0, f), Up: up.part(f, f), Act: act})
	y := b.buffer("y", b.p.Spec.Width)
	b.matMul(y, hidden, layerName(layer, "ffn_down"))
	return y
}

// experts is the feed-forward of the chosen experts.
func (b *builder) experts(layer int, h Ref, act Activation, r Route) Ref {
	s := &b.p.Spec
	r.Scores = b.buffer("scores", s.Experts)
	r.IDs = b.typed(Buffer{Name: "experts", Width: s.ExpertsUsed, Outputs: b.outputs, Ints: true})
	r.Weights = b.buffer("expert_weights", s.ExpertsUsed)
	r.Used = s.ExpertsUsed
	b.matMul(r.Scores, h, layerName(layer, "ffn_gate_inp"))
	b.op(&r)
	y := b.buffer("y", s.Width)
	b.op(&Experts{Out: y, In: h, IDs: r.IDs, Weights: r.Weights, Act: act,
		Gate: b.bank(layerName(layer, "ffn_gate_exps.weight"), s.Width, s.Hidden),
		Up:   b.bank(layerName(layer, "ffn_up_exps.weight"), s.Width, s.Hidden),
		Down: b.bank(layerName(layer, "ffn_down_exps.weight"), s.Hidden, s.Width)})
	return y
}

// head norms the wanted rows and multiplies by the vocabulary, which is the embedding
// matrix where the file has no other.
func (b *builder) head(x Ref) {
	h := b.norm(x, "output_norm.weight")
	name := "output.weight"
	if !b.has(name) {
		name = "token_embd.weight"
	}
	b.p.Logits = b.buffer("logits", b.p.Spec.Vocab)
	b.op(&MatMul{Out: b.p.Logits, In: h, W: b.matrix(name, x.Width, b.p.Spec.Vocab)})
}
