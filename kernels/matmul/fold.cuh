// Rows of rounded x in shared memory, and the product of a tile of a K type with up to 4 of
// them: the columns that would be empty take other sub-blocks of the same rows, so that
// their scales come with fewer multiplications. The integers are those of mul_tile, and so
// is the order of the floats.
#pragma once
#include "quant.cuh"

// Calls f(row, unit) for units of rows, spread over the block's threads.
template <class F> static __device__ __forceinline__ void each_unit(int rows, int units, F f) {
  if (units == 0) return;
#pragma unroll 1
  for (int r = 0, u = threadIdx.x;; u += blockDim.x) {
    while (u >= units) u -= units, r++;
    if (r >= rows) return;
    f(r, u);
  }
}

// Up to R rows, of the chunks of a block; values of a row are an odd multiple of 64 bytes
// from the next, so that the eight lanes that read 16 bytes at once meet all banks.
template <int T, int R> struct StagedRows {
  static constexpr int size = Layout<T>::k ? record_q8k : record_q8;
  const uint8_t *values, *records;
  int stride, apart, last;  // last: the last row that there is
  int s;                    // the chunk that is read

  static __device__ __forceinline__ int row_bytes(int chunks) { return chunks * (256 + size) + 64 + 16; }
  __device__ __forceinline__ void stage(const MulArgs& a, uint8_t* room, int first, int n, int held, int c0, int chunks) {
    stride = chunks * 256 + 64, apart = chunks * size + 16, last = n - 1;
    uint8_t* second = room + held * stride;
    values = room, records = second;
    size_t from = (size_t)first * a.chunks + c0;
    each_unit(n, chunks * 16, [&](int r, int u) {
      copy16(shared_address(room + r * stride + u * 16), (const uint8_t*)a.x + (from + (size_t)r * a.chunks) * 256 + u * 16, true);
    });
    each_unit(n, chunks * (size / 16), [&](int r, int u) {
      copy16(shared_address(second + r * apart + u * 16), a.record + (from + (size_t)r * a.chunks) * size + u * 16, true);
    });
  }
  // Where there is no row m, another one stands for it; above 8, memory of any content.
  __device__ __forceinline__ int row(int m) const { return R <= 8 ? min(m, last) : m; }
  __device__ __forceinline__ const uint8_t* value(int m) const { return values + row(m) * stride + s * 256; }
  __device__ __forceinline__ const uint8_t* record(int m) const { return records + row(m) * apart + s * size; }

  // What mul_tile asks for.
  __device__ __forceinline__ uint4 pair(int i, int p) const {
    int lane = threadIdx.x & 31;
    return *(const uint4*)(value(8 * i + (lane >> 2)) + p * 64 + (lane & 3) * 16);
  }
  __device__ __forceinline__ uint32_t sums(int i) const {
    int lane = threadIdx.x & 31;
    return *(const uint32_t*)(record(8 * i + (lane >> 2)) + (lane & 3) * 4);
  }
  __device__ __forceinline__ const uint8_t* scales(int i, int c) const { return record(8 * i + 2 * (threadIdx.x & 3) + c); }
  __device__ __forceinline__ float scale(int i, int c) const { return *(const float*)(scales(i, c) + 16); }
};

// A warp's part of 16 rows of W by R = 2 or 4 rows of x, of which X gives value(m) and record(m) for
// the m that a lane asks for. Q sub-blocks share R sets of sums.
template <int T, int R, class X = StagedRows<T, R>> struct FoldWork : X {
  static constexpr int bytes = Layout<T>::bytes, run = 1, Q = 8 / R;
  static constexpr int halves = T == Q6_K ? 2 : 1;  // of a sub-block, with a scale each
  float acc[2];

  __device__ __forceinline__ void clear() { acc[0] = acc[1] = 0; }

  // d[i]: the sums of sub-blocks Q*i .. of the tile, each in columns of its own.
  __device__ __forceinline__ void columns(int d[R][halves][4], const Tile<T, true>& w) const {
    int lane = threadIdx.x & 31, g = lane >> 2, t = lane & 3;
    // Column g is a row of x and one of the Q.
    int mine = R == 4 ? g >> 1 : g & 1, part = R == 4 ? g & 1 : g >> 1;
    const uint8_t* values = this->value(mine) + t * 16;
    uint2 b[R];
#pragma unroll
    for (int i = 0; i < R; i++) {
      int s = i * Q + part;
      b[i] = *(const uint2*)(values + (s >> 1) * 64 + (s & 1) * 8);
    }
#pragma unroll
    for (int s = 0; s < 8; s++) {
      uint32_t a[4];
      w.fragment(a, s, w.high);
      bool here = part == s % Q;
      uint32_t b0 = here ? b[s / Q].x : 0, b1 = here ? b[s / Q].y : 0;
      if (halves == 1) {
        mma_s8_k32(d[s / Q][0], a, b0, b1);
      } else {
        mma_s8_k16(d[s / Q][0], a[0], a[1], b0);
        mma_s8_k16(d[s / Q][halves - 1], a[2], a[3], b1);
      }
    }
  }

  // The sums of column c of two and set i, in row r of two of W, times their scales.
  __device__ __forceinline__ int scaled(const int d[halves][4], const uint4& v, int i, int r, int c) const {
    int t = threadIdx.x & 3, s = R == 2 ? 4 * i + t : 2 * i + c;
    if (T == Q6_K) {
      uint32_t w = R == 4 ? word(v, i) : i == 0 ? (t < 2 ? v.x : v.y) : (t < 2 ? v.z : v.w);
      w >>= 16 * (s & 1);
      return d[0][2 * r + c] * (int)(int8_t)w + d[halves - 1][2 * r + c] * (int)(int8_t)(w >> 8);
    }
    bool low = R == 2 ? i == 0 : i < 2;
    uint32_t w = low ? v.y & 0x3f3f3f3f : (v.w & 0x0f0f0f0f) | ((v.y >> 2) & 0x30303030);
    return d[0][2 * r + c] * (int)((w >> (8 * (s & 3))) & 255);
  }

  __device__ __forceinline__ void multiply(const uint8_t* p, int at, int) {
    int t = threadIdx.x & 3;
    this->s = at;
    Tile<T, true> w;
    w.load(p, threadIdx.x & 31);
    int d[R][halves][4] = {}, total[2][2] = {};
    columns(d, w);
#pragma unroll
    for (int r = 0; r < 2; r++)
#pragma unroll
      for (int i = 0; i < R; i++)
#pragma unroll
        for (int c = 0; c < 2; c++) total[r][R == 2 ? c : 0] += scaled(d[i], w.scale[r], i, r, c);
    if constexpr (R == 4) {
      add(0, w, 0, t, total[0][0]);
      add(1, w, 1, t, total[1][0]);
    } else {
      // The four lanes of a row add up; lane t keeps row t / 2 of W and row t % 2 of x.
      int keep[2];
#pragma unroll
      for (int c = 0; c < 2; c++) {
        int give = t & 2 ? total[0][c] : total[1][c];
        keep[c] = (t & 2 ? total[1][c] : total[0][c]) + __shfl_xor_sync(~0u, give, 2);
      }
      int give = t & 1 ? keep[0] : keep[1];
      add(0, w, t >> 1, t & 1, (t & 1 ? keep[1] : keep[0]) + __shfl_xor_sync(~0u, give, 1));
    }
  }

  // acc[i] += what row r of two of the tile and row m of x come to.
  __device__ __forceinline__ void add(int i, const Tile<T, true>& w, int r, int m, int total) {
    const uint8_t* record = this->record(m);
    float dx = *(const float*)(record + 16), v;
    if (T == Q6_K) {
      v = __fmul_rn(0.25f * __half2float(__ushort_as_half((unsigned short)(w.d >> (16 * r)))), (float)total);
    } else {
      uint32_t z = r ? w.scale[1].z : w.scale[0].z, high = r ? w.scale[1].w : w.scale[0].w;
      int m0 = z & 0x3f3f3f3f, m1 = ((high >> 4) & 0x0f0f0f0f) | ((z >> 2) & 0x30303030);
      uint4 sums = *(const uint4*)record;  // 64*high + low, high[8], low[8]
      int least = __dp4a(m0, (int)sums.x, __dp4a(m1, (int)sums.y, 0)) * 64;
      least = __dp4a(m0, (int)sums.z, __dp4a(m1, (int)sums.w, least));
      v = __fmul_rn(r ? half_at(w.scale[1], 0) : half_at(w.scale[0], 0), (float)total);
      v = __fmaf_rn(-(r ? half_at(w.scale[1], 1) : half_at(w.scale[0], 1)), (float)least, v);
    }
    acc[i] = __fmaf_rn(v, dx, acc[i]);
  }

  template <class Put> __device__ __forceinline__ void each(Put put) const {
    int lane = threadIdx.x & 31, g = lane >> 2, t = lane & 3;
    if (R == 4) {
      put(g, t, acc[0]), put(g + 8, t, acc[1]);
    } else {
      put(g + 8 * (t >> 1), t & 1, acc[0]);
    }
  }
};
