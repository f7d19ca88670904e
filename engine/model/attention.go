package model

// attention says how one layer attends.
type attention struct {
	heads, kvHeads, keyDim, valueDim int
	scale, softCap                   float32
	window                           int
	rope                             *Rotary // nil: positions do not turn
	sinks                            *Vector
	// wholeNorms says that norms of q and k go over all heads together.
	wholeNorms bool
	// sharpen, if not 0, sharpens scores with the position; see Sharpen.
	sharpen      float32
	sharpenEvery int
}

// attention returns the plain form: every head of one width, no window.
func (b *builder) attention() attention {
	s := &b.p.Spec
	return attention{heads: s.Heads, kvHeads: s.KVHeads, keyDim: s.KeyDim, valueDim: s.ValueDim,
		scale: 1 / sqrt(float32(s.KeyDim))}
}

// attend is all of a layer's attention but the product with attn_output.
func (b *builder) attend(layer int, h Ref, a attention) Ref {
	q, k, v := b.project(layer, h, a)
	b.turn(q, a.heads, a)
	b.turn(k, a.kvHeads, a)
	return b.attendTo(q, b.store(k, v, a), a)
}

// project computes q, k and v of h, with norms of heads where the file has them. The
// matrices are joined where the file has attn_qkv.
func (b *builder) project(layer int, h Ref, a attention) (q, k, v Ref) {
	q, k, v = b.heads(a)
	if name := layerName(layer, "attn_qkv"); b.has(name + ".weight") {
		b.joined(h, name, q, k, v)
	} else {
		b.matMul(q, h, layerName(layer, "attn_q"))
		b.matMul(k, h, layerName(layer, "attn_k"))
		b.matMul(v, h, layerName(layer, "attn_v"))
	}
	if name := layerName(layer, "attn_q_norm.weight"); a.wholeNorms || b.has(name) {
		queries, keys := a.heads, a.kvHeads
		if a.wholeNorms {
			queries, keys = 1, 1
		}
		b.normInPlace(q, queries, name, b.p.Spec.Eps)
		b.normInPlace(k, keys, layerName(layer, "attn_k_norm.weight"), b.p.Spec.Eps)
	}
	return q, k, v
}

// heads are the places of q, k and v, side by side.
func (b *builder) heads(a attention) (q, k, v Ref) {
	qw, kw, vw := a.heads*a.keyDim, a.kvHeads*a.keyDim, a.kvHeads*a.valueDim
	all := b.buffer("qkv", qw+kw+vw)
	return all.part(0, qw), all.part(qw, kw), all.part(qw+kw, vw)
}

// turn applies the rotary positions, if the layer has them.
func (b *builder) turn(x Ref, heads int, a attention) {
	if a.rope != nil {
		b.op(&Rope{X: x, Heads: heads, Table: a.rope})
	}
}

// store writes k and v to a cache of their own.
func (b *builder) store(k, v Ref, a attention) int {
	b.p.Caches = append(b.p.Caches, Cache{KVHeads: a.kvHeads, KeyDim: a.keyDim, ValueDim: a.valueDim, Window: a.window})
	b.op(&Store{K: k, V: v, Cache: len(b.p.Caches) - 1})
	return len(b.p.Caches) - 1
}

// attendTo attends to a cache.
func (b *builder) attendTo(q Ref, cache int, a attention) Ref {
	if a.sharpen != 0 {
		b.op(&Sharpen{X: q, By: a.sharpen, Every: a.sharpenEvery})
	}
	b.check(a.kvHeads > 0 && a.heads%max(1, a.kvHeads) == 0, "%d query heads cannot share %d key heads", a.heads, a.kvHeads)
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

// slides says which layers see only a window: by the file's list, or its period, of which
// the last layer is full, or the period given.
func (b *builder) slides(period int) func(layer int) bool {
	key := b.key("attention.sliding_window_pattern")
	if list, ok := b.f.Bools(key); ok {
		b.check(len(list) >= b.p.Spec.Layers, "%s has %d values for %d layers", key, len(list), b.p.Spec.Layers)
		return func(layer int) bool { return layer < len(list) && list[layer] }
	}
	period = b.intOr("attention.sliding_window_pattern", period)
	b.check(period > 0, "%s is %d", key, period)
	return func(layer int) bool { return period > 0 && layer%period < period-1 }
}

// sliding lets the layers that slides says attend as near does, the others as full.
func (b *builder) sliding(near, full attention, slides func(layer int) bool) func(layer int) attention {
	return func(layer int) attention {
		if slides(layer) {
			return near
		}
		return full
	}
}

// windowed gives all layers the window that a file may have.
func (b *builder) windowed(a attention) attention {
	if w := b.intOr("attention.sliding_window", 0); w < b.p.Spec.Context {
		a.window = w
	}
	return a
}

// window is the width that sliding layers see.
func (b *builder) window() int {
	w := b.int("attention.sliding_window")
	b.check(b.err != nil || w > 0, "%s.attention.sliding_window is %d", b.arch, w)
	return w
}
