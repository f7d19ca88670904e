// What draws share: their arguments, the order of tokens, and the noise of philox.go.
#pragma once
#include "tile.cuh"

enum { flag_temperature_last = 1, flag_min_p = 2 };
// A segment is 128 neighbouring tokens, a share 4,096; a row has at most most_segments.
enum { most_alternatives = 64, list_size = 2048, segment = 128, share = 4096, most_segments = 4096, most_shares = 128 };

struct DrawRow {
  float temperature, scale, filter_scale, top_p, min_p_log, repeat, presence, frequency;
  int top_k;
  unsigned seed_low, seed_high;
  int pos, history, history_count, alternatives, flags;
};

struct Drawn {
  int id;
  float log_prob, prob;
};

struct SampleArgs {
  float* logits;
  const DrawRow* rows;
  const int* history;
  const int* count;  // rows
  Drawn* drawn;
  Drawn* alternatives;  // most_alternatives a row
  float* saved;         // room for the logits of a row's history
  float* maxima;        // of a row's segments, most_segments a row
  float2* shares;       // largest logit and sum of exponentials below it, most_shares a row
  int vocab, ld, history_max, pad;
};

typedef unsigned long long u64;

// Tokens come in the order of their ranks: larger logits first, then lower ids.
static __device__ __forceinline__ u64 rank_of(float v, int id) { return (u64)(~ordered(v)) << 32 | (uint32_t)id; }

// Philox4x32-10 at one counter; see philox.go.
static __device__ uint32_t philox(uint32_t c0, uint32_t c1, uint32_t k0, uint32_t k1, int word) {
  uint32_t c2 = 0, c3 = 0;
  for (int i = 0; i < 10; i++) {
    uint32_t ah = __umulhi(c0, 0xD2511F53u), al = c0 * 0xD2511F53u;
    uint32_t bh = __umulhi(c2, 0xCD9E8D57u), bl = c2 * 0xCD9E8D57u;
    c0 = bh ^ c1 ^ k0;
    c1 = bl;
    c2 = ah ^ c3 ^ k1;
    c3 = al;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return word == 0 ? c0 : word == 1 ? c1 : word == 2 ? c2 : c3;
}

static __device__ float log_float(float x) {
  const float q[9] = {-0.4999999701976776f, 0.3333333134651184f, -0.2500078082084656f,
                      0.20001234114170074f, -0.16626645624637604f, 0.14204855263233185f,
                      -0.13127554953098297f, 0.12722672522068024f, -0.07673641294240952f};
  uint32_t bits = __float_as_uint(x);
  int e = (int)(bits - 0x3f3504f3u) >> 23;
  float f = __fsub_rn(__uint_as_float(bits - ((uint32_t)e << 23)), 1.f);
  float p = q[8];
  for (int i = 7; i >= 0; i--) p = __fadd_rn(__fmul_rn(p, f), q[i]);
  float y = __fadd_rn(__fmul_rn(__fmul_rn(f, f), p), __fmul_rn((float)e, -2.1219444005471377e-4f));
  return __fadd_rn(__fadd_rn(y, f), __fmul_rn((float)e, 0.693359375f));
}

static __device__ float gumbel(const DrawRow& r, int id) {
  uint32_t word = philox((uint32_t)id >> 2, (uint32_t)r.pos, r.seed_low, r.seed_high, id & 3);
  float u = (float)(word >> 8 | 1) * 5.9604644775390625e-8f;
  return -log_float(-log_float(u));
}
