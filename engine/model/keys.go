package model

import "strings"

// key is a key of the architecture by its full name, noted as looked at.
func (b *builder) key(name string) string {
	b.asked[name] = true
	return b.arch + "." + name
}

// neutral says with which values a key changes nothing: always 0 and false, 1 of a factor,
// and what the key has that it would take the place of.
type neutral struct {
	factor bool
	like   string
}

// computing are keys that change what a model computes. A file that has one with another
// value is refused unless its family looks at the key: the model would run, and be wrong.
var computing = map[string]neutral{
	"activation.situ_beta": {}, "activation.situ_linear_beta": {}, "attention.clamp_kqv": {}, "attention.max_alibi_bias": {},
	"attention.output_scale": {factor: true}, "attention.scale": {factor: true}, "attention.shared_kv_layers": {},
	"attention.key_length_swa": {like: "attention.key_length"}, "attention.value_length_swa": {like: "attention.value_length"},
	"attention.sliding_window": {}, "attention.temperature_scale": {}, "attention.value_scale": {factor: true},
	"attn_logit_softcapping": {}, "attn_res.block_size": {}, "embedding_length_per_layer_input": {}, "embedding_scale": {factor: true},
	"expert_group_count": {factor: true}, "expert_group_scale": {factor: true}, "expert_weights_scale": {factor: true},
	"final_logit_softcapping": {}, "full_attention_interval": {factor: true}, "hyper_connection.count": {},
	"interleave_moe_layer_step": {factor: true}, "leading_dense_block_count": {}, "logit_scale": {factor: true},
	"moe_every_n_layers": {factor: true}, "num_loops": {factor: true}, "rescale_every_n_layers": {}, "residual_scale": {factor: true},
	"rope.dimension_count_swa": {like: "rope.dimension_count"}, "rope.freq_base_swa": {like: "rope.freq_base"},
	"rope.scaling.alpha": {factor: true}, "router_logit_softcapping": {}, "swiglu_clamp_exp": {}, "swiglu_clamp_shexp": {},
	"swin_norm": {}, "use_parallel_residual": {},
}

// refuseKeys fails where the file says more about the computation than the family reads.
func (b *builder) refuseKeys() {
	for _, full := range b.unasked() {
		if n, ok := computing[strings.TrimPrefix(full, b.arch+".")]; ok {
			v, _ := b.f.Value(full)
			b.check(b.isNeutral(full, n), "%s is %v, which is not supported for this architecture", full, v)
		}
	}
	causal, ok := b.f.Bool(b.key("attention.causal"))
	b.check(causal || !ok, "%s.attention.causal is false: rows that see later ones are not supported", b.arch)
}

// isNeutral says whether a key's value, or each of a list, changes nothing.
func (b *builder) isNeutral(key string, n neutral) bool {
	if on, is := b.f.Bool(key); is {
		return !on
	}
	list, _ := b.f.Floats(key)
	if v, one := b.f.Float(key); one {
		list = []float64{v}
	}
	like, _ := b.f.Float(b.arch + "." + n.like)
	for _, v := range list {
		same := n.like != "" && v == like
		wide := strings.HasSuffix(key, ".attention.sliding_window") && v >= float64(b.p.Spec.Context)
		if v != 0 && !(n.factor && v == 1) && !same && !wide {
			return false
		}
	}
	return len(list) > 0
}

// unasked lists the keys of the architecture that no part of it looks at.
func (b *builder) unasked() []string {
	var names []string
	for _, full := range b.f.Keys() {
		if name, ok := strings.CutPrefix(full, b.arch+"."); ok && !b.asked[name] {
			names = append(names, full)
		}
	}
	return names
}
