// A warp's work on 16 rows of quantised weights: tiles flow through registers, each
// quarter of a tile being loaded anew as soon as it is used, and meet 8*NT rows of
// rounded activations. The order of operations on a result is fixed here, for all
// kernels that multiply.
#pragma once
#include "mul.cuh"

static __device__ __forceinline__ uint32_t word(const uint4& v, int i) {
  return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w;
}

static __device__ __forceinline__ float half_at(const uint4& v, int i) {
  uint32_t w = word(v, i >> 1);
  return __half2float(__ushort_as_half((unsigned short)(i & 1 ? w >> 16 : w)));
}

// The scale of sub-block s of types that have a float for each, for integers as they come
// from the tile.
template <int T> static __device__ __forceinline__ float scale_at(const uint4& v, int s) {
  if (T == MXFP4) return __uint_as_float(s & 1 ? word(v, s >> 1) & 0xffff0000 : word(v, s >> 1) << 16);
  return half_at(v, s) * (T == Q4_0 ? 0.0625f : T == Q5_0 ? 0.125f : 1.f);
}

// 16 bytes of weights from global memory, or of a copy in shared memory.
template <bool copied> static __device__ __forceinline__ uint4 weights_at(const uint8_t* p) {
  if (copied) return *(const uint4*)p;
  return load_weights(p);
}

// The registers of a tile that a lane holds.
template <int T, bool copied = false> struct Tile {
  static constexpr int lows = Layout<T>::low, highs = Layout<T>::high;
  uint4 low[lows], high[highs ? highs : 1], scale[2], minimum[2];
  uint32_t d;  // Q6_K: the two rows' halves

  __device__ __forceinline__ void load_low(const uint8_t* p, int pair, int lane) {
#pragma unroll
    for (int i = 0; i < lows / 4; i++) low[pair * (lows / 4) + i] = weights_at<copied>(p + (pair * (lows / 4) + i) * 512 + lane * 16);
  }
  __device__ __forceinline__ void load_high(const uint8_t* p, int i, int lane) {
    high[i] = weights_at<copied>(p + (lows + i) * 512 + lane * 16);
  }
  __device__ __forceinline__ void load_scales(const uint8_t* p, int lane) {
    int g = lane >> 2;
    p += Layout<T>::scales;
    scale[0] = weights_at<copied>(p + g * 16);
    scale[1] = weights_at<copied>(p + g * 16 + 128);
    if (Layout<T>::minimum) {
      minimum[0] = weights_at<copied>(p + 256 + g * 16);
      minimum[1] = weights_at<copied>(p + 256 + g * 16 + 128);
    }
    if (T == Q6_K) d = *(const unsigned short*)(p + 256 + g * 2) | (uint32_t)*(const unsigned short*)(p + 256 + g * 2 + 16) << 16;
  }
  __device__ __forceinline__ void load(const uint8_t* p, int lane) {
    load_scales(p, lane);
#pragma unroll
    for (int i = 0; i < highs; i++) load_high(p, i, lane);
#pragma unroll
    for (int i = 0; i < 4; i++) load_low(p, i, lane);
  }

  // The A registers of sub-block s; h is the tile's high part.
  __device__ __forceinline__ void fragment(uint32_t a[4], int s, const uint4* h) const {
    bool odd = s & 1;
#pragma unroll
    for (int i = 0; i < 4; i++) {
      uint32_t w = word(low[T == Q8_0 ? s : s >> 1], i);
      if (T == Q8_0) a[i] = w;
      if (T == Q4_K || T == Q4_1) a[i] = (odd ? w >> 4 : w) & 0x0f0f0f0f;
      if (T == MXFP4) a[i] = mxfp4_bytes(odd ? w >> 16 : w);
      if (T == Q4_0) a[i] = (odd ? w : w << 4) & 0xf0f0f0f0;
      if (T == Q5_K || T == Q5_1) a[i] = ((odd ? w >> 4 : w) & 0x0f0f0f0f) | ((word(h[0], i) >> s) & 0x01010101) << 4;
      if (T == Q5_0) a[i] = ((odd ? w >> 1 : w << 3) & 0x78787878) | ((word(h[0], i) >> s) & 0x01010101) << 7;
      if (T == Q6_K) a[i] = ((odd ? w >> 2 : w << 2) & 0x3c3c3c3c) | ((word(h[s >> 2], i) << (6 - 2 * (s & 3))) & 0xc0c0c0c0);
    }
  }
};

// The eight rows of x that an mma takes, i-th of NT, as a source shows them:
//   pair(i, p)    the B registers of sub-blocks 2p and 2p+1, for row lane / 4
//   sums(i)       the sums' word t of that row's record (K types)
//   scale(i, c)   the scale of row 2t + c (K types)
//   scales(i, c)  the record of row 2t + c (the others)

// Such rows in global memory.
template <int T, int NT> struct GlobalRows {
  static constexpr int size = Layout<T>::k ? record_q8k : record_q8;
  const uint8_t* q;
  const uint8_t* record;
  uint32_t row[NT];  // of row lane / 4, in chunks; s is added
  int s, lane;
  __device__ __forceinline__ uint4 pair(int i, int p) const {
    return *(const uint4*)(q + (size_t)(row[i] + s) * 256 + p * 64 + (lane & 3) * 16);
  }
  __device__ __forceinline__ uint32_t sums(int i) const {
    return *(const uint32_t*)(record + (size_t)(row[i] + s) * size + (lane & 3) * 4);
  }
  __device__ __forceinline__ const uint8_t* scales(int i, int c) const {
    uint32_t other = __shfl_sync(~0u, row[i], (lane & 3) * 8 + c * 4);
    return record + (size_t)(other + s) * size;
  }
  __device__ __forceinline__ float scale(int i, int c) const { return *(const float*)(scales(i, c) + 16); }
};

// acc += the tile times 8*NT rows, and the tile becomes the next one where more says
// that there is one. With single, all rows are the same one, and only column 0 is wanted.
template <int T, int NT, bool single = false, bool copied, class Source> static __device__ __forceinline__ void
mul_tile(float acc[NT][4], Tile<T, copied>& w, const Source& x, const uint8_t* next, bool more, int lane) {
  int t = lane & 3;
  uint4 scale[2] = {w.scale[0], w.scale[1]}, minimum[2] = {w.minimum[0], w.minimum[1]};
  uint4 high[Layout<T>::high ? Layout<T>::high : 1];
#pragma unroll
  for (int i = 0; i < Layout<T>::high; i++) high[i] = w.high[i];
  uint32_t d6 = w.d;
  if (more) {
    w.load_scales(next, lane);
#pragma unroll
    for (int i = 0; i < Layout<T>::high; i++) w.load_high(next, i, lane);
  }
  uint32_t sc[2][2], mn[2][2];
  if (T == Q4_K || T == Q5_K) {
    // 6 bits each, packed in 12 bytes after two halves.
#pragma unroll
    for (int r = 0; r < 2; r++) {
      sc[r][0] = scale[r].y & 0x3f3f3f3f;
      mn[r][0] = scale[r].z & 0x3f3f3f3f;
      sc[r][1] = (scale[r].w & 0x0f0f0f0f) | ((scale[r].y >> 2) & 0x30303030);
      mn[r][1] = ((scale[r].w >> 4) & 0x0f0f0f0f) | ((scale[r].z >> 2) & 0x30303030);
    }
  }
  int total[NT][4];
#pragma unroll
  for (int p = 0; p < 4; p++) {
    uint32_t a[2][4];
    w.fragment(a[0], 2 * p, high);
    w.fragment(a[1], 2 * p + 1, high);
    if (more) w.load_low(next, p, lane);
    float ds[2][2], ms[2][2];
    int by[2][2];
#pragma unroll
    for (int e = 0; e < 2; e++)
#pragma unroll
      for (int r = 0; r < 2; r++) {
        if (!Layout<T>::k) ds[e][r] = scale_at<T>(scale[r], 2 * p + e);
        if (Layout<T>::minimum) ms[e][r] = half_at(minimum[r], 2 * p + e);
        if (T == Q4_K || T == Q5_K) by[e][r] = (sc[r][p >> 1] >> (16 * (p & 1) + 8 * e)) & 255;
      }
#pragma unroll
    for (int i = 0; i < NT; i++) {
      uint4 b = x.pair(i, p);
#pragma unroll
      for (int e = 0; e < 2; e++) {
        int s = 2 * p + e;
        uint32_t b0 = e ? b.z : b.x, b1 = e ? b.w : b.y;
        if constexpr (!Layout<T>::k) {
          // Integers below 2^22 on top of 1.5 * 2^23 are that float plus themselves.
          int v[4];
          mma_s8_k32_onto(v, a[e], b0, b1, 0x4b400000);
          constexpr int columns = single ? 1 : 2;
          float dx[2], sx[2];
#pragma unroll
          for (int c = 0; c < columns; c++) {
            const float* record = (const float*)x.scales(i, c);
            dx[c] = record[s];
            if (Layout<T>::minimum) sx[c] = record[8 + s];
          }
#pragma unroll
          for (int j = 0; j < 4; j += 3 - columns) {
            acc[i][j] = __fmaf_rn(__int_as_float(v[j]) - 12582912.f, ds[e][j >> 1] * dx[j & 1], acc[i][j]);
            if (Layout<T>::minimum) acc[i][j] = __fmaf_rn(ms[e][j >> 1], sx[j & 1], acc[i][j]);
          }
        } else if constexpr (T == Q6_K) {
          int v[4] = {0, 0, 0, 0}, u[4] = {0, 0, 0, 0};
          mma_s8_k16(v, a[e][0], a[e][1], b0);
          mma_s8_k16(u, a[e][2], a[e][3], b1);
#pragma unroll
          for (int j = 0; j < 4; j++) {
            uint32_t two = word(scale[j >> 1], s >> 1) >> (16 * (s & 1));
            int sum = v[j] * (int)(int8_t)two + u[j] * (int)(int8_t)(two >> 8);
            total[i][j] = s == 0 ? sum : total[i][j] + sum;
          }
        } else {
          int v[4] = {0, 0, 0, 0};
          mma_s8_k32(v, a[e], b0, b1);
#pragma unroll
          for (int j = 0; j < 4; j++) total[i][j] = s == 0 ? v[j] * by[e][j >> 1] : total[i][j] + v[j] * by[e][j >> 1];
        }
      }
    }
  }
  if constexpr (Layout<T>::k)
#pragma unroll
  for (int i = 0; i < NT; i++) {
    int least[4] = {0, 0, 0, 0};
    if (T != Q6_K) {
      // The minima of both rows as A: first against the sums' high parts, then the low.
      uint32_t m0 = t & 1 ? mn[0][1] : mn[0][0], m1 = t & 1 ? mn[1][1] : mn[1][0], sums = x.sums(i);
      mma_s8_k16(least, t < 2 ? m0 : 0, t < 2 ? m1 : 0, sums);
#pragma unroll
      for (int j = 0; j < 4; j++) least[j] *= 64;
      mma_s8_k16(least, t < 2 ? 0 : m0, t < 2 ? 0 : m1, sums);
    }
    float dx[2] = {x.scale(i, 0), x.scale(i, 1)};
#pragma unroll
    for (int j = 0; j < 4; j++) {
      float d = T == Q6_K ? 0.25f * __half2float(__ushort_as_half((unsigned short)(d6 >> (16 * (j >> 1))))) : half_at(scale[j >> 1], 0);
      float v = __fmul_rn(d, (float)total[i][j]);
      if (T != Q6_K) v = __fmaf_rn(-half_at(scale[j >> 1], 1), (float)least[j], v);
      acc[i][j] = __fmaf_rn(v, dx[j & 1], acc[i][j]);
    }
  }
}
