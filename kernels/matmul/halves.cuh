// Weights on their way to the tensor cores as halves: a lane's part of a strip of 16
// rows by 64 values, a quarter of a chunk, becomes the A registers of four products of
// 16 values. Of those, position 2t + b holds value 4t + 2b, and position 8 + 2t + b holds
// value 4t + 1 + 2b; of floats value 4t + b, and 4t + 2 + b.
#pragma once
#include "tile.cuh"

// What of a tile a quarter needs alone, and what comes once for all four; in bytes.
template <int T> struct HalfPart {
  static constexpr bool floats = false;
  static constexpr int quarter = Layout<T>::low / 4 * 512, bytes = Layout<T>::bytes, rest = bytes - 4 * quarter, high = Layout<T>::high * 512;
};
// 16 tiles of floats are a chunk.
template <> struct HalfPart<F16> {
  static constexpr bool floats = true;
  static constexpr int quarter = 2048, rest = 0, bytes = 8192;
};
template <> struct HalfPart<BF16> : HalfPart<F16> {};

static __device__ __forceinline__ uint4 shared4(uint32_t at) {
  uint4 v;
  asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "r"(at));
  return v;
}
static __device__ __forceinline__ uint32_t shared1(uint32_t at) {
  uint32_t v;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(at));
  return v;
}
static __device__ __forceinline__ uint32_t pick(const uint4& v, int i) { return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w; }
static __device__ __forceinline__ __half2 halves(uint32_t u) { return *(__half2*)&u; }
static __device__ __forceinline__ uint32_t bits(__half2 h) { return *(uint32_t*)&h; }

// Bytes 0, 1 or 2, 3 of w, less a number: 0x6400 and a byte are 1024 more than the byte.
static __device__ __forceinline__ __half2 low_bytes(uint32_t w, float less) {
  return __hsub2(halves(__byte_perm(w, 0x64646464, 0x4140)), __float2half2_rn(1024 + less));
}
static __device__ __forceinline__ __half2 high_bytes(uint32_t w, float less) {
  return __hsub2(halves(__byte_perm(w, 0x64646464, 0x4342)), __float2half2_rn(1024 + less));
}
// The same of bytes 0, 2 or 1, 3.
static __device__ __forceinline__ __half2 even_bytes(uint32_t w, float less) {
  return __hsub2(halves(__byte_perm(w, 0x64646464, 0x4240)), __float2half2_rn(1024 + less));
}
static __device__ __forceinline__ __half2 odd_bytes(uint32_t w, float less) {
  return __hsub2(halves(__byte_perm(w, 0x64646464, 0x4341)), __float2half2_rn(1024 + less));
}

// The low nibbles of bytes 0 and 2, turned over by flip and less it, or the high ones, 16 times as much
// until they are divided. 1024 is in registers: an instruction takes one constant, which is the mask.
template <uint32_t flip> struct EvenNibbles {
  uint32_t low, high;
  __device__ __forceinline__ EvenNibbles() {
    asm volatile("mov.b32 %0, %1;" : "=r"(low) : "n"(0x64006400 ^ flip * 0x00010001));
    if (flip) asm volatile("mov.b32 %0, %1;" : "=r"(high) : "n"(0x64006400 ^ flip * 0x00100010));
    else high = low;
  }
  template <uint32_t mask> static __device__ __forceinline__ __half2 masked(uint32_t w, uint32_t on) {
    uint32_t v;
    asm("lop3.b32 %0, %1, %2, %3, 0x6a;" : "=r"(v) : "r"(w), "n"(mask), "r"(on));  // (w & mask) ^ on
    return halves(v);
  }
  __device__ __forceinline__ __half2 operator()(uint32_t w, bool upper) const {
    if (upper) return __hfma2(masked<0x00f000f0>(w, high), __float2half2_rn(1.f / 16), __float2half2_rn(-64.f - flip));
    return __hsub2(masked<0x000f000f>(w, low), __float2half2_rn(1024.f + flip));
  }
};

// Two powers of two in BF16; halves hold 2^-24 to 2^15.
static __device__ __forceinline__ __half2 two_bfloat16(uint32_t v) {
  return __floats2half2_rn(__uint_as_float(v << 16), __uint_as_float(v & 0xffff0000));
}

// A weight is scale * (integer - flip) + minimum; of MXFP4, scale * value.
template <int T> struct Widener {
  static constexpr bool k6 = T == Q4_K || T == Q5_K, minimum = k6 || Layout<T>::minimum;
  static constexpr uint32_t flip = T == Q4_0 ? 8 : T == Q5_0 ? 16 : T == Q6_K ? 32 : T == Q8_0 ? 128 : 0;
  // Of rows g and g + 8. Q4_K and Q5_K: six bits for each sub-block.
  uint32_t scales[2][2], minima[2][2];
  __half2 d[2], dmin[2];
  static constexpr bool nibbles = Layout<T>::low == 4 && Layout<T>::high == 0 && T != MXFP4;
  EvenNibbles<flip> even;

  // Once a chunk; at: the strip's rest.
  __device__ __forceinline__ void begin(uint32_t at, int g) {
    at += HalfPart<T>::high;
#pragma unroll
    for (int r = 0; r < 2; r++) {
      if (k6) {
        uint4 v = shared4(at + (g + 8 * r) * 16);
        d[r] = __low2half2(halves(v.x));
        dmin[r] = __high2half2(halves(v.x));
        scales[r][0] = v.y & 0x3f3f3f3f;
        minima[r][0] = v.z & 0x3f3f3f3f;
        scales[r][1] = (v.w & 0x0f0f0f0f) | ((v.y >> 2) & 0x30303030);
        minima[r][1] = ((v.w >> 4) & 0x0f0f0f0f) | ((v.z >> 2) & 0x30303030);
      }
      if (T == Q6_K) {
        __half2 v = halves(shared1(at + 256 + (g >> 1) * 4 + 16 * r));
        d[r] = g & 1 ? __high2half2(v) : __low2half2(v);
      }
    }
  }

  // Scale s[j] of product j and minimum m[e] of sub-block e, for row g + 8 * r, twice each.
  __device__ __forceinline__ void factors(__half2 s[4], __half2 m[2], uint32_t rest, int p, int g, int r) const {
    uint32_t at = rest + HalfPart<T>::high + (g + 8 * r) * 16 + p * 4;
    if (T == Q6_K) {
      uint32_t v = shared1(at) ^ 0x80808080;
      __half2 a = __hmul2(low_bytes(v, 128), d[r]), b = __hmul2(high_bytes(v, 128), d[r]);
      s[0] = __low2half2(a), s[1] = __high2half2(a), s[2] = __low2half2(b), s[3] = __high2half2(b);
      return;
    }
    __half2 a, b;
    if (k6) {
      uint32_t v = scales[r][p >> 1], u = minima[r][p >> 1];
      a = __hmul2(p & 1 ? high_bytes(v, 0) : low_bytes(v, 0), d[r]);
      b = __hmul2(p & 1 ? high_bytes(u, 0) : low_bytes(u, 0), __hneg2(dmin[r]));
    } else {
      a = T == MXFP4 ? two_bfloat16(shared1(at)) : halves(shared1(at));
      if (minimum) b = halves(shared1(at + 256));
    }
    s[0] = s[1] = __low2half2(a), s[2] = s[3] = __high2half2(a);
    if (minimum) m[0] = __low2half2(b), m[1] = __high2half2(b);
  }

  // Four integers of sub-block 2p + e, flipped; of MXFP4, the high bytes of values.
  static __device__ __forceinline__ uint32_t integers(uint32_t low, uint32_t high, int p, int e) {
    if (T == Q8_0) return low ^ 0x80808080;
    if (T == MXFP4) return mxfp4_halves(e ? low >> 16 : low);
    uint32_t w = (e ? low >> 4 : low) & 0x0f0f0f0f;
    if (Layout<T>::fifth) w |= ((high >> (2 * p + e)) & 0x01010101) << 4;
    if (T == Q6_K) {
      int from = 2 * ((2 * p + e) & 3);
      w |= (from < 4 ? high << (4 - from) : high >> (from - 4)) & 0x30303030;
    }
    return w ^ flip * 0x01010101;
  }

  // The A registers of quarter p; at: the strip's quarter, rest: its rest.
  __device__ __forceinline__ void quarter(uint32_t a[16], uint32_t at, uint32_t rest, int p, int lane) const {
    __half2 s[2][4], m[2][2];
    factors(s[0], m[0], rest, p, lane >> 2, 0);
    factors(s[1], m[1], rest, p, lane >> 2, 1);
    uint4 low[2] = {shared4(at + lane * 16)}, high = {};
    if (T == Q8_0) low[1] = shared4(at + 512 + lane * 16);
    if (Layout<T>::high) high = shared4(rest + (T == Q6_K ? p >> 1 : 0) * 512 + lane * 16);
#pragma unroll
    for (int e = 0; e < 2; e++)
#pragma unroll
      for (int i = 0; i < 4; i++) {
        int j = 2 * e + (i >> 1), r = i & 1;
        __half2 x, y;
        if constexpr (nibbles) {
          uint32_t w = pick(low[0], i);
          x = even(w, e), y = even(w >> 8, e);
        } else {
          uint32_t w = integers(pick(low[T == Q8_0 ? e : 0], i), pick(high, i), p, e);
          x = T == MXFP4 ? halves(__byte_perm(w, 0, 0x2404)) : even_bytes(w, flip);
          y = T == MXFP4 ? halves(__byte_perm(w, 0, 0x3414)) : odd_bytes(w, flip);
        }
        a[4 * j + r] = bits(minimum ? __hfma2(x, s[r][j], m[r][e]) : __hmul2(x, s[r][j]));
        a[4 * j + 2 + r] = bits(minimum ? __hfma2(y, s[r][j], m[r][e]) : __hmul2(y, s[r][j]));
      }
  }
};

// The same of floats, of which left tiles are there.
static __device__ __forceinline__ void float_quarter(uint32_t a[16], uint32_t at, int left, int lane) {
#pragma unroll
  for (int j = 0; j < 4; j++) {
    uint4 v = j < left ? shared4(at + j * 512 + lane * 16) : make_uint4(0, 0, 0, 0);
    a[4 * j] = v.x, a[4 * j + 1] = v.z, a[4 * j + 2] = v.y, a[4 * j + 3] = v.w;
  }
}
