"""Models for tests on a GPU, as GGUF files.

models.py oracle DIR: small random Llama and Qwen3 models, in F32 and BF16, each with
the logits that transformers gives for some tokens: NAME.gguf, NAME.json (tokens),
NAME.f32 (a row of logits a token, float32 arithmetic), NAME.own (in the model's own
type).
models.py big FILE: a random model with the shape of Llama 8B in Q4_K_M.
"""
import json
import struct
import sys

import numpy as np

F32, Q4_K, Q6_K, BF16 = 0, 12, 14, 30


def text(s):
    return struct.pack("<Q", len(s.encode())) + s.encode()


def header(keys, entries):
    """keys: name -> value; entries: (name, shape with the contiguous extent first, type, bytes)."""
    out = b"GGUF" + struct.pack("<IQQ", 3, len(entries), len(keys))
    for name, v in keys.items():
        kind, form = (8, "") if isinstance(v, str) else (7, "<?") if isinstance(v, bool) else (6, "<f") if isinstance(v, float) else (4, "<I")
        out += text(name) + struct.pack("<I", kind) + (text(v) if kind == 8 else struct.pack(form, v))
    at = 0
    for name, shape, kind, size in entries:
        out += text(name) + struct.pack("<I%dQIQ" % len(shape), len(shape), *shape, kind, at)
        at += -(-size // 32) * 32
    return out + b"\0" * (-len(out) % 32)


def padded(data):
    return data + b"\0" * (-len(data) % 32)


def shape_keys(arch, layers, embd, ff, heads, kv, dim, vocab, base, context, eps):
    return {
        "general.architecture": arch, "general.name": "random " + arch, arch + ".block_count": layers,
        arch + ".context_length": context, arch + ".embedding_length": embd, arch + ".feed_forward_length": ff,
        arch + ".attention.head_count": heads, arch + ".attention.head_count_kv": kv, arch + ".attention.key_length": dim,
        arch + ".attention.value_length": dim, arch + ".rope.dimension_count": dim, arch + ".rope.freq_base": float(base),
        arch + ".attention.layer_norm_rms_epsilon": float(eps), arch + ".vocab_size": vocab, "tokenizer.ggml.model": "none",
    }


def paired(w, heads):
    """Rows of a head from halves, as transformers rotates them, to pairs, as llama files have them."""
    n, k = w.shape
    return w.reshape(heads, 2, n // heads // 2, k).swapaxes(1, 2).reshape(n, k)


NAMES = {
    "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output",
    "self_attn.q_norm": "attn_q_norm", "self_attn.k_norm": "attn_k_norm", "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down", "input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm",
}


def gguf_name(name):
    whole = {"model.embed_tokens.weight": "token_embd.weight", "model.norm.weight": "output_norm.weight", "lm_head.weight": "output.weight"}
    if name in whole:
        return whole[name]
    _, _, layer, rest = name.split(".", 3)
    return "blk.%s.%s.weight" % (layer, NAMES[rest.removesuffix(".weight")])


def oracle(folder):
    import torch
    import transformers

    torch.manual_seed(7)
    layers, embd, ff, heads, kv, dim, vocab, base, eps = 3, 256, 512, 8, 2, 64, 320, 1e4, 1e-5
    for arch, config, model in (("llama", transformers.LlamaConfig, transformers.LlamaForCausalLM),
                                ("qwen3", transformers.Qwen3Config, transformers.Qwen3ForCausalLM)):
        c = config(vocab_size=vocab, hidden_size=embd, intermediate_size=ff, num_hidden_layers=layers, num_attention_heads=heads,
                   num_key_value_heads=kv, head_dim=dim, max_position_embeddings=512, rms_norm_eps=eps, tie_word_embeddings=False,
                   rope_parameters={"rope_type": "default", "rope_theta": base}, attn_implementation="eager")
        m = model(c).float().eval()
        with torch.no_grad():
            for name, p in m.named_parameters():
                p.copy_(1 + 0.2 * torch.randn_like(p) if p.dim() == 1 else 1.5 * torch.randn_like(p) / p.shape[1] ** 0.5)
        tokens = torch.randint(0, vocab, (1, 100))
        for kind in ("f32", "bf16"):
            if kind == "bf16":
                # The weights alone: the rotary frequencies stay as they are.
                with torch.no_grad():
                    for p in m.parameters():
                        p.copy_(p.bfloat16().float())
            entries, data = [], []
            for name, p in m.named_parameters():
                w = p.detach().numpy()
                if arch == "llama" and (".q_proj" in name or ".k_proj" in name):
                    w = paired(w, heads if ".q_proj" in name else kv)
                half = kind == "bf16" and w.ndim > 1
                raw = (np.ascontiguousarray(w).view(np.uint32) >> 16).astype(np.uint16).tobytes() if half else np.ascontiguousarray(w).tobytes()
                entries.append((gguf_name(name), w.shape[::-1], BF16 if half else F32, len(raw)))
                data.append(padded(raw))
            path = "%s/%s-%s" % (folder, arch, kind)
            with open(path + ".gguf", "wb") as f:
                f.write(header(shape_keys(arch, layers, embd, ff, heads, kv, dim, vocab, base, 512, eps), entries) + b"".join(data))
            with torch.no_grad():
                exact = m(tokens).logits[0].float().numpy()
                own = exact
                if kind == "bf16":
                    buffers = [(part, n, b) for part in m.modules() for n, b in part._buffers.items()]
                    m.bfloat16()
                    for part, n, b in buffers:
                        part._buffers[n] = b
                    own = m(tokens).logits[0].float().numpy()
            exact.astype("<f4").tofile(path + ".f32")
            own.astype("<f4").tofile(path + ".own")
            with open(path + ".json", "w") as f:
                json.dump({"tokens": tokens[0].tolist()}, f)


def big(path):
    layers, embd, ff, heads, kv, dim, vocab = 32, 4096, 14336, 32, 8, 128, 128256
    r = np.random.default_rng(1)
    noise = r.integers(0, 256, 1 << 24, dtype=np.uint8)
    # Values and bytes of a block, where its scales stand, and the scales for a deviation of 1.
    kinds = {Q4_K: (256, 144, 0, (1 / 167, 7.5 / 167)), Q6_K: (256, 210, 208, (1 / 1367,))}
    entries, sigmas = [], []

    def add(name, shape, kind, sigma=1.0):
        count = int(np.prod(shape))
        size = 4 * count if kind == F32 else count // kinds[kind][0] * kinds[kind][1]
        entries.append((name, shape, kind, size))
        sigmas.append(sigma)

    add("token_embd.weight", (embd, vocab), Q4_K, 0.02)
    add("output_norm.weight", (embd,), F32)
    add("output.weight", (embd, vocab), Q6_K, 0.02)
    for i in range(layers):
        # Q4_K_M gives the first and last eighth and every third layer between more bits.
        more = Q6_K if i < layers // 8 or i >= 7 * layers // 8 or (i - layers // 8) % 3 == 2 else Q4_K
        for name, shape, kind in (("attn_norm", (embd,), F32), ("attn_q", (embd, embd), Q4_K), ("attn_k", (embd, kv * dim), Q4_K),
                                  ("attn_v", (embd, kv * dim), more), ("attn_output", (embd, embd), Q4_K), ("ffn_norm", (embd,), F32),
                                  ("ffn_gate", (embd, ff), Q4_K), ("ffn_up", (embd, ff), Q4_K), ("ffn_down", (ff, embd), more)):
            add("blk.%d.%s.weight" % (i, name), shape, kind, 0.5 * shape[0] ** -0.5)
    with open(path, "wb") as f:
        f.write(header(shape_keys("llama", layers, embd, ff, heads, kv, dim, vocab, 5e5, 131072, 1e-5), entries))
        for (name, shape, kind, size), sigma in zip(entries, sigmas):
            if kind == F32:
                raw = np.ones(size // 4, np.float32).tobytes()
            else:
                _, block, at, scales = kinds[kind]
                part = np.resize(noise[: len(noise) // block * block], (min(size, len(noise) // block * block)) // block * block).reshape(-1, block).copy()
                for k, s in enumerate(scales):
                    part[:, at + 2 * k:at + 2 * k + 2] = np.frombuffer(np.float16(sigma * s).tobytes(), np.uint8)
                whole = part.tobytes()
                raw = (whole * (size // len(whole) + 1))[:size]
            f.write(padded(raw))


if __name__ == "__main__":
    {"oracle": oracle, "big": big}[sys.argv[1]](sys.argv[2])
