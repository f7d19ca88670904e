// out[m][n] = sum over k of W[n][k] * x[m][k] (+ bias[n]) (+ add[m][n]) for quantised W
// in tiles (tile.cuh), x rounded to bytes; up to three matrices with the same x in one
// launch, or the experts of a bank with a list of rows each.
// Shapes: any n, k padded to 256, any number of rows. A block takes 16 rows of W, its
// eight warps an eighth of k each; the eighths are added in order, and within one the
// blocks of 256 follow each other, whatever the number of rows of x: a row's result
// does not depend on the rows beside it, bit for bit.
// Bound: reading W up to about 32 rows, then integer arithmetic.
#include "mul.cuh"

template <int T> struct Tile {
  uint4 low[Layout<T>::low];
  uint4 high[Layout<T>::high ? Layout<T>::high : 1];
  uint4 scale[2], minimum[2];
  float d[2];

  __device__ __forceinline__ void load(const uint8_t* p, int lane) {
    int g = lane >> 2;
#pragma unroll
    for (int i = 0; i < Layout<T>::low; i++) low[i] = load_weights(p + i * 512 + lane * 16);
#pragma unroll
    for (int i = 0; i < Layout<T>::high; i++) high[i] = load_weights(p + (Layout<T>::low + i) * 512 + lane * 16);
    p += Layout<T>::scales;
    scale[0] = load_weights(p + g * 16);
    scale[1] = load_weights(p + g * 16 + 128);
    if (Layout<T>::minimum) {
      minimum[0] = load_weights(p + 256 + g * 16);
      minimum[1] = load_weights(p + 256 + g * 16 + 128);
    }
    if (T == Q6_K) {
      d[0] = 0.25f * __half2float(*(const __half*)(p + 256 + g * 2));
      d[1] = 0.25f * __half2float(*(const __half*)(p + 256 + g * 2 + 16));
    }
  }

  static __device__ __forceinline__ uint32_t word(const uint4& v, int i) {
    return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w;
  }

  // The registers of sub-block s.
  __device__ __forceinline__ void fragment(uint32_t a[4], int s) const {
#pragma unroll
    for (int i = 0; i < 4; i++) {
      uint32_t w = word(low[T == Q8_0 ? s : s >> 1], i);
      bool odd = s & 1;
      if (T == Q8_0) a[i] = w;
      if (T == Q4_K || T == Q4_1) a[i] = (odd ? w >> 4 : w) & 0x0f0f0f0f;
      if (T == Q4_0) a[i] = (odd ? w : w << 4) & 0xf0f0f0f0;
      if (T == Q5_K || T == Q5_1)
        a[i] = ((odd ? w >> 4 : w) & 0x0f0f0f0f) | ((word(high[0], i) >> s) & 0x01010101) << 4;
      if (T == Q5_0)
        a[i] = ((odd ? w >> 1 : w << 3) & 0x78787878) | ((word(high[0], i) >> s) & 0x01010101) << 7;
      if (T == Q6_K) {
        uint32_t h = word(high[s >> 2], i);
        a[i] = ((odd ? w >> 2 : w << 2) & 0x3c3c3c3c) | ((h << (6 - 2 * (s & 3))) & 0xc0c0c0c0);
      }
    }
  }
};

static __device__ __forceinline__ float half_at(const uint4& v, int i) {
  uint32_t w = i < 2 ? v.x : i < 4 ? v.y : i < 6 ? v.z : v.w;
  return __half2float(__ushort_as_half((unsigned short)(i & 1 ? w >> 16 : w)));
}

// The scales and minima of Q4_K and Q5_K: 6 bits each, packed in 12 bytes after two
// halves.
static __device__ __forceinline__ void unpack_scales(const uint4& h, uint32_t sc[2], uint32_t mn[2]) {
  sc[0] = h.y & 0x3f3f3f3f;
  mn[0] = h.z & 0x3f3f3f3f;
  sc[1] = (h.w & 0x0f0f0f0f) | ((h.y >> 2) & 0x30303030);
  mn[1] = ((h.w >> 4) & 0x0f0f0f0f) | ((h.z >> 2) & 0x30303030);
}

// One tile of W ready for products with any number of rows of x.
template <int T> struct Ready {
  uint32_t a[8][4];
  int sc[2][8];           // K types with sub-block scales
  uint32_t sc6[2][4];     // Q6_K: 16 signed bytes
  uint32_t m1[2], m2[2];  // minima as fragments of the two small products
  float d[2], dmin[2];
  float ds[2][8], ms[2][8];  // 32-value types

  __device__ __forceinline__ void set(const Tile<T>& w, int lane) {
#pragma unroll
    for (int s = 0; s < 8; s++) w.fragment(a[s], s);
    int t = lane & 3;
#pragma unroll
    for (int r = 0; r < 2; r++) {
      if (T == Q4_K || T == Q5_K) {
        uint32_t c[2], m[2];
        unpack_scales(w.scale[r], c, m);
#pragma unroll
        for (int s = 0; s < 8; s++) sc[r][s] = (c[s >> 2] >> (8 * (s & 3))) & 255;
        uint32_t mine = t & 1 ? m[1] : m[0];
        m1[r] = t < 2 ? mine : 0;
        m2[r] = t < 2 ? 0 : mine;
        d[r] = half_at(w.scale[r], 0);
        dmin[r] = half_at(w.scale[r], 1);
      } else if (T == Q6_K) {
        sc6[r][0] = w.scale[r].x, sc6[r][1] = w.scale[r].y, sc6[r][2] = w.scale[r].z, sc6[r][3] = w.scale[r].w;
        d[r] = w.d[r];
      } else {
        constexpr float times = T == Q4_0 ? 0.0625f : T == Q5_0 ? 0.125f : 1.f;
#pragma unroll
        for (int s = 0; s < 8; s++) {
          ds[r][s] = half_at(w.scale[r], s) * times;
          if (Layout<T>::minimum) ms[r][s] = half_at(w.minimum[r], s);
        }
      }
    }
  }

  // acc += the tile times 8 rows of x: q and record are those of row n = lane / 4,
  // col those of rows 2t and 2t+1.
  __device__ __forceinline__ void mul(float acc[4], const int8_t* q, const uint8_t* record,
                                      const uint8_t* const col[2], int lane) const {
    int t = lane & 3;
    uint4 b[4];
#pragma unroll
    for (int i = 0; i < 4; i++) b[i] = *(const uint4*)(q + i * 64 + t * 16);
    if (!Layout<T>::k) {
      float dx[2][8], sx[2][8];
#pragma unroll
      for (int c = 0; c < 2; c++)
#pragma unroll
        for (int i = 0; i < 2; i++) {
          *(float4*)&dx[c][4 * i] = ((const float4*)col[c])[i];
          if (Layout<T>::minimum) *(float4*)&sx[c][4 * i] = ((const float4*)col[c])[2 + i];
        }
#pragma unroll
      for (int s = 0; s < 8; s++) {
        // Integers below 2^22 on top of 1.5 * 2^23 are that float plus themselves.
        int p[4] = {0x4b400000, 0x4b400000, 0x4b400000, 0x4b400000};
        mma_s8_k32(p, a[s], s & 1 ? b[s >> 1].z : b[s >> 1].x, s & 1 ? b[s >> 1].w : b[s >> 1].y);
#pragma unroll
        for (int j = 0; j < 4; j++) {
          acc[j] = __fmaf_rn(__int_as_float(p[j]) - 12582912.f, ds[j >> 1][s] * dx[j & 1][s], acc[j]);
          if (Layout<T>::minimum) acc[j] = __fmaf_rn(ms[j >> 1][s], sx[j & 1][s], acc[j]);
        }
      }
      return;
    }
    int total[4] = {0, 0, 0, 0};
#pragma unroll
    for (int s = 0; s < 8; s++) {
      uint32_t b0 = s & 1 ? b[s >> 1].z : b[s >> 1].x, b1 = s & 1 ? b[s >> 1].w : b[s >> 1].y;
      if (T == Q6_K) {
        int p[4] = {0, 0, 0, 0}, p2[4] = {0, 0, 0, 0};
        mma_s8_k16(p, a[s][0], a[s][1], b0);
        mma_s8_k16(p2, a[s][2], a[s][3], b1);
#pragma unroll
        for (int j = 0; j < 4; j++) {
          uint32_t two = sc6[j >> 1][s >> 1] >> (16 * (s & 1));
          total[j] += p[j] * (int)(int8_t)two + p2[j] * (int)(int8_t)(two >> 8);
        }
      } else {
        int p[4] = {0, 0, 0, 0};
        mma_s8_k32(p, a[s], b0, b1);
#pragma unroll
        for (int j = 0; j < 4; j++) total[j] += p[j] * sc[j >> 1][s];
      }
    }
    float dx[2] = {*(const float*)(col[0] + 16), *(const float*)(col[1] + 16)};
    int least[4] = {0, 0, 0, 0};
    if (T != Q6_K) {
      uint32_t sums = ((const uint32_t*)record)[t];
      mma_s8_k16(least, m1[0], m1[1], sums);
#pragma unroll
      for (int j = 0; j < 4; j++) least[j] *= 64;
      mma_s8_k16(least, m2[0], m2[1], sums);
    }
#pragma unroll
    for (int j = 0; j < 4; j++) {
      float v = __fmul_rn(d[j >> 1], (float)total[j]);
      if (T != Q6_K) v = __fmaf_rn(-dmin[j >> 1], (float)least[j], v);
      acc[j] = __fmaf_rn(v, dx[j & 1], acc[j]);
    }
  }
};

template <int T, int NT> static __device__ __forceinline__ void
mul_tiles(const MulArgs& a, const MulJob& job, int tile, float* part) {
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, g = lane >> 2, t = lane & 3;
  int s0 = a.chunks * warp / 8, s1 = a.chunks * (warp + 1) / 8;
  const uint8_t* w = job.w + ((size_t)tile * a.chunks + s0) * Layout<T>::bytes;
  Tile<T> next;
  bool alone = a.experts == nullptr;
  if (alone && s0 < s1) next.load(w, lane);
  overlap_wait();
  int expert;
  Rows rows = rows_of(a, expert);
  w += (size_t)expert * ((job.n + 15) / 16) * a.chunks * Layout<T>::bytes;
  constexpr int size = Layout<T>::k ? record_q8k : record_q8;
  bool loaded = alone;
  for (int first = blockIdx.y * 8 * NT; first < rows.count; first += gridDim.y * 8 * NT) {
    float acc[NT][4] = {};
    if (!loaded && s0 < s1) next.load(w, lane);
    loaded = false;
    size_t in[NT], c0[NT], c1[NT];
#pragma unroll
    for (int i = 0; i < NT; i++) {
      in[i] = (size_t)rows.in(first + 8 * i + g) * a.chunks;
      c0[i] = (size_t)rows.in(first + 8 * i + 2 * t) * a.chunks;
      c1[i] = (size_t)rows.in(first + 8 * i + 2 * t + 1) * a.chunks;
    }
    for (int s = s0; s < s1; s++) {
      Ready<T> r;
      r.set(next, lane);
      if (s + 1 < s1) next.load(w + (size_t)(s + 1 - s0) * Layout<T>::bytes, lane);
#pragma unroll
      for (int i = 0; i < NT; i++) {
        const uint8_t* col[2] = {a.record + (c0[i] + s) * size, a.record + (c1[i] + s) * size};
        r.mul(acc[i], (const int8_t*)a.x + (in[i] + s) * 256, a.record + (in[i] + s) * size, col, lane);
      }
    }
    finish<NT>(job, rows, expert, tile, first, acc, part);
  }
}

template <int NT> static __device__ __forceinline__ void mul_quant(const MulArgs& a) {
  extern __shared__ float part[];
  overlap_start();
  int j = 0, tile = blockIdx.x;
  if (tile >= a.job[0].blocks) j = tile >= a.job[1].blocks ? 2 : 1;
  const MulJob& job = a.job[j];
  if (j > 0) tile -= a.job[j - 1].blocks;
  switch (job.type) {
    case Q4_0: mul_tiles<Q4_0, NT>(a, job, tile, part); break;
    case Q4_1: mul_tiles<Q4_1, NT>(a, job, tile, part); break;
    case Q5_0: mul_tiles<Q5_0, NT>(a, job, tile, part); break;
    case Q5_1: mul_tiles<Q5_1, NT>(a, job, tile, part); break;
    case Q8_0: mul_tiles<Q8_0, NT>(a, job, tile, part); break;
    case Q4_K: mul_tiles<Q4_K, NT>(a, job, tile, part); break;
    case Q5_K: mul_tiles<Q5_K, NT>(a, job, tile, part); break;
    case Q6_K: mul_tiles<Q6_K, NT>(a, job, tile, part); break;
  }
}

extern "C" __global__ void __launch_bounds__(256, 2) mul_quant1(const __grid_constant__ MulArgs a) { mul_quant<1>(a); }
extern "C" __global__ void __launch_bounds__(256, 2) mul_quant2(const __grid_constant__ MulArgs a) { mul_quant<2>(a); }
extern "C" __global__ void __launch_bounds__(256) mul_quant4(const __grid_constant__ MulArgs a) { mul_quant<4>(a); }
extern "C" __global__ void __launch_bounds__(256) mul_quant8(const __grid_constant__ MulArgs a) { mul_quant<8>(a); }
