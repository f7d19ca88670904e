// The product of mul_quant.cu for weights in F32, F16 and BF16, x in float32, close to
// what float32 gives (float.cuh). The eighths of k are in blocks of 16 here.
// Bound: reading W up to about 16 rows, then tensor cores. F16 (H200, 2026-11-29): 55 to
// 62 % of the 4.53 TB/s that can be read at one row of x, 47 to 52 % at 16; 60 TFLOP/s at 512.
#include "float.cuh"

template <int T, int NT> static __device__ __forceinline__ void
mul_float_tiles(const MulArgs& a, const MulJob& job, int tile, float* part) {
  constexpr int bytes = FloatTile<T>::bytes, run = NT == 1 ? 4 : NT == 2 ? 2 : 1, ahead = T == F32 ? 4 : 8;
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, g = lane >> 2, t = lane & 3;
  int s0 = a.chunks * warp / 8, s1 = a.chunks * (warp + 1) / 8;
  const uint8_t* w = job.w + ((size_t)tile * a.chunks + s0) * bytes;
  FloatTile<T> next[ahead];
  bool loaded = a.experts == nullptr;
  if (loaded) {
#pragma unroll
    for (int i = 0; i < ahead; i++)
      if (s0 + i < s1) next[i].load(w + (size_t)i * bytes, lane);
  }
  overlap_wait();
  int expert;
  Rows rows = rows_of(a, expert);
  w += (size_t)expert * ((job.n + 15) / 16) * a.chunks * bytes;
  for (int first = blockIdx.y * 8 * NT; first < rows.count; first += gridDim.y * 8 * NT) {
    float acc[NT][4] = {};
    const float* x[NT];
#pragma unroll
    for (int i = 0; i < NT; i++) x[i] = (const float*)a.x + (size_t)rows.in(first + 8 * i + g) * a.ldx;
    if (!loaded) {
#pragma unroll
      for (int i = 0; i < ahead; i++)
        if (s0 + i < s1) next[i].load(w + (size_t)i * bytes, lane);
    }
    loaded = false;
    float4 soon[run][NT];
    auto fetch = [&](int s) {
#pragma unroll
      for (int u = 0; u < run; u++)
#pragma unroll
        for (int i = 0; i < NT; i++) soon[u][i] = s + u < s1 ? load4(x[i], (s + u) * 16 + 4 * t, a.k) : make_float4(0, 0, 0, 0);
    };
    fetch(s0);
    for (int s = s0; s < s1; s += ahead) {
#pragma unroll
      for (int u = 0; u < ahead; u += run) {
        if (s + u >= s1) break;
        float4 now[run][NT];
#pragma unroll
        for (int v = 0; v < run; v++)
#pragma unroll
          for (int i = 0; i < NT; i++) now[v][i] = soon[v][i];
        fetch(s + u + run);
#pragma unroll
        for (int v = 0; v < run; v++) {
          if (s + u + v >= s1) break;
          FloatReady<T> r;
          r.set(next[u + v]);
          if (s + u + v + ahead < s1) next[u + v].load(w + (size_t)(s + u + v + ahead - s0) * bytes, lane);
#pragma unroll
          for (int i = 0; i < NT; i++) {
            float high[4], low[4];
            split<T>(high, low, now[v][i]);
            r.mul(acc[i], high, low);
          }
        }
      }
    }
    finish<NT>(job, rows, expert, tile, first, acc, part);
  }
}

#define MULF(TYPE, NT, BLOCKS)                                                                                   \
  extern "C" __global__ void __launch_bounds__(256, BLOCKS) mul_##TYPE##_##NT(const __grid_constant__ MulArgs a) { \
    extern __shared__ float partial[];                                                                          \
    overlap_start();                                                                                            \
    int tile;                                                                                                   \
    const MulJob& job = job_of(a, tile);                                                                        \
    mul_float_tiles<TYPE, NT>(a, job, tile, partial);                                                           \
  }
#define MULFS(TYPE) MULF(TYPE, 1, 2) MULF(TYPE, 2, 2) MULF(TYPE, 4, 1) MULF(TYPE, 8, 1)
MULFS(0)
MULFS(1)
MULFS(30)

// For many rows of x, with the same bits: a block takes 128 rows of W, 16 a warp, and 64
// rows of x, which it splits into shared memory 64 values at a time.
constexpr int float_rows = 64, float_ld = 80, float_stage = 2 * float_rows * float_ld;

template <int T> static __device__ __forceinline__ void
mul_float_wide_tiles(const MulArgs& a, const MulJob& job, int block, float* memory) {
  constexpr int bytes = FloatTile<T>::bytes, NT = float_rows / 8;
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, g = lane >> 2, t = lane & 3;
  int tile = block * 8 + warp, tiles = (job.n + 15) / 16, first = blockIdx.y * float_rows;
  const uint8_t* w = job.w + (size_t)min(tile, tiles - 1) * a.chunks * bytes;
  FloatTile<T> next[4];
#pragma unroll
  for (int i = 0; i < 4; i++)
    if (i < a.chunks) next[i].load(w + (size_t)i * bytes, lane);
  overlap_wait();
  int count = a.count ? min(*a.count, a.rows) : a.rows;
  if (first >= count) return;
  float4 soon[4];
  auto fetch = [&](int s) {
#pragma unroll
    for (int i = 0; i < 4; i++) {
      int at = threadIdx.x + i * 256, row = at >> 4, k = s * 16 + (at & 15) * 4;
      soon[i] = load4((const float*)a.x + (size_t)min(first + row, count - 1) * a.ldx, k, a.k);
    }
  };
  fetch(0);
  float acc[NT][4] = {}, sum[NT][4] = {};
  int eighth = 0;
  auto turn = [&](int s) {
    while (eighth < 8 && (s == a.chunks || s == a.chunks * (eighth + 1) / 8)) {
#pragma unroll
      for (int i = 0; i < NT; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) sum[i][j] = eighth == 0 ? acc[i][j] : sum[i][j] + acc[i][j], acc[i][j] = 0;
      eighth++;
    }
  };
  for (int s = 0; s < a.chunks; s += 4) {
    float* stage = memory + (s / 4 & 1) * float_stage;
#pragma unroll
    for (int i = 0; i < 4; i++) {
      int at = threadIdx.x + i * 256, row = at >> 4, k = (at & 15) * 4;
      float high[4], low[4];
      split<T>(high, low, soon[i]);
      *(float4*)(stage + row * float_ld + k) = make_float4(high[0], high[1], high[2], high[3]);
      *(float4*)(stage + (float_rows + row) * float_ld + k) = make_float4(low[0], low[1], low[2], low[3]);
    }
    __syncthreads();
    if (s + 4 < a.chunks) fetch(s + 4);
#pragma unroll
    for (int u = 0; u < 4; u++) {
      if (s + u >= a.chunks) break;
      turn(s + u);
      FloatReady<T> r;
      r.set(next[u]);
      if (s + u + 4 < a.chunks) next[u].load(w + (size_t)(s + u + 4) * bytes, lane);
#pragma unroll
      for (int i = 0; i < NT; i++) {
        const float* at = stage + (8 * i + g) * float_ld + u * 16 + t * 4;
        float4 high = *(const float4*)at, low = *(const float4*)(at + float_rows * float_ld);
        float xh[4] = {high.x, high.y, high.z, high.w}, xl[4] = {low.x, low.y, low.z, low.w};
        r.mul(acc[i], xh, xl);
      }
    }
  }
  turn(a.chunks);
  __syncthreads();
  finish_wide<NT>(job, tile, first, count, sum, memory);
}

#define WIDEF(TYPE)                                                                                           \
  extern "C" __global__ void __launch_bounds__(256, 1) mul_##TYPE##_wide(const __grid_constant__ MulArgs a) { \
    extern __shared__ float float_stages[];                                                                  \
    overlap_start();                                                                                         \
    int block;                                                                                               \
    const MulJob& job = job_of(a, block);                                                                    \
    mul_float_wide_tiles<TYPE>(a, job, block, float_stages);                                                 \
  }
WIDEF(0)
WIDEF(1)
WIDEF(30)
