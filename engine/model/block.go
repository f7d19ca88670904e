package model

import "github.com/confab-tui/confab/engine/gguf"

// The parts that layers are made of. Each appends its operations and returns where the
// result stands.

// embed looks the tokens up; scale multiplies the rows.
func (b *builder) embed(scale float32) Ref {
	x := b.buffer("x", b.p.Spec.Width)
	b.op(&Embed{Out: x, Table: b.matrix("token_embd.weight", x.Width, b.p.Spec.Vocab), Scale: scale})
	return x
}

// norm is a norm of whole rows into the buffer h.
func (b *builder) norm(x Ref, weight string) Ref {
	h := b.buffer("h", x.Width)
	b.op(&Norm{Out: h, In: x, Parts: 1, Weight: b.vector(weight, x.Width), Eps: b.p.Spec.Eps})
	return h
}

// normInPlace is a norm of parts of a row, each of the weight's width; without a name it
// has no weight.
func (b *builder) normInPlace(x Ref, parts int, weight string, eps float32) {
	n := &Norm{Out: x, In: x, Parts: parts, Eps: eps}
	if weight != "" {
		n.Weight = b.vector(weight, x.Width/parts)
	}
	b.op(n)
}

// matMul multiplies by NAME.weight, and adds NAME.bias where the file has one.
func (b *builder) matMul(out, in Ref, name string) { b.joined(in, name, out) }

// joined is matMul by a matrix that a file has in one piece for several outputs, one after
// the other.
func (b *builder) joined(in Ref, name string, outs ...Ref) {
	rows := 0
	for _, out := range outs {
		rows += out.Width
	}
	w, bias := b.matrix(name+".weight", in.Width, rows), b.vectorIf(name+".bias", rows)
	at := 0
	for _, out := range outs {
		op := &MatMul{Out: out, In: in, W: w.part(Span{at, out.Width})}
		if bias != nil && len(bias.Values) == rows {
			op.Bias = &Vector{Name: bias.Name, Values: bias.Values[at : at+out.Width]}
		}
		b.op(op)
		b.scaled(w, name, out, bias != nil)
		at += out.Width
	}
}

// scaled multiplies a product by NAME.scale, which files have beside NVFP4 weights.
func (b *builder) scaled(w *Matrix, name string, out Ref, biased bool) {
	name += ".scale"
	if w.Tensor == nil || w.Tensor.Type != gguf.NVFP4 || !b.has(name) {
		return
	}
	b.check(!biased, "%s beside a bias is not supported", name)
	if by := b.vector(name, 1); len(by.Values) == 1 {
		b.op(&Scale{Out: out, In: out, By: by.Values[0]})
	}
}

// add adds y to the residual stream, multiplied where the family has a scale for that.
func (b *builder) add(x, y Ref) {
	if b.residual != 0 && b.residual != 1 {
		b.op(&Scale{Out: y, In: y, By: b.residual})
	}
	b.op(&Add{Out: x, A: x, B: y})
}

// wanted goes on, in the last layer, with the rows that outputs were asked of.
func (b *builder) wanted(layer int, refs ...*Ref) {
	if layer != b.p.Spec.Layers-1 {
		return
	}
	b.outputs = true
	for _, r := range refs {
		out := b.buffer(b.p.Buffers[r.Buf].Name, r.Width)
		b.op(&Select{Out: out, In: *r})
		*r = out
	}
}

// gated is the gated feed-forward; its matrices are joined where the file has no
// ffn_gate.
func (b *builder) gated(layer int, h Ref, act Activation) Ref {
	return b.gatedOf(layer, "", h, act, b.p.Spec.Hidden)
}

// gatedOf is a gated feed-forward of its own width, whose matrices' names end in kind.
func (b *builder) gatedOf(layer int, kind string, h Ref, act Activation, hidden int) Ref {
	both := b.buffer("gate_up", 2*hidden)
	gate, up := both.part(0, hidden), both.part(hidden, hidden)
	if b.has(layerName(layer, "ffn_gate"+kind+".weight")) {
		b.matMul(gate, h, layerName(layer, "ffn_gate"+kind))
		b.matMul(up, h, layerName(layer, "ffn_up"+kind))
	} else {
		b.joined(h, layerName(layer, "ffn_up"+kind), gate, up)
	}
	b.op(&Gate{Out: gate, Gate: gate, Up: up, Act: act})
	y := b.buffer("y", b.p.Spec.Width)
	b.matMul(y, gate, layerName(layer, "ffn_down"+kind))
	return y
}

// head norms the wanted rows and multiplies by the vocabulary, which is the embedding
// matrix where the file has no other.
func (b *builder) head(x Ref) {
	b.vocabulary(b.norm(x, "output_norm.weight"), b.floatOr("logit_scale", 1))
}

// vocabulary multiplies by the vocabulary and scales what comes of it.
func (b *builder) vocabulary(h Ref, scale float32) {
	name := "output"
	if !b.has(name + ".weight") {
		name = "token_embd"
	}
	b.p.Logits = b.buffer("logits", b.p.Spec.Vocab)
	b.matMul(b.p.Logits, h, name)
	b.suppress()
	if scale != 1 {
		b.op(&Scale{Out: b.p.Logits, In: b.p.Logits, By: scale})
	}
	if limit := b.floatOr("final_logit_softcapping", 0); limit != 0 {
		b.op(&SoftCap{X: b.p.Logits, Cap: limit})
	}
}

// never is so low a logit that scaled and capped it is still the lowest.
const never = -1e9

// suppress makes the tokens that a file says are not to be written the least likely.
func (b *builder) suppress() {
	const key = "tokenizer.ggml.suppress_tokens"
	ids, ok := b.f.Ints(key)
	if !ok {
		return
	}
	bias := &Vector{Name: key, Values: make([]float32, b.p.Spec.Vocab)}
	for _, op := range b.p.Ops {
		if m, ok := op.(*MatMul); ok && m.Out == b.p.Logits {
			if m.Bias != nil {
				copy(bias.Values, m.Bias.Values)
			}
			m.Bias = bias
		}
	}
	for _, id := range ids {
		if b.check(id >= 0 && id < int64(len(bias.Values)), "%s has %d; the vocabulary has %d", key, id, len(bias.Values)); b.err == nil {
			bias.Values[id] = never
		}
	}
}
