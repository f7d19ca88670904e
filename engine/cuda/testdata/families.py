"""Small random models of many families, as GGUF files, with the logits that transformers
gives for some tokens.

families.py DIR: NAME.gguf (F32), NAME.json (tokens), NAME.f32 (a row of logits a token).
A family that the installed transformers lacks is left out, with a line that says why.
"""
import json
import sys

import numpy as np
import torch
import transformers

from models import F32, header, padded, paired, shape_keys

LAYERS, WIDTH, FF, HEADS, KV, DIM, VOCAB, EXPERT = 4, 64, 96, 4, 2, 16, 96, 48
ROPE = {"rope_type": "default", "rope_theta": 1e4}
HALF = {**ROPE, "partial_rotary_factor": 0.5}
MOE = {"expert_count": 4, "expert_used_count": 2, "expert_feed_forward_length": EXPERT}

# A layer's tensors in most models of transformers, and what GGUF calls them.
PLAIN = {
    "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output",
    "self_attn.q_norm": "attn_q_norm", "self_attn.k_norm": "attn_k_norm", "self_attn.qkv_proj": "attn_qkv",
    "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down", "mlp.gate_up_proj": "ffn_up",
    "mlp.gate": "ffn_gate_inp", "mlp.router": "ffn_gate_inp", "self_attn.sinks": "attn_sinks.weight",
    "mlp.gate.e_score_correction_bias": "exp_probs_b.bias", "mlp.experts.down_proj": "ffn_down_exps.weight",
    "mlp.experts.gate_up_proj": "ffn_gate_up_exps.weight", "mlp.shared_experts.gate_proj": "ffn_gate_shexp",
    "mlp.shared_experts.up_proj": "ffn_up_shexp", "mlp.shared_experts.down_proj": "ffn_down_shexp",
    "input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm",
}
SANDWICH = {"post_attention_layernorm": "post_attention_norm", "pre_feedforward_layernorm": "ffn_norm",
            "post_feedforward_layernorm": "post_ffw_norm"}
GLM = {"post_self_attn_layernorm": "post_attention_norm", "post_mlp_layernorm": "post_ffw_norm"}


class Family:
    """config is a class of transformers with its arguments; names differ from PLAIN; keys
    are the file's; llama rotates pairs, one says that norms' weights are stored less 1."""

    def __init__(self, arch, config, arguments=None, names=None, keys=None, llama=False, one=False, rope=ROPE):
        self.arch, self.config, self.names, self.keys = arch, config, {**PLAIN, **(names or {})}, keys or {}
        self.llama, self.one = llama, one
        self.arguments = {"hidden_size": WIDTH, "intermediate_size": FF, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS,
                          "num_key_value_heads": KV, "head_dim": DIM, "vocab_size": VOCAB, "max_position_embeddings": 256,
                          "rms_norm_eps": 1e-5, "tie_word_embeddings": False, "rope_parameters": rope, "pad_token_id": 0,
                          "bos_token_id": 1, "eos_token_id": 2, **(arguments or {})}

    def model(self):
        m = transformers.AutoModelForCausalLM.from_config(getattr(transformers, self.config)(**self.arguments), attn_implementation="eager")
        m = m.float().eval()
        with torch.no_grad():
            for name, p in list(m.named_parameters()) + list(m.named_buffers()):
                if name.endswith("e_score_correction_bias"):
                    p.copy_(0.5 * torch.randn_like(p))
                elif name.endswith("norm.weight") and not self.one:
                    p.copy_(1 + 0.2 * torch.randn_like(p))
                elif name.endswith(("bias", "norm.weight", "sinks")):
                    p.copy_(0.2 * torch.randn_like(p))
                elif p.dim() > 1 and "rotary" not in name:
                    p.copy_(1.5 * torch.randn_like(p) / WIDTH ** 0.5)
        return m

    def tensors(self, m):
        """Pairs of a GGUF name and an array, rows first."""
        for name, p in m.state_dict().items():
            w = p.float().numpy()
            if name.endswith("norm.weight") and self.one:
                w = w + 1
            if self.llama and (".q_proj" in name or ".k_proj" in name):
                w = paired(w, HEADS if ".q_proj" in name else KV)
            if name == "lm_head.weight":
                if not self.arguments["tie_word_embeddings"]:
                    yield "output.weight", w
            elif not name.startswith("model.layers."):
                whole = {"model.embed_tokens.weight": "token_embd.weight", "model.norm.weight": "output_norm.weight",
                         "model.norm.bias": "output_norm.bias"}
                yield whole[name], w
            else:
                _, _, layer, rest = name.split(".", 3)
                yield from self.layer("blk.%s." % layer, rest, w)

    def layer(self, p, rest, w):
        if rest in self.names:
            yield p + self.names[rest], w
            return
        stem, kind = rest.rsplit(".", 1)
        yield p + self.names[stem] + "." + kind, w


class GptOss(Family):
    """Experts' gates and values take turns, and inputs come before outputs."""

    def layer(self, p, rest, w):
        if not rest.startswith("mlp.experts."):
            yield from super().layer(p, rest, w)
            return
        part, bias = rest.removeprefix("mlp.experts.").removesuffix("_bias"), rest.endswith("_bias")
        w = w if bias else np.ascontiguousarray(w.swapaxes(1, 2))
        kind = ".bias" if bias else ".weight"
        if part == "down_proj":
            yield p + "ffn_down_exps" + kind, w
        else:
            yield p + "ffn_gate_exps" + kind, np.ascontiguousarray(w[:, 0::2])
            yield p + "ffn_up_exps" + kind, np.ascontiguousarray(w[:, 1::2])


SHARED = {"num_experts": 4, "n_routed_experts": 4, "num_local_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": EXPERT}
SLIDING = {"attention.sliding_window": 16}
FAMILIES = [
    Family("qwen2", "Qwen2Config", {"num_attention_heads": 4, "head_dim": WIDTH // 4, "use_sliding_window": False}),
    Family("qwen3moe", "Qwen3MoeConfig", {**SHARED, "norm_topk_prob": True}, keys=MOE),
    Family("gemma2", "Gemma2Config", {"sliding_window": 16, "query_pre_attn_scalar": DIM, "tie_word_embeddings": True,
                                      "attn_logit_softcapping": 2.0, "final_logit_softcapping": 10.0},
           SANDWICH, {**SLIDING, "attn_logit_softcapping": 2.0, "final_logit_softcapping": 10.0}, one=True),
    Family("gemma3", "Gemma3TextConfig", {"sliding_window": 16, "query_pre_attn_scalar": DIM, "tie_word_embeddings": True,
                                          "layer_types": ["sliding_attention"] * 3 + ["full_attention"],
                                          "final_logit_softcapping": None, "attn_logit_softcapping": None},
           SANDWICH, {**SLIDING, "attention.sliding_window_pattern": 4, "rope.freq_base": 1e6}, one=True,
           rope={"full_attention": {**ROPE, "rope_theta": 1e6}, "sliding_attention": ROPE}),
    Family("phi3", "Phi3Config", {"head_dim": DIM, "sliding_window": None}),
    GptOss("gpt-oss", "GptOssConfig", {**SHARED, "intermediate_size": EXPERT, "sliding_window": 16},
           {"post_attention_layernorm": "post_attention_norm"}, {**MOE, **SLIDING}),
    Family("glm4", "Glm4Config", {"attention_bias": True}, GLM, {"rope.dimension_count": DIM // 2}, rope=HALF),
    Family("glm4moe", "Glm4MoeConfig", {**SHARED, "n_shared_experts": 1, "first_k_dense_replace": 1, "norm_topk_prob": True,
                                        "routed_scaling_factor": 1.5, "attention_bias": True, "use_qk_norm": True, "n_group": 1, "topk_group": 1},
           {"post_attention_layernorm": "post_attention_norm"},
           {**MOE, "rope.dimension_count": DIM // 2, "expert_shared_count": 1, "leading_dense_block_count": 1, "expert_weights_norm": True,
            "expert_weights_scale": 1.5, "expert_gating_func": 2}, rope=HALF),
    Family("granite", "GraniteConfig", {"embedding_multiplier": 3.0, "residual_multiplier": 0.7, "attention_multiplier": 0.2, "logits_scaling": 2.0},
           keys={"embedding_scale": 3.0, "residual_scale": 0.7, "attention.scale": 0.2, "logit_scale": 2.0}, llama=True),
    Family("olmo2", "Olmo2Config", names={"post_attention_layernorm": "post_attention_norm", "post_feedforward_layernorm": "post_ffw_norm"}),
    Family("smollm3", "SmolLM3Config", {"use_sliding_window": False}, llama=True),
    Family("exaone4", "Exaone4Config", {"sliding_window": None, "layer_types": ["full_attention"] * LAYERS},
           {"post_attention_layernorm": "post_attention_norm", "post_feedforward_layernorm": "post_ffw_norm"}),
    Family("nemotron", "NemotronConfig", {"norm_eps": 1e-5}, keys={"rope.dimension_count": DIM // 2, "attention.layer_norm_epsilon": 1e-5},
           one=True, rope=HALF),
]


def write(folder, f):
    m = f.model()
    keys = shape_keys(f.arch, LAYERS, WIDTH, f.arguments["intermediate_size"], HEADS, KV, DIM, VOCAB, 1e4, 256, 1e-5)
    for k, v in f.keys.items():
        keys[f.arch + "." + k] = v
    entries, data = [], []
    for name, w in f.tensors(m):
        raw = np.ascontiguousarray(w, dtype="<f4").tobytes()
        entries.append((name, w.shape[::-1], F32, len(raw)))
        data.append(padded(raw))
    tokens = torch.randint(0, VOCAB, (1, 40))
    with torch.no_grad():
        logits = m(tokens).logits[0].float().numpy()
    path = "%s/%s" % (folder, f.arch)
    logits.astype("<f4").tofile(path + ".f32")
    with open(path + ".json", "w") as out:
        json.dump({"tokens": tokens[0].tolist()}, out)
    with open(path + ".gguf", "wb") as out:
        out.write(header(keys, entries) + b"".join(data))


if __name__ == "__main__":
    torch.manual_seed(11)
    for family in FAMILIES:
        try:
            write(sys.argv[1], family)
        except Exception as e:  # another version of transformers: the test says which families it had
            print("%s: %s: %s" % (family.arch, type(e).__name__, e), file=sys.stderr)
