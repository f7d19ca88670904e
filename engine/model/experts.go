package model

// route chooses experts by the scores of a router's product.
func (b *builder) route(layer int, h Ref, r Route) Route {
	s := &b.p.Spec
	r.Scores = b.buffer("scores", s.Experts)
	r.IDs = b.typed(Buffer{Name: "experts", Width: s.ExpertsUsed, Outputs: b.outputs, Ints: true})
	r.Weights = b.buffer("expert_weights", s.ExpertsUsed)
	r.Used = s.ExpertsUsed
	b.matMul(r.Scores, h, layerName(layer, "ffn_gate_inp"))
	b.op(&r)
	return r
}

// experts is the feed-forward of the experts that r chose, into out. Gate and up are
// joined where the file has them so.
func (b *builder) experts(layer int, out, h Ref, act Activation, r Route) {
	width, hidden := b.p.Spec.Width, b.p.Spec.Hidden
	x := &Experts{Out: out, In: h, IDs: r.IDs, Weights: r.Weights, Act: act,
		Down: b.bank(layerName(layer, "ffn_down_exps.weight"), hidden, width)}
	if name := layerName(layer, "ffn_gate_up_exps.weight"); b.has(name) {
		both := b.bank(name, width, 2*hidden)
		x.Gate, x.Up = both.part(Span{0, hidden}), both.part(Span{hidden, hidden})
	} else {
		x.Gate = b.bank(layerName(layer, "ffn_gate_exps.weight"), width, hidden)
		x.Up = b.bank(layerName(layer, "ffn_up_exps.weight"), width, hidden)
	}
	for _, name := range []string{"ffn_gate_exps.scale", "ffn_up_exps.scale", "ffn_gate_up_exps.scale"} {
		b.check(!b.has(layerName(layer, name)), "the tensor %s is not supported: experts are scaled after ffn_down alone", layerName(layer, name))
	}
	x.GateBias = b.vectorsIf(layerName(layer, "ffn_gate_exps.bias"), hidden)
	x.UpBias = b.vectorsIf(layerName(layer, "ffn_up_exps.bias"), hidden)
	x.DownBias = b.vectorsIf(layerName(layer, "ffn_down_exps.bias"), width)
	x.DownScale = b.vectorIf(layerName(layer, "ffn_down_exps.scale"), b.p.Spec.Experts)
	b.op(x)
}
