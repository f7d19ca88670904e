// How weights and activations lie in device memory.
//
// Quantised weights come in tiles of 16 rows x 256 values, tile after tile along a
// row of tiles. A tile begins with its integers in the order in which the lanes of a
// warp feed them to mma.m16n8k32: for lane (g, t) = (lane / 4, lane % 4), register i
// and byte b, the value of row g + 8*(i & 1), at 32*s + 16*(i >> 1) + 4*t + b in
// sub-block s of 32. Low four bits: [s / 2][lane][i], even sub-blocks in the low
// nibble. A fifth bit: [lane][i], bit s of each byte. Two high bits (Q6_K):
// [s / 4][lane][i], bits 2*(s % 4). Q8_0: [s][lane][i], whole bytes. Then come 16
// bytes of scales for each row, as the type needs them. Signed types (Q4_0, Q5_0,
// Q6_K) are stored as two's complement, and are read into the top bits of a byte,
// which makes them 16, 8 or 4 times too large.
//
// Float weights come in tiles of 16 rows x 16 values: lane (g, t) holds values
// 4*t .. 4*t+3 of row g and then of row g + 8.
//
// Activations for quantised weights are rounded to bytes, 256 values at a time in the
// order [s / 2][t][s % 2][k / 16 % 2][4], and beside them stands a record for each
// 256: for K types (form 2) the sums of each 32 as 64*high + low, high[8], low[8],
// then the scale; for the others (form 1) the scales of each 32 and the scales times
// the sums.
#pragma once
#include "common.cuh"

enum { F32 = 0, F16 = 1, Q4_0 = 2, Q4_1 = 3, Q5_0 = 6, Q5_1 = 7, Q8_0 = 8, Q4_K = 12, Q5_K = 13, Q6_K = 14, BF16 = 30 };

enum { form_float = 0, form_q8 = 1, form_q8k = 2 };
enum { record_q8 = 64, record_q8k = 32 };

template <int T> struct Layout {
  static constexpr bool k = T == Q4_K || T == Q5_K || T == Q6_K;
  static constexpr bool fifth = T == Q5_0 || T == Q5_1 || T == Q5_K;
  static constexpr bool minimum = T == Q4_1 || T == Q5_1;
  static constexpr int low = T == Q8_0 ? 8 : 4;              // in 512 bytes
  static constexpr int high = fifth ? 1 : T == Q6_K ? 2 : 0;  // likewise
  static constexpr int scales = (low + high) * 512;           // where they begin
  static constexpr int bytes = scales + 256 + (minimum ? 256 : 0) + (T == Q6_K ? 32 : 0);
};

// The size of a tile, by number.
static __device__ __forceinline__ int tile_bytes(int type) {
  switch (type) {
    case F32: return 1024;
    case F16: case BF16: return 512;
    case Q4_0: return Layout<Q4_0>::bytes;
    case Q4_1: return Layout<Q4_1>::bytes;
    case Q5_0: return Layout<Q5_0>::bytes;
    case Q5_1: return Layout<Q5_1>::bytes;
    case Q8_0: return Layout<Q8_0>::bytes;
    case Q4_K: return Layout<Q4_K>::bytes;
    case Q5_K: return Layout<Q5_K>::bytes;
    default: return Layout<Q6_K>::bytes;
  }
}

// Rounds a warp's 256 values, eight neighbours a lane, the way the CPU's forms do, and
// writes them with their record. All lanes take part.
static __device__ __forceinline__ void round_values(const float v[8], int form, int8_t* q, uint8_t* record) {
  int lane = threadIdx.x & 31, s = lane >> 2;
  float top = 0;
  for (int i = 0; i < 8; i++) top = fmaxf(top, fabsf(v[i]));
  top = fmaxf(top, __shfl_xor_sync(~0u, top, 1));
  top = fmaxf(top, __shfl_xor_sync(~0u, top, 2));
  if (form == form_q8k) {
    for (int o = 4; o < 32; o <<= 1) top = fmaxf(top, __shfl_xor_sync(~0u, top, o));
  }
  float inverse = top > 0 ? __fdiv_rn(127.f, top) : 0.f;
  int sum = 0, n[8];
  for (int i = 0; i < 8; i++) {
    n[i] = __float2int_rn(__fmul_rn(v[i], inverse));
    sum += n[i];
  }
  uint32_t words[2];
  for (int h = 0; h < 2; h++)
    words[h] = (n[4 * h] & 255) | (n[4 * h + 1] & 255) << 8 | (n[4 * h + 2] & 255) << 16 | (uint32_t)n[4 * h + 3] << 24;
  // Values 8*(lane & 3) .. +7 of the sub-block: half (lane & 3) / 2, and two of its
  // four groups t.
  uint32_t* to = (uint32_t*)q + (s >> 1) * 16 + (s & 1) * 2 + ((lane >> 1) & 1) + (lane & 1) * 8;
  to[0] = words[0];
  to[4] = words[1];
  sum += __shfl_xor_sync(~0u, sum, 1);
  sum += __shfl_xor_sync(~0u, sum, 2);
  if (lane & 3) return;
  if (form == form_q8k) {
    int high = (sum + 32) >> 6;
    record[s] = (uint8_t)high;
    record[8 + s] = (uint8_t)(sum - 64 * high);
    if (lane == 0) *(float*)(record + 16) = top > 0 ? __fdiv_rn(1.f, inverse) : 0.f;
    return;
  }
  float scale = __half2float(__float2half_rn(__fdiv_rn(top, 127.f)));
  ((float*)record)[s] = scale;
  ((float*)record)[8 + s] = __fmul_rn(scale, (float)sum);
}

// Where an operation leaves its result rounded for the products that read it next.
struct Rounded {
  int8_t* q;        // null: nowhere
  uint8_t* record;
  int form, chunks;  // 256 values each
};

static __device__ __forceinline__ void emit(const Rounded& r, int row, int chunk, const float v[8]) {
  if (r.q == nullptr) return;
  size_t at = (size_t)row * r.chunks + chunk;
  round_values(v, r.form, r.q + at * 256, r.record + at * (r.form == form_q8k ? record_q8k : record_q8));
}
