#!/usr/bin/env python3
"""Write tiny random models of the families that ../models has no larger one of.

  families.py OUT [NAME,NAME...]

Python alone is enough, and the same call gives the same bytes everywhere: the
weights come from random.Random, seeded with the file's name. What the models say
is noise; that they take every turn of their architecture is the point: norms are
not ones, biases are not zeros, windows are shorter than the prompt of 40 tokens,
scales are not 1, and the router's bias and groups change which experts are chosen.
The files have no tokenizer: 64 ids.
"""
import array
import math
import os
import random
import struct
import sys
import zlib

VOCAB = 64

# ---------------------------------------------------------------- GGUF


def text(s):
    return struct.pack("<Q", len(s.encode())) + s.encode()


def value(v):
    """A metadata value behind its type, which follows the Python type."""
    if isinstance(v, bool):
        return struct.pack("<I?", 7, v)
    if isinstance(v, int):
        return struct.pack("<II", 4, v)
    if isinstance(v, float):
        return struct.pack("<If", 6, v)
    if isinstance(v, str):
        return struct.pack("<I", 8) + text(v)
    each = [value(x) for x in v]
    return struct.pack("<I", 9) + each[0][:4] + struct.pack("<Q", len(v)) + b"".join(e[4:] for e in each)


class Model:
    """One file in the making. Shapes are in GGUF's order, the contiguous extent first."""

    def __init__(self, name, arch, **sizes):
        self.name, self.arch, self.head, self.data, self.at, self.count = name, arch, b"", [], 0, 0
        self.rng = random.Random(zlib.crc32(name.encode()))
        self.e, self.ff, self.heads, self.kv, self.hd, self.layers = 16, 24, 2, 1, 16, 2
        self.__dict__.update(sizes)
        self.keys = {"general.architecture": arch, "general.name": "tiny random " + name, "general.license": "cc0-1.0",
                     "general.file_type": 0, "tokenizer.ggml.model": "none"}
        self.set(vocab_size=VOCAB, context_length=256, embedding_length=self.e, block_count=self.layers,
                 feed_forward_length=self.ff)
        self.set("attention.", head_count=self.heads, head_count_kv=self.kv, key_length=self.hd, value_length=self.hd,
                 layer_norm_rms_epsilon=1e-5)
        self.set("rope.", freq_base=10000.0, dimension_count=self.hd)

    def set(self, group="", **values):
        for k, v in values.items():
            self.keys["%s.%s%s" % (self.arch, group, k)] = v

    def add(self, name, *shape, sigma=None, mean=0.0):
        """Normal values; without a deviation one over the root of the row."""
        sigma = shape[0] ** -0.5 if sigma is None else sigma
        raw = array.array("f", (mean + sigma * self.rng.gauss(0, 1) for _ in range(math.prod(shape)))).tobytes()
        self.head += text(name) + struct.pack("<I%dQIQ" % len(shape), len(shape), *shape, 0, self.at)
        raw += b"\0" * (-len(raw) % 32)
        self.data.append(raw)
        self.at += len(raw)
        self.count += 1

    def norm(self, name, width, mean=1.0):
        self.add(name + ".weight", width, sigma=0.1 * mean, mean=mean)

    def bias(self, name, *shape):
        self.add(name + ".bias", *shape, sigma=0.2)

    def ends(self, norm="output_norm"):
        self.add("token_embd.weight", self.e, VOCAB, sigma=1.0)
        self.norm(norm, self.e)
        self.add("output.weight", self.e, VOCAB, sigma=3 * self.e ** -0.5)

    def blocks(self):
        return ((i, "blk.%d." % i) for i in range(self.layers))

    def attention(self, p, bias=False):
        for n, rows in (("q", self.heads), ("k", self.kv), ("v", self.kv)):
            self.add(p + "attn_%s.weight" % n, self.e, rows * self.hd)
            if bias:
                self.bias(p + "attn_" + n, rows * self.hd)
        self.add(p + "attn_output.weight", self.heads * self.hd, self.e)

    def head_norms(self, p):
        self.norm(p + "attn_q_norm", self.hd)
        self.norm(p + "attn_k_norm", self.hd)

    def gated(self, p, ff=None, suffix=""):
        ff = ff or self.ff
        self.add(p + "ffn_gate%s.weight" % suffix, self.e, ff)
        self.add(p + "ffn_up%s.weight" % suffix, self.e, ff)
        self.add(p + "ffn_down%s.weight" % suffix, ff, self.e)

    def experts(self, p, n, ff, bias=True):
        self.add(p + "ffn_gate_inp.weight", self.e, n, sigma=2 * self.e ** -0.5)
        if bias:
            self.add(p + "exp_probs_b.bias", n, sigma=0.5)
        for part, k, rows in (("gate", self.e, ff), ("up", self.e, ff), ("down", ff, self.e)):
            self.add(p + "ffn_%s_exps.weight" % part, k, rows, n)

    def expert_keys(self, n, used, ff, **more):
        self.set("expert_", count=n, used_count=used, feed_forward_length=ff, **more)

    def write(self, folder):
        path = os.path.join(folder, "tiny-%s-f32.gguf" % self.name)
        top = b"GGUF" + struct.pack("<IQQ", 3, self.count, len(self.keys))
        top += b"".join(text(k) + value(v) for k, v in self.keys.items()) + self.head
        with open(path, "wb") as f:
            f.write(top + b"\0" * (-len(top) % 32) + b"".join(self.data))
        print("%-32s %7d bytes" % (os.path.basename(path), os.path.getsize(path)))


# ---------------------------------------------------------------- families


def glm4moe(name):
    """A dense layer, then experts with a router's bias and a shared one; the last layer
    predicts further ahead and is not run."""
    m = Model(name, "glm4moe", layers=3, ff=40)
    m.expert_keys(6, 2, 16, shared_count=1, weights_norm=True, weights_scale=1.5, gating_func=2)
    m.set(leading_dense_block_count=1, nextn_predict_layers=1)
    m.set("rope.", dimension_count=m.hd // 2)
    m.ends()
    for i, p in m.blocks():
        m.norm(p + "attn_norm", m.e)
        m.attention(p, bias=True)
        m.head_norms(p)
        m.norm(p + "post_attention_norm", m.e)
        if i == 0:
            m.gated(p)
        else:
            m.experts(p, 6, 16)
            m.gated(p, 16, "_shexp")
        if i == m.layers - 1:
            m.add(p + "nextn.eh_proj.weight", 2 * m.e, m.e)
            m.norm(p + "nextn.enorm", m.e)
            m.norm(p + "nextn.hnorm", m.e)
    return m


def olmo2(name):
    """Norms of whole q and k, and none before attention and feed-forward. As Olmo 3 with
    layers that slide, to which the scaling of positions does not apply."""
    m = Model(name, "olmo2", e=32)
    m.set("attention.", sliding_window=8, sliding_window_pattern=2)
    m.set("rope.scaling.", type="yarn", factor=8.0, original_context_length=32, attn_factor=1.1)
    post_normed(m, m.heads * m.hd, m.kv * m.hd)
    return m


def post_normed(m, q_norm, k_norm, mean=1.0):
    m.ends()
    for _, p in m.blocks():
        m.attention(p)
        m.norm(p + "attn_q_norm", q_norm)
        m.norm(p + "attn_k_norm", k_norm)
        m.norm(p + "post_attention_norm", m.e, mean)
        m.gated(p)
        m.norm(p + "post_ffw_norm", m.e, mean)


def exaone4(name):
    """The small one: no layer slides."""
    m = Model(name, "exaone4", hd=8)
    post_normed(m, m.hd, m.hd)
    return m


def exaone4swa(name):
    """64 layers as the large one has, by which it is known: three of four slide, and the
    full ones have no positions. A layer adds little, so that roundings stay small."""
    m = Model(name, "exaone4", layers=64, e=8, ff=8, hd=4)
    m.set("attention.", sliding_window=8, sliding_window_pattern=4)
    post_normed(m, m.hd, m.hd, 0.2)
    return m


def granite(name):
    """Scales of embeddings, residuals, attention and logits."""
    m = Model(name, "granite")
    m.set(embedding_scale=3.0, residual_scale=0.7, logit_scale=2.0)
    m.set("attention.", scale=0.2)
    m.ends()
    for _, p in m.blocks():
        m.norm(p + "attn_norm", m.e)
        m.attention(p)
        m.norm(p + "ffn_norm", m.e)
        m.gated(p)
    return m


def granitemoe(name):
    """Experts and a shared one."""
    m = Model(name, "granitemoe", ff=16)
    m.set(embedding_scale=3.0, residual_scale=0.7, logit_scale=2.0)
    m.set("attention.", scale=0.2)
    m.set("expert_", count=6, used_count=2, shared_feed_forward_length=24)
    m.ends()
    for _, p in m.blocks():
        m.norm(p + "attn_norm", m.e)
        m.attention(p)
        m.norm(p + "ffn_norm", m.e)
        m.experts(p, 6, 16, bias=False)
        m.gated(p, 24, "_shexp")
    return m


def nemotron(name):
    """Norms by mean and deviation, half a head turns, squared ReLU without a gate, biases."""
    m = Model(name, "nemotron", hd=8)
    m.set("attention.", layer_norm_epsilon=1e-5)
    m.set("rope.", dimension_count=m.hd // 2)
    m.ends()
    m.bias("output_norm", m.e)
    for _, p in m.blocks():
        for norm in ("attn_norm", "ffn_norm"):
            m.norm(p + norm, m.e)
            m.bias(p + norm, m.e)
        m.attention(p, bias=True)
        m.bias(p + "attn_output", m.e)
        for part, k, rows in (("up", m.e, m.ff), ("down", m.ff, m.e)):
            m.add(p + "ffn_%s.weight" % part, k, rows)
            m.bias(p + "ffn_" + part, rows)
    return m


def deepseek2(name):
    """As V3: compressed queries, keys and values, experts in groups chosen by biased
    sigmoids, YaRN with its factor in the scores."""
    m = latent(name, split=True, q_rank=24)
    m.set("rope.scaling.", type="yarn", factor=8.0, original_context_length=32, yarn_log_multiplier=0.1)
    m.expert_keys(8, 3, 16, shared_count=1, weights_norm=True, weights_scale=2.5, gating_func=2, group_count=4, group_used_count=2)
    return m


def deepseek2lite(name):
    """As V2 Lite in its first files: queries in one piece, keys and values joined,
    softmax routing, a factor on YaRN that is not 1."""
    m = latent(name, split=False, q_rank=0)
    m.set("rope.scaling.", type="yarn", factor=8.0, original_context_length=32, yarn_log_multiplier=0.0707)
    m.expert_keys(8, 3, 16, shared_count=2, weights_norm=False, weights_scale=1.0)
    return m


def latent(name, split, q_rank):
    rope, nope, v, rank = 8, 16, 12, 16
    m = Model(name, "deepseek2", heads=3, kv=3, hd=rope + nope)
    m.set(leading_dense_block_count=1)
    m.set("attention.", q_lora_rank=q_rank, kv_lora_rank=rank, value_length=v)
    m.set("rope.", dimension_count=rope)
    if split:
        m.set("attention.", head_count_kv=1, key_length=rank + rope, value_length=rank, key_length_mla=rope + nope, value_length_mla=v)
    m.ends()
    for i, p in m.blocks():
        m.norm(p + "attn_norm", m.e)
        if q_rank:
            m.add(p + "attn_q_a.weight", m.e, q_rank)
            m.norm(p + "attn_q_a_norm", q_rank)
        m.add(p + ("attn_q_b.weight" if q_rank else "attn_q.weight"), q_rank or m.e, m.heads * m.hd)
        m.add(p + "attn_kv_a_mqa.weight", m.e, rank + rope)
        m.norm(p + "attn_kv_a_norm", rank)
        if split:
            m.add(p + "attn_k_b.weight", nope, rank, m.heads)
            m.add(p + "attn_v_b.weight", rank, v, m.heads)
        else:
            m.add(p + "attn_kv_b.weight", rank, m.heads * (nope + v))
        m.add(p + "attn_output.weight", m.heads * v, m.e)
        m.norm(p + "ffn_norm", m.e)
        if i == 0:
            m.gated(p)
        else:
            m.experts(p, 8, 16, bias=q_rank > 0)
            m.gated(p, 16 if q_rank else 32, "_shexp")
    return m


def lfm2(name):
    """Short convolutions in layers 0 and 2, attention in 1."""
    m = Model(name, "lfm2", layers=3, hd=8)
    short_convolutions(m, dense=3)
    return m


def lfm2moe(name):
    """The same with experts from the second layer on."""
    m = Model(name, "lfm2moe", layers=3, ff=40, hd=8)
    m.expert_keys(6, 2, 16, gating_func=2)
    m.set(leading_dense_block_count=1)
    short_convolutions(m, dense=1)
    return m


def short_convolutions(m, dense):
    taps = 3
    m.set("shortconv.", l_cache=taps)
    m.set("attention.", head_count_kv=[m.kv if i % 2 else 0 for i in range(m.layers)])
    m.ends("token_embd_norm")
    for i, p in m.blocks():
        m.norm(p + "attn_norm", m.e)
        if i % 2:
            m.attention(p)
            m.head_norms(p)
        else:
            m.add(p + "shortconv.in_proj.weight", m.e, 3 * m.e)
            m.add(p + "shortconv.conv.weight", taps, m.e)
            m.add(p + "shortconv.out_proj.weight", m.e, m.e)
        m.norm(p + "ffn_norm", m.e)
        if i < dense:
            m.gated(p)
        else:
            m.experts(p, 6, 16)


FAMILIES = {"glm4moe": glm4moe, "olmo2": olmo2, "exaone4": exaone4, "exaone4-swa": exaone4swa, "granite": granite,
            "granitemoe": granitemoe, "nemotron": nemotron, "deepseek2": deepseek2, "deepseek2-lite": deepseek2lite,
            "lfm2": lfm2, "lfm2moe": lfm2moe}

if __name__ == "__main__":
    os.makedirs(sys.argv[1], exist_ok=True)
    for name in sys.argv[2].split(",") if len(sys.argv) > 2 else FAMILIES:
        FAMILIES[name](name).write(sys.argv[1])
