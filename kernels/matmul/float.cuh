// A warp's work on 16 x 16 float weights. The tensor cores take tf32, which holds F16
// and BF16 exactly; x, and W in F32, go in as a rounded value and what that leaves.
#pragma once
#include "mul.cuh"

template <int T> struct FloatTile {
  uint4 w[T == F32 ? 2 : 1];
  static constexpr int bytes = T == F32 ? 1024 : 512;
  __device__ __forceinline__ void load(const uint8_t* p, int lane) {
    w[0] = load_weights(p + lane * 16);
    if (T == F32) w[T == F32 ? 1 : 0] = load_weights(p + 512 + lane * 16);
  }
  // Value c of row g (r = 0) or g + 8.
  __device__ __forceinline__ float at(int r, int c) const {
    if (T == F32) {
      const uint4& v = w[T == F32 ? r : 0];
      return __uint_as_float(c == 0 ? v.x : c == 1 ? v.y : c == 2 ? v.z : v.w);
    }
    int i = 2 * r + (c >> 1);
    uint32_t v = i == 0 ? w[0].x : i == 1 ? w[0].y : i == 2 ? w[0].z : w[0].w;
    if (T == BF16) return __uint_as_float(c & 1 ? v & 0xffff0000 : v << 16);
    return __half2float(__ushort_as_half((unsigned short)(c & 1 ? v >> 16 : v)));
  }
};

// The A registers of a tile: k slots t and t+4 of product j are values 2j and 2j+1.
template <int T> struct FloatReady {
  uint32_t high[2][4], low[2][4];
  __device__ __forceinline__ void set(const FloatTile<T>& w) {
#pragma unroll
    for (int j = 0; j < 2; j++)
#pragma unroll
      for (int i = 0; i < 4; i++) {
        float v = w.at(i & 1, 2 * j + (i >> 1)), h = T == F32 ? round_tf32(v) : v;
        high[j][i] = __float_as_uint(h);
        low[j][i] = __float_as_uint(round_tf32(v - h));
      }
  }
  // acc += the tile times 8 rows of x, whose values 4t .. 4t+3 the lane gives in two.
  __device__ __forceinline__ void mul(float acc[4], const float xh[4], const float xl[4]) const {
#pragma unroll
    for (int j = 0; j < 2; j++) {
      uint32_t h0 = __float_as_uint(xh[2 * j]), h1 = __float_as_uint(xh[2 * j + 1]);
      mma_tf32(acc, high[j], h0, h1);
      mma_tf32(acc, high[j], __float_as_uint(xl[2 * j]), __float_as_uint(xl[2 * j + 1]));
      if (T == F32) mma_tf32(acc, low[j], h0, h1);
    }
  }
};

// Values k .. k+3 of a row of x; beyond the end they are 0.
static __device__ __forceinline__ float4 load4(const float* row, int k, int n) {
  if (k + 4 <= n && ((uintptr_t)(row + k) & 15) == 0) return *(const float4*)(row + k);
  return make_float4(k < n ? row[k] : 0.f, k + 1 < n ? row[k + 1] : 0.f, k + 2 < n ? row[k + 2] : 0.f, k + 3 < n ? row[k + 3] : 0.f);
}

static __device__ __forceinline__ void split(float high[4], float low[4], const float4& v) {
  const float x[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
  for (int i = 0; i < 4; i++) {
    high[i] = round_tf32(x[i]);
    low[i] = round_tf32(x[i] - high[i]);
  }
}
