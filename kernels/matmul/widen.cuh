// Rows of x, floats or rounded to bytes, on their way to halves or bfloat16 (widen.cu).
#pragma once
#include <cuda_bf16.h>

#include "float.cuh"

// A row as it comes.
struct WidenRow {
  const float* x;
  const uint8_t *q, *record;
  int form, k;
  __device__ __forceinline__ float scale(int s) const {  // of sub-block s
    if (form == form_q8k) return *(const float*)(record + (s >> 3) * record_q8k + 16);
    return *(const float*)(record + (s >> 3) * record_q8 + (s & 7) * 4);
  }
  // Values 16*i + 4*t .. + 3.
  __device__ __forceinline__ float4 four(int i, int t) const {
    if (form == form_float) return load4(x, i * 16 + 4 * t, k);
    uint32_t w = *(const uint32_t*)(q + (i >> 2) * 64 + t * 16 + (i & 3) * 4);
    float s = scale(i >> 1);
    return make_float4(s * (int8_t)w, s * (int8_t)(w >> 8), s * (int8_t)(w >> 16), s * (int8_t)(w >> 24));
  }
};

// The power of two that brings a row's largest value to 2^14 .. 2^15, and the one that takes it back.
struct RowPower {
  float times, back;
  __device__ __forceinline__ explicit RowPower(float top) {
    int up = top > 0 ? min(max(14 + 127 - (int)(__float_as_uint(top) >> 23), -100), 100) : 0;
    times = __uint_as_float((127 + up) << 23), back = __uint_as_float((127 - up) << 23);
  }
};

static __device__ __forceinline__ uint32_t two(float a, float b, bool bfloat16) {
  if (bfloat16) {
    __nv_bfloat162 v = __floats2bfloat162_rn(a, b);
    return *(uint32_t*)&v;
  }
  __half2 v = __floats2half2_rn(a, b);
  return *(uint32_t*)&v;
}

// Writes values 16*i .. + 15 of a row: [4 * chunks][padded][64], the pieces as row `within` has them.
static __device__ __forceinline__ void
widen16(const WidenRow& r, int i, float times, bool bfloat16, uint8_t* out, int padded, int row, int within) {
  uint32_t v[2][4];
#pragma unroll
  for (int t = 0; t < 4; t++) {
    float4 x = r.four(i, t);
    bool floats = r.form == form_float;
    v[0][t] = two(x.x * times, (floats ? x.y : x.z) * times, bfloat16);
    v[1][t] = two((floats ? x.z : x.y) * times, x.w * times, bfloat16);
  }
  uint8_t* to = out + ((size_t)(i >> 2) * padded + row) * 128;
#pragma unroll
  for (int h = 0; h < 2; h++)
    *(uint4*)(to + ((2 * (i & 3) + h) ^ (within & 7)) * 16) = make_uint4(v[h][0], v[h][1], v[h][2], v[h][3]);
}
