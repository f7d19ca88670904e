// The same product (mul_quant.cu) for weights in F32, F16 and BF16, x in float32. The
// tensor cores take tf32, which holds F16 and BF16 exactly; x, and W in F32, go in as a
// rounded value and what that leaves, so that the result is close to float32's.
// The eighths of k are in blocks of 16 here.
// Bound: reading W up to about 16 rows, then tensor cores.
#include "mul.cuh"

template <int T> struct FloatTile {
  uint4 w[T == F32 ? 2 : 1];
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

// Values k .. k+3 of a row of x; beyond the end they are 0.
static __device__ __forceinline__ void load4(float v[4], const float* row, int k, int n) {
  if (k + 4 <= n && ((uintptr_t)(row + k) & 15) == 0) {
    float4 a = *(const float4*)(row + k);
    v[0] = a.x, v[1] = a.y, v[2] = a.z, v[3] = a.w;
    return;
  }
#pragma unroll
  for (int i = 0; i < 4; i++) v[i] = k + i < n ? row[k + i] : 0.f;
}

template <int T> static __device__ __forceinline__ void
mul_block(float acc[4], const FloatTile<T>& w, const float x[4]) {
#pragma unroll
  for (int j = 0; j < 2; j++) {
    uint32_t a[4], low[4], bh[2], bl[2];
#pragma unroll
    for (int i = 0; i < 4; i++) {
      float v = w.at(i & 1, 2 * j + (i >> 1));
      float h = T == F32 ? round_tf32(v) : v;
      a[i] = __float_as_uint(h);
      low[i] = __float_as_uint(round_tf32(v - h));
    }
#pragma unroll
    for (int i = 0; i < 2; i++) {
      float v = x[2 * j + i], h = round_tf32(v);
      bh[i] = __float_as_uint(h);
      bl[i] = __float_as_uint(round_tf32(v - h));
    }
    mma_tf32(acc, a, bh[0], bh[1]);
    mma_tf32(acc, a, bl[0], bl[1]);
    if (T == F32) mma_tf32(acc, low, bh[0], bh[1]);
  }
}

template <int T, int NT> static __device__ __forceinline__ void
mul_float_tiles(const MulArgs& a, const MulJob& job, int tile, float* part) {
  constexpr int bytes = T == F32 ? 1024 : 512, ahead = 4;
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, g = lane >> 2, t = lane & 3;
  int s0 = a.chunks * warp / 8, s1 = a.chunks * (warp + 1) / 8;
  const uint8_t* w = job.w + ((size_t)tile * a.chunks + s0) * bytes;
  overlap_wait();
  int expert;
  Rows rows = rows_of(a, expert);
  w += (size_t)expert * ((job.n + 15) / 16) * a.chunks * bytes;
  for (int first = blockIdx.y * 8 * NT; first < rows.count; first += gridDim.y * 8 * NT) {
    float acc[NT][4] = {};
    const float* x[NT];
#pragma unroll
    for (int i = 0; i < NT; i++) x[i] = (const float*)a.x + (size_t)rows.in(first + 8 * i + g) * a.ldx;
    FloatTile<T> next[ahead];
#pragma unroll
    for (int i = 0; i < ahead; i++)
      if (s0 + i < s1) next[i].load(w + (size_t)i * bytes, lane);
    for (int s = s0; s < s1; s += ahead) {
#pragma unroll
      for (int u = 0; u < ahead; u++) {
        if (s + u >= s1) break;
        FloatTile<T> now = next[u];
        if (s + u + ahead < s1) next[u].load(w + (size_t)(s + u + ahead - s0) * bytes, lane);
#pragma unroll
        for (int i = 0; i < NT; i++) {
          float v[4];
          load4(v, x[i], (s + u) * 16 + 4 * t, a.k);
          mul_block<T>(acc[i], now, v);
        }
      }
    }
    finish<NT>(job, rows, expert, tile, first, acc, part);
  }
}

template <int NT> static __device__ __forceinline__ void mul_float(const MulArgs& a) {
  extern __shared__ float part[];
  overlap_start();
  int j = 0, tile = blockIdx.x;
  if (tile >= a.job[0].blocks) j = tile >= a.job[1].blocks ? 2 : 1;
  const MulJob& job = a.job[j];
  if (j > 0) tile -= a.job[j - 1].blocks;
  switch (job.type) {
    case F32: mul_float_tiles<F32, NT>(a, job, tile, part); break;
    case F16: mul_float_tiles<F16, NT>(a, job, tile, part); break;
    case BF16: mul_float_tiles<BF16, NT>(a, job, tile, part); break;
  }
}

extern "C" __global__ void __launch_bounds__(256) mul_float1(const __grid_constant__ MulArgs a) { mul_float<1>(a); }
extern "C" __global__ void __launch_bounds__(256) mul_float2(const __grid_constant__ MulArgs a) { mul_float<2>(a); }
extern "C" __global__ void __launch_bounds__(256) mul_float4(const __grid_constant__ MulArgs a) { mul_float<4>(a); }
extern "C" __global__ void __launch_bounds__(256) mul_float8(const __grid_constant__ MulArgs a) { mul_float<8>(a); }
