package model

import "math"

// deepseek2 is DeepSeek V2 and V3 and others with latent attention: queries, and keys and
// values together, pass through a narrow row. Cells hold that row and the part of the key
// that turns, one for all heads; each head's own matrices are applied to the query and to
// what was attended. Files of before that have the two in one matrix: their cells hold
// each head's keys and values. Experts may be chosen from some of their groups.
func deepseek2(b *builder) {
	l := b.latent()
	f := b.mixed(RouteSoftmax)
	x := b.embed(1)
	for i := range b.layers() {
		att := l.attend(b, i, b.norm(x, layerName(i, "attn_norm.weight")))
		b.wanted(i, &x, &att)
		b.add(x, b.output(i, att))
		f.add(b, i, x, b.norm(x, layerName(i, "ffn_norm.weight")))
	}
	b.head(x)
}

// latent holds the sizes of latent attention. A head's query and key have the part that
// turns first, files have it last.
type latent struct {
	attention
	turned, plain, value int // of a head's key the parts, and its value
	queryRank, rank      int // of the narrow rows; queryRank 0 for none
	split                bool
}

func (b *builder) latent() *latent {
	s := &b.p.Spec
	l := &latent{attention: b.attention(), turned: b.int("rope.dimension_count"), queryRank: b.intOr("attention.q_lora_rank", 0),
		rank: b.int("attention.kv_lora_rank"), value: b.intOr("attention.value_length_mla", 0)}
	key := b.intOr("attention.key_length_mla", 0)
	if l.split = key > 0; !l.split {
		key, l.value = s.KeyDim, s.ValueDim
	}
	l.plain = key - l.turned
	b.check(b.err != nil || l.turned > 0 && l.plain > 0 && l.rank > 0 && l.value > 0,
		"latent attention of keys of %d, of which %d turn, and values of %d from rows of %d", key, l.turned, l.value, l.rank)
	l.keyDim, l.valueDim, l.kvHeads = key, l.value, s.Heads
	if l.split {
		l.keyDim, l.valueDim, l.kvHeads = l.turned+l.rank, l.rank, 1
	}
	l.rope = b.rotary(rotary{interleaved: true, dim: l.keyDim, turned: l.turned, latent: true})
	l.scale = l.sharpened(b) / sqrt(float32(key))
	if l.sharpen = b.floatOr("attention.temperature_scale", 0); l.sharpen != 0 {
		l.sharpenEvery = b.int("attention.temperature_length")
		b.check(l.sharpenEvery > 0, "scores sharpen every %d positions", l.sharpenEvery)
	}
	return l
}

// sharpened is what YaRN multiplies scores by: the square of the rotation's magnitude and
// of what the file adds to it.
func (l *latent) sharpened(b *builder) float32 {
	by := float64(l.rope.Magnitude)
	if kind, _ := b.f.String(b.key("rope.scaling.type")); kind == "yarn" {
		by *= 1 + float64(b.floatOr("rope.scaling.yarn_log_multiplier", 0))*math.Log(float64(b.floatOr("rope.scaling.factor", 1)))
	}
	return float32(by * by)
}

// attend is a layer's attention but the product with attn_output.
func (l *latent) attend(b *builder, layer int, h Ref) Ref {
	from, name := h, "attn_q"
	if l.queryRank > 0 {
		from, name = b.buffer("query_row", l.queryRank), "attn_q_b"
		b.matMul(from, h, layerName(layer, "attn_q_a"))
		b.normInPlace(from, 1, layerName(layer, "attn_q_a_norm.weight"), b.p.Spec.Eps)
	}
	queries := b.matrix(layerName(layer, name+".weight"), from.Width, l.heads*(l.plain+l.turned))
	narrow := b.matrix(layerName(layer, "attn_kv_a_mqa.weight"), h.Width, l.rank+l.turned).part(Span{l.rank, l.turned}, Span{0, l.rank})
	if l.split {
		return l.absorbed(b, layer, h, narrow, from, queries)
	}
	return l.expanded(b, layer, h, narrow, from, queries)
}

// absorbed attends to the narrow rows themselves.
func (l *latent) absorbed(b *builder, layer int, h Ref, narrow *Matrix, from Ref, queries *Matrix) Ref {
	q, k, _ := b.heads(l.attention)
	unturned := b.buffer("query_plain", l.heads*l.plain)
	b.op(&MatMul{Out: unturned, In: from, W: queries.part(l.spans(0, l.plain, l.plain+l.turned)...)})
	for head := range l.heads {
		b.op(&MatMul{Out: q.part(head*l.keyDim, l.turned), In: from, W: queries.part(Span{head*(l.plain+l.turned) + l.plain, l.turned})})
	}
	b.op(&MatMul{Out: k, In: h, W: narrow})
	row := k.part(l.turned, l.rank)
	b.normInPlace(row, 1, layerName(layer, "attn_kv_a_norm.weight"), b.p.Spec.Eps)
	keys := l.headMatrices(b, layerName(layer, "attn_k_b.weight"), l.plain, l.rank)
	for head, w := range keys {
		b.op(&MatMul{Out: q.part(head*l.keyDim+l.turned, l.rank), In: unturned.part(head*l.plain, l.plain), W: w})
	}
	b.turn(q, l.heads, l.attention)
	b.turn(k, 1, l.attention)
	att := b.attendTo(q, b.store(k, row, l.attention), l.attention)
	out := b.buffer("values", l.heads*l.value)
	for head, w := range l.headMatrices(b, layerName(layer, "attn_v_b.weight"), l.rank, l.value) {
		b.op(&MatMul{Out: out.part(head*l.value, l.value), In: att.part(head*l.rank, l.rank), W: w})
	}
	return out
}

// expanded makes each head's keys and values of the narrow row.
func (l *latent) expanded(b *builder, layer int, h Ref, narrow *Matrix, from Ref, queries *Matrix) Ref {
	q, k, v := b.heads(l.attention)
	var order []Span
	for head := range l.heads {
		order = append(order, Span{head*l.keyDim + l.plain, l.turned}, Span{head * l.keyDim, l.plain})
	}
	b.op(&MatMul{Out: q, In: from, W: queries.part(order...)})
	row := b.buffer("narrow_row", l.turned+l.rank)
	b.op(&MatMul{Out: row, In: h, W: narrow})
	in := row.part(l.turned, l.rank)
	b.normInPlace(in, 1, layerName(layer, "attn_kv_a_norm.weight"), b.p.Spec.Eps)
	each := l.plain + l.value
	joined := b.matrix(layerName(layer, "attn_kv_b.weight"), l.rank, l.heads*each)
	for head := range l.heads {
		b.op(&MatMul{Out: k.part(head*l.keyDim+l.turned, l.plain), In: in, W: joined.part(Span{head * each, l.plain})})
	}
	b.op(&MatMul{Out: v, In: in, W: joined.part(l.spans(l.plain, l.value, each)...)})
	for head := range l.heads {
		b.op(&Scale{Out: k.part(head*l.keyDim, l.turned), In: row.part(0, l.turned), By: 1})
	}
	b.turn(q, l.heads, l.attention)
	b.turn(k, l.heads, l.attention)
	return b.attendTo(q, b.store(k, v, l.attention), l.attention)
}

// spans are count rows from first of every head, of each rows a head.
func (l *latent) spans(first, count, each int) []Span {
	var all []Span
	for head := range l.heads {
		all = append(all, Span{head*each + first, count})
	}
	return all
}

// headMatrices binds one matrix of rows times k values a head.
func (l *latent) headMatrices(b *builder, name string, k, rows int) []*Matrix {
	all := &Matrix{Tensor: b.tensor(name, k, rows, l.heads), K: k, Experts: 1}
	each := make([]*Matrix, l.heads)
	for head := range each {
		each[head] = all.part(Span{head * rows, rows})
	}
	return each
}
