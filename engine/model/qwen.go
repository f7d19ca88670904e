package model

// qwen2 has biases on q, k and v, and rotary pairs in halves.
func qwen2(b *builder) { qwen3(b) }

// qwen3 has norms of heads on q and k, and rotary pairs in halves.
func qwen3(b *builder) {
	a := b.attention()
	a.rope = b.rotary(rotary{})
	b.plain(func(int) attention { return a })
}

// qwen3moe is qwen3 with experts.
func qwen3moe(b *builder) {
	b.check(b.p.Spec.Experts > 0, "has no experts")
	qwen3(b)
}
