package model

// route chooses experts by the scores of a router's product.
func (b *builder) route(layer int, h Ref, r Route) Route {
	s := &b.p.Spec
	r.Scores = b.buffer("scores", s.Experts)
	r.IDs = b.typed(Buffer{Name: "experts", Width: s.ExpertsUsed, Outputs: b.outputs, Ints: true})
	r.Weights = b.buffer("expert_weights", s.ExpertsUsed)
	r.Used = s.ExpertsUsed
	r.Bias = b.vectorIf(layerName(layer, "exp_probs_b.bias"), s.Experts)
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

// feedForward is how a family's layers go on after attention: the first dense ones plainly,
// the others with experts, beside whom a shared one of its own width stands.
type feedForward struct {
	dense  int
	hidden []int // width of the dense layers
	shared int   // 0 for none
	how    Route
}

// add adds the feed-forward of h to x.
func (f *feedForward) add(b *builder, layer int, x, h Ref) {
	if layer < f.dense {
		b.add(x, b.gatedOf(layer, "", h, ActSiLU, f.hidden[layer]))
		return
	}
	y := b.buffer("y", x.Width)
	b.experts(layer, y, h, ActSiLU, b.route(layer, h, f.how))
	b.add(x, y)
	if f.shared > 0 {
		b.add(x, b.gatedOf(layer, "_shexp", h, ActSiLU, f.shared))
	}
}

// softmaxed is the feed-forward of families that weigh experts by a softmax over all and
// normalise the weights of those chosen; it is dense where the file has no experts.
func (b *builder) softmaxed() *feedForward {
	f := &feedForward{hidden: b.layerInts("feed_forward_length", 0), shared: b.intOr("expert_shared_feed_forward_length", 0),
		how: Route{Rule: RouteSoftmax, Normalize: true, Scale: b.scale("expert_weights_scale")}}
	if b.p.Spec.Experts == 0 {
		f.dense = b.p.Spec.Layers
	}
	return f
}

// mixed is the feed-forward of families whose files say how experts are weighed; without a
// word on it by the rule given.
func (b *builder) mixed(rule RouteRule) *feedForward {
	s := &b.p.Spec
	f := &feedForward{hidden: b.layerInts("feed_forward_length", 0), dense: b.intOr("leading_dense_block_count", 0),
		shared: s.Hidden * b.intOr("expert_shared_count", 0)}
	b.check(s.Experts > 0 || f.dense >= s.Layers, "has no experts")
	switch kind := b.intOr("expert_gating_func", 0); kind {
	case 0:
		f.how.Rule = rule
	case 1, 2, 3:
		f.how.Rule = [...]RouteRule{1: RouteSoftmax, 2: RouteSigmoid, 3: RouteChosen}[kind]
	default:
		b.fail("expert_gating_func %d is not supported; 1 (softmax), 2 (sigmoid) and 3 (softmax of the chosen) are", kind)
	}
	f.how.Normalize = b.flag("expert_weights_norm", false)
	f.how.Scale = b.scale("expert_weights_scale")
	if f.how.Groups = b.intOr("expert_group_count", 0); f.how.Groups > 1 {
		b.check(f.how.Groups <= mostGroups, "expert_group_count is %d; at most %d are supported", f.how.Groups, mostGroups)
		f.how.GroupsUsed = b.int("expert_group_used_count")
		each := s.Experts / f.how.Groups
		b.check(s.Experts%f.how.Groups == 0 && each > 1 && f.how.GroupsUsed <= f.how.Groups && f.how.GroupsUsed*each >= s.ExpertsUsed,
			"%d experts of %d cannot come from %d of %d groups", s.ExpertsUsed, s.Experts, f.how.GroupsUsed, f.how.Groups)
	}
	return f
}
