// A warp's work on 16 x 16 float weights. The tensor cores take F32 and F16 as tf32, which
// holds F16 exactly, and BF16 as it is; x, and W in F32, go in as a value rounded to the
// same form and what that leaves, rounded too.
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

// d += a (16 x 16) * b (16 x 8), bf16.
static __device__ __forceinline__ void mma_bf16(float d[4], const uint32_t a[4], uint32_t b0, uint32_t b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Two floats that bf16 holds, the first in the low half.
static __device__ __forceinline__ uint32_t pair_bf16(float a, float b) {
  return __byte_perm(__float_as_uint(a), __float_as_uint(b), 0x7632);
}

// Products of BF16: k slots 2t, 2t+1 and 2t+8, 2t+9 are values 4t .. 4t+3.
template <> struct FloatReady<BF16> {
  uint32_t a[4];
  __device__ __forceinline__ void set(const FloatTile<BF16>& w) { a[0] = w.w[0].x, a[1] = w.w[0].z, a[2] = w.w[0].y, a[3] = w.w[0].w; }
  __device__ __forceinline__ void mul(float acc[4], const float xh[4], const float xl[4]) const {
    mma_bf16(acc, a, pair_bf16(xh[0], xh[1]), pair_bf16(xh[2], xh[3]));
    mma_bf16(acc, a, pair_bf16(xl[0], xl[1]), pair_bf16(xl[2], xl[3]));
  }
};

// x rounded to what the products with weights of type T take.
template <int T> static __device__ __forceinline__ float round_for(float x) {
  if (T != BF16) return round_tf32(x);
  uint32_t r;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(x), "f"(0.f));
  return __uint_as_float(r & 0xffff0000);
}

template <int T> static __device__ __forceinline__ void split(float high[4], float low[4], const float4& v) {
  const float x[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
  for (int i = 0; i < 4; i++) {
    high[i] = round_for<T>(x[i]);
    low[i] = round_for<T>(x[i] - high[i]);
  }
}
