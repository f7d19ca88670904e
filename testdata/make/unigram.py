#!/usr/bin/env python3
"""Write a small vocabulary of the Unigram kind, and texts to cut with it.

  unigram.py OUT   OUT/unigram.gguf and OUT/unigram.txt, a text a line, as JSON strings

The pieces are what occurs in the texts, with the logarithms of how often as scores, so
that there are many ways to cut a word. The same call gives the same bytes everywhere.
"""
import collections
import json
import math
import os
import struct
import sys

from families import text, value

TEXTS = [
    "All human beings are born free and equal in dignity and rights.", "They are endowed with reason and conscience.",
    "Alle Menschen sind frei und gleich an Würde und Rechten geboren.", "Sie sind mit Vernunft und Gewissen begabt.",
    "Tous les êtres humains naissent libres et égaux en dignité et en droits.", "人人生而自由,在尊严和权利上一律平等。",
    "Все люди рождаются свободными и равными в своем достоинстве и правах.", "すべての人間は、生まれながらにして自由である。",
    "  two  spaces   and a tab\there ", "line\nbreak\n\ntwo", "", " ", "a", "dignidignitydig", "freefreefree equalequal",
    "unknown \u0e01\u0e02 \u0e03 characters 🙂🙂 x🙂y", "</s> and <pad> in text, <0x41>", "▁ is written ▁▁ too", "1234567890 12,345.678",
    "ALL CAPS AND MiXeD", "e\u0301 combined, \u00e9 composed", "soft\u00adhyphen zero\u200bwidth", "\u00a0no-break\u3000wide",
]


def vocabulary():
    counts = collections.Counter()
    for t in TEXTS[:8] + ["12345 67890 .,:"]:
        t = "▁" + t.replace(" ", "▁")
        for n in range(1, 7):
            for i in range(len(t) - n + 1):
                piece = t[i:i + n]
                if "▁" not in piece[1:]:
                    counts[piece] += 1
    total = sum(counts.values())
    kept = sorted(c for c in counts if len(c) == 1 or counts[c] > 1 or len(c) > 4)
    pieces = [("<pad>", 3, 0.0), ("</s>", 3, 0.0), ("<unk>", 2, 0.0)]
    # Scores with few digits: the sums are the same everywhere.
    pieces += [(c, 1, round((math.log(counts[c] / total) + 1.3 * len(c) - 1.3) * 8) / 8) for c in kept]
    return pieces


if __name__ == "__main__":
    pieces = vocabulary()
    keys = {"general.architecture": "t5", "general.name": "small unigram", "t5.context_length": 64, "t5.embedding_length": 8,
            "t5.feed_forward_length": 8, "t5.block_count": 1, "t5.attention.head_count": 1, "t5.attention.key_length": 8,
            "t5.attention.value_length": 8, "t5.attention.layer_norm_epsilon": 1e-6, "t5.attention.layer_norm_rms_epsilon": 1e-6,
            "t5.attention.relative_buckets_count": 8, "t5.decoder_start_token_id": 0,
            "tokenizer.ggml.model": "t5", "tokenizer.ggml.pre": "default", "tokenizer.ggml.tokens": [p[0] for p in pieces],
            "tokenizer.ggml.scores": [p[2] for p in pieces],
            "tokenizer.ggml.add_space_prefix": True, "tokenizer.ggml.remove_extra_whitespaces": False,
            "tokenizer.ggml.eos_token_id": 1, "tokenizer.ggml.padding_token_id": 0, "tokenizer.ggml.unknown_token_id": 2}
    kinds = struct.pack("<IIQ%di" % len(pieces), 9, 5, len(pieces), *(p[1] for p in pieces))  # the format wants signed numbers
    head = b"GGUF" + struct.pack("<IQQ", 3, 0, len(keys) + 1) + b"".join(text(k) + value(v) for k, v in keys.items())
    head += text("tokenizer.ggml.token_type") + kinds
    with open(os.path.join(sys.argv[1], "unigram.gguf"), "wb") as f:
        f.write(head + b"\0" * (-len(head) % 32))
    with open(os.path.join(sys.argv[1], "unigram.txt"), "w") as f:
        f.writelines(json.dumps(t) + "\n" for t in TEXTS)
