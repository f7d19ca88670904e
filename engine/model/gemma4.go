package model

// gemma4 has heads of other widths in sliding and in full layers, no division of
// scores, a norm of v without weight, layers at the end that use earlier layers' keys
// and values, embeddings for each layer, and layer scales. The large one has experts
// beside the feed-forward.
func gemma4(b *builder) {
	g := b.gemma4Layers()
	x := b.embed(sqrt(float32(b.p.Spec.Width)))
	own := b.layerEmbeddings(x)
	for i := range b.layers() {
		att := g.attend(b, i, b.norm(x, layerName(i, "attn_norm.weight")))
		extra := own
		if own.Width > 0 {
			extra = own.part(i*g.perLayer, g.perLayer)
			b.wanted(i, &x, &att, &extra)
		} else {
			b.wanted(i, &x, &att)
		}
		y := b.output(i, att)
		b.normInPlace(y, 1, layerName(i, "post_attention_norm.weight"), b.p.Spec.Eps)
		b.add(x, y)
		g.feedForward(b, i, x)
		if own.Width > 0 {
			b.layerInput(i, x, extra)
		}
		if name := layerName(i, "layer_output_scale.weight"); b.has(name) {
			by := b.vector(name, 1)
			if len(by.Values) == 1 {
				b.op(&Scale{Out: x, In: x, By: by.Values[0]})
			}
		}
	}
	b.head(x)
}

// gemma4Layers is how the layers differ.
type gemma4Layers struct {
	full, near attention
	slides     func(layer int) bool
	kvHeads    []int
	hidden     []int
	perLayer   int
	// owners counts the layers that store keys and values, which come first.
	owners int
	// lastFull and lastNear are the latest cache of each kind, -1 for none.
	lastFull, lastNear int
}

func (b *builder) gemma4Layers() *gemma4Layers {
	s := &b.p.Spec
	g := &gemma4Layers{lastFull: -1, lastNear: -1, slides: b.slides(6), kvHeads: b.layerInts("attention.head_count_kv", s.Heads),
		hidden: b.layerInts("feed_forward_length", 0), perLayer: b.intOr("embedding_length_per_layer_input", 0)}
	g.owners = s.Layers - b.intOr("attention.shared_kv_layers", 0)
	b.check(g.owners > 0 && g.owners <= s.Layers, "%d of %d layers have keys and values of their own", g.owners, s.Layers)
	g.full = b.attention()
	g.full.scale = 1
	g.full.rope = b.rotary(rotary{})
	g.near = g.full
	g.near.keyDim = b.intOr("attention.key_length_swa", s.KeyDim)
	g.near.valueDim = b.intOr("attention.value_length_swa", s.ValueDim)
	g.near.window = b.window()
	g.near.rope = b.rotary(rotary{dim: g.near.keyDim, turned: b.intOr("rope.dimension_count_swa", g.near.keyDim),
		base: b.floatOr("rope.freq_base_swa", 10000), unscaled: true})
	return g
}

// attend is a layer's attention but the product with attn_output. Where the file has no
// attn_v, the keys serve as values, before norm and rotation.
func (g *gemma4Layers) attend(b *builder, layer int, h Ref) Ref {
	a, cache := g.full, &g.lastFull
	if g.slides(layer) {
		a, cache = g.near, &g.lastNear
	}
	a.kvHeads = g.kvHeads[layer]
	q, k, v := b.heads(a)
	b.matMul(q, h, layerName(layer, "attn_q"))
	if layer < g.owners {
		b.matMul(k, h, layerName(layer, "attn_k"))
		if name := layerName(layer, "attn_v"); b.has(name + ".weight") {
			b.matMul(v, h, name)
			b.normInPlace(v, a.kvHeads, "", b.p.Spec.Eps)
		} else {
			b.op(&Norm{Out: v, In: k, Parts: a.kvHeads, Eps: b.p.Spec.Eps})
		}
		b.normInPlace(k, a.kvHeads, layerName(layer, "attn_k_norm.weight"), b.p.Spec.Eps)
	}
	b.normInPlace(q, a.heads, layerName(layer, "attn_q_norm.weight"), b.p.Spec.Eps)
	b.turn(q, a.heads, a)
	if layer < g.owners {
		b.turn(k, a.kvHeads, a)
		*cache = b.store(k, v, a)
	}
	b.check(*cache >= 0, "layer %d has no keys and values, nor has an earlier one of its kind", layer)
	return b.attendTo(q, *cache, a)
}

// feedForward adds the feed-forward, with experts beside it where there are any.
func (g *gemma4Layers) feedForward(b *builder, layer int, x Ref) {
	s := &b.p.Spec
	y := b.gatedOf(layer, "", b.norm(x, layerName(layer, "ffn_norm.weight")), ActGELU, g.hidden[layer])
	if s.Experts > 0 {
		b.normInPlace(y, 1, layerName(layer, "post_ffw_norm_1.weight"), s.Eps)
		h := b.norm(x, layerName(layer, "ffn_gate_inp.scale"))
		b.op(&Scale{Out: h, In: h, By: 1 / sqrt(float32(s.Width))})
		r := b.route(layer, h, Route{Rule: RouteSoftmax, Normalize: true, Scale: 1})
		h = b.norm(x, layerName(layer, "pre_ffw_norm_2.weight"))
		z := b.buffer("z", x.Width)
		b.experts(layer, z, h, ActGELU, r)
		b.normInPlace(z, 1, layerName(layer, "post_ffw_norm_2.weight"), s.Eps)
		b.add(y, z)
	}
	b.normInPlace(y, 1, layerName(layer, "post_ffw_norm.weight"), s.Eps)
	b.add(x, y)
}

// layerEmbeddings gives each token a row for every layer: half of it looked up, half
// projected from its embedding. It is empty where the file has none.
func (b *builder) layerEmbeddings(x Ref) Ref {
	s := &b.p.Spec
	per := b.intOr("embedding_length_per_layer_input", 0)
	if per == 0 {
		return Ref{}
	}
	rows, proj := b.buffer("layer_rows", per*s.Layers), b.buffer("layer_projections", per*s.Layers)
	b.op(&Embed{Out: rows, Table: b.matrix("per_layer_token_embd.weight", rows.Width, s.Vocab), Scale: sqrt(float32(per))})
	b.matMul(proj, x, "per_layer_model_proj")
	b.op(&Scale{Out: proj, In: proj, By: 1 / sqrt(float32(s.Width))})
	n := &Norm{Out: proj, In: proj, Parts: s.Layers, Weight: b.vector("per_layer_proj_norm.weight", per), Eps: s.Eps}
	b.op(n)
	b.add(rows, proj)
	b.op(&Scale{Out: rows, In: rows, By: sqrt(0.5)})
	return rows
}

// layerInput adds what a layer makes of its own embedding.
func (b *builder) layerInput(layer int, x, own Ref) {
	g := b.buffer("layer_gate", own.Width)
	b.matMul(g, x, layerName(layer, "inp_gate"))
	b.op(&Gate{Out: g, Gate: g, Up: own, Act: ActGELU})
	y := b.buffer("y", x.Width)
	b.matMul(y, g, layerName(layer, "proj"))
	b.normInPlace(y, 1, layerName(layer, "post_norm.weight"), b.p.Spec.Eps)
	b.add(x, y)
}
