package model

// qwen35 has the gated delta rule in most layers, and in every fourth attention whose
// output a gate multiplies. With experts, a shared one stands beside them.
func qwen35(b *builder) {
	recurrent := b.recurrent(4)
	net := b.deltaNet()
	a := b.attention()
	a.rope = b.rotary(rotary{})
	b.sections(len(a.rope.Freqs))
	x := b.embed(1)
	for i := range b.layers() {
		h := b.norm(x, layerName(i, "attn_norm.weight"))
		var y Ref
		if recurrent(i) {
			mixed := net.mix(b, i, h)
			b.wanted(i, &x, &mixed)
			y = b.buffer("y", x.Width)
			b.matMul(y, mixed, layerName(i, "ssm_out"))
		} else {
			att := b.gatedAttention(i, h, a)
			b.wanted(i, &x, &att)
			y = b.output(i, att)
		}
		b.add(x, y)
		h = b.norm(x, layerName(i, "post_attention_norm.weight"))
		if b.p.Spec.Experts > 0 {
			b.experts(i, y, h, ActSiLU, b.route(i, h, Route{Rule: RouteSoftmax, Normalize: true, Scale: 1}))
			b.add(x, y)
			b.add(x, b.sharedExpert(i, h))
		} else {
			b.add(x, b.gated(i, h, ActSiLU))
		}
	}
	b.head(x)
}

// recurrent says which layers have a state instead of attention: those that the file lists,
// or all but the last of each interval.
func (b *builder) recurrent(interval int) func(layer int) bool {
	key := b.key("attention.recurrent_layers")
	interval = b.intOr("full_attention_interval", interval)
	if list, ok := b.f.Bools(key); ok {
		b.check(len(list) >= b.p.Spec.Layers, "%s has %d values for %d layers", key, len(list), b.p.Spec.Layers)
		return func(layer int) bool { return layer < len(list) && list[layer] }
	}
	_, other := b.f.Value(key)
	b.check(!other, "%s is no list of yes and no", key)
	b.check(interval > 0, "full_attention_interval is %d", interval)
	return func(layer int) bool { return interval > 0 && (layer+1)%interval != 0 }
}

// gatedAttention has a gate for each head beside its query, in one matrix.
func (b *builder) gatedAttention(layer int, h Ref, a attention) Ref {
	q, k, v := b.heads(a)
	g := b.buffer("gate", q.Width)
	joined := b.matrix(layerName(layer, "attn_q.weight"), h.Width, 2*q.Width)
	var queries, gates []Span
	for head := range a.heads {
		queries = append(queries, Span{2 * head * a.keyDim, a.keyDim})
		gates = append(gates, Span{(2*head + 1) * a.keyDim, a.keyDim})
	}
	b.op(&MatMul{Out: q, In: h, W: joined.part(queries...)})
	b.matMul(k, h, layerName(layer, "attn_k"))
	b.matMul(v, h, layerName(layer, "attn_v"))
	b.op(&MatMul{Out: g, In: h, W: joined.part(gates...)})
	b.normInPlace(q, a.heads, layerName(layer, "attn_q_norm.weight"), b.p.Spec.Eps)
	b.normInPlace(k, a.kvHeads, layerName(layer, "attn_k_norm.weight"), b.p.Spec.Eps)
	b.turn(q, a.heads, a)
	b.turn(k, a.kvHeads, a)
	att := b.attendTo(q, b.store(k, v, a), a)
	b.op(&Gate{Out: att, Gate: g, Up: att, Act: ActSigmoid})
	return att
}

// sharedExpert is a feed-forward for every row, weighed by a gate of one value.
func (b *builder) sharedExpert(layer int, h Ref) Ref {
	weight := b.buffer("shared_weight", 1)
	b.matMul(weight, h, layerName(layer, "ffn_gate_inp_shexp"))
	y := b.gatedOf(layer, "_shexp", h, ActSiLU, b.intOr("expert_shared_feed_forward_length", b.p.Spec.Hidden))
	b.op(&Gate{Out: y, Gate: weight, Up: y, Act: ActSigmoid})
	return y
}

// deltaNet holds the sizes of the layers with the gated delta rule.
type deltaNet struct {
	taps, keyHeads, valueHeads, dim int
}

func (b *builder) deltaNet() deltaNet {
	n := deltaNet{taps: b.int("ssm.conv_kernel"), keyHeads: b.int("ssm.group_count"),
		valueHeads: b.int("ssm.time_step_rank"), dim: b.int("ssm.state_size")}
	b.check(b.err != nil || n.taps > 0 && n.keyHeads > 0 && n.valueHeads > 0 && n.dim > 0 && n.valueHeads%n.keyHeads == 0,
		"delta rule of %d taps, %d value heads over %d key heads of %d", n.taps, n.valueHeads, n.keyHeads, n.dim)
	inner := b.int("ssm.inner_size")
	b.check(b.err != nil || inner == n.valueHeads*n.dim, "ssm.inner_size is %d; wanted %d heads of %d", inner, n.valueHeads, n.dim)
	return n
}

// mix is a layer's mixing of rows but the product with ssm_out.
func (n deltaNet) mix(b *builder, layer int, h Ref) Ref {
	keys, values := n.keyHeads*n.dim, n.valueHeads*n.dim
	mixed, z := b.buffer("mixed", 2*keys+values), b.buffer("gate", values)
	alpha, beta := b.buffer("alpha", n.valueHeads), b.buffer("beta", n.valueHeads)
	b.matMul(mixed, h, layerName(layer, "attn_qkv"))
	b.matMul(z, h, layerName(layer, "attn_gate"))
	b.matMul(beta, h, layerName(layer, "ssm_beta"))
	b.matMul(alpha, h, layerName(layer, "ssm_alpha"))
	filter := layerName(layer, "ssm_conv1d.weight")
	b.op(&Conv{Out: mixed, In: mixed, Taps: n.taps, Weight: b.read(filter, b.tensor(filter, n.taps, mixed.Width)),
		State: b.state(layerName(layer, "conv"), (n.taps-1)*mixed.Width)})
	out := b.buffer("attended", values)
	b.op(&DeltaNet{Out: out, Q: mixed.part(0, keys), K: mixed.part(keys, keys), V: mixed.part(2*keys, values),
		Alpha: alpha, Beta: beta, A: b.vector(layerName(layer, "ssm_a"), n.valueHeads),
		DtBias:   b.vector(layerName(layer, "ssm_dt.bias"), n.valueHeads),
		KeyHeads: n.keyHeads, ValueHeads: n.valueHeads, KeyDim: n.dim, ValueDim: n.dim, Eps: b.p.Spec.Eps,
		State: b.state(layerName(layer, "delta"), n.valueHeads*n.dim*n.dim)})
	b.normInPlace(out, n.valueHeads, layerName(layer, "ssm_norm.weight"), b.p.Spec.Eps)
	b.op(&Gate{Out: out, Gate: z, Up: out, Act: ActSiLU})
	return out
}

func (b *builder) state(name string, width int) int {
	b.p.States = append(b.p.States, State{Name: name, Width: width})
	return len(b.p.States) - 1
}
