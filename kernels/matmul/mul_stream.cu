// The product of mul_quant.cu and mul_float.cu at up to 64 rows of x on Hopper, with the
// same bits; no experts. Shapes: as there. How: stream.cuh.
// Bound: reading W up to 16 rows, then how fast a warp goes from one product of 16 x 8
// values to the next: neither tensor cores nor integer units are half busy. Share of the
// 4.53 TB/s that can be read, 28672 x 4096 and 128256 x 4096 (BF16: the second 2048 wide;
// H200, 2026-11-30): one row Q4_K 81 and 91 %, Q8_0 89 and 96 %, BF16 87 and 95 %; 16 rows
// 61 and 74 %, 77 and 87 %, 69 and 72 %; 64 rows 19 and 21 %, 29 and 32 %, 29 and 18 %.
#include "float.cuh"
#include "fold.cuh"
#include "stream.cuh"

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
template <int R> constexpr int row_groups = R < 8 ? 1 : R / 8;

template <int T, int R> struct QuantWork : StagedRows<T, R>, Sums<row_groups<R>> {
  static constexpr int bytes = Layout<T>::bytes, run = 1;
  __device__ __forceinline__ void multiply(const uint8_t* p, int at, int) {
    int lane = threadIdx.x & 31;
    Tile<T, true> tile;
    tile.load(p, lane);
    this->s = at;
    mul_tile<T, row_groups<R>>(this->acc, tile, *this, nullptr, false, lane);
  }
};

// x as floats, for BF16 as what split makes of it: 4 values in 16 bytes, rows an odd
// multiple of 64 bytes apart.
template <int T, int R> struct FloatWork : Sums<row_groups<R>> {
  static constexpr int bytes = FloatTile<T>::bytes, run = 2048 / bytes;
  const uint8_t* x;
  int stride;

  static __device__ __forceinline__ int row_bytes(int chunks) { return (chunks | 1) * 64; }
  __device__ __forceinline__ void stage(const MulArgs& a, uint8_t* room, int first, int n, int, int c0, int chunks) {
    int lane = threadIdx.x & 31, g = lane >> 2;
    stride = row_bytes(chunks);
    x = room + (R <= 8 ? min(g, n - 1) : g) * stride + (lane & 3) * 16;
    each_unit(n, chunks * 4, [&](int r, int u) {
      float4 v = load4((const float*)a.x + (size_t)(first + r) * a.ldx, c0 * 16 + u * 4, a.k);
      uint8_t* to = room + r * stride + u * 16;
      if (T != BF16) {
        *(float4*)to = v;
        return;
      }
      float h[4], l[4];
      split<T>(h, l, v);
      *(uint4*)to = make_uint4(pair_bf16(h[0], h[1]), pair_bf16(h[2], h[3]), pair_bf16(l[0], l[1]), pair_bf16(l[2], l[3]));
    });
  }
  __device__ __forceinline__ void multiply(const uint8_t* p, int at, int n) {
    int lane = threadIdx.x & 31;
#pragma unroll
    for (int u = 0; u < run; u++) {
      if (u >= n) break;
      FloatTile<T> tile;
#pragma unroll
      for (int h = 0; h < bytes / 512; h++) tile.w[h] = *(const uint4*)(p + u * bytes + h * 512 + lane * 16);
      FloatReady<T> ready;
      ready.set(tile);
#pragma unroll
      for (int i = 0; i < row_groups<R>; i++) {
        const uint8_t* from = x + 8 * i * stride + (at + u) * 64;
        if constexpr (T == BF16) {
          uint4 v = *(const uint4*)from;
          mma_bf16(this->acc[i], ready.a, v.x, v.y);
          mma_bf16(this->acc[i], ready.a, v.z, v.w);
        } else {
          float high[4], low[4];
          split<T>(high, low, *(const float4*)from);
          ready.mul(this->acc[i], high, low);
        }
      }
    }
  }
};
#define STREAM(WORK, TYPE, R) stream<WORK<TYPE, R>, R>(a)
#else
#define STREAM(WORK, TYPE, R)
#endif

#define STREAMS(WORK, TYPE, R)                                                                                              \
  extern "C" __global__ void __launch_bounds__(512, 1) mul_##TYPE##_stream_##R(const __grid_constant__ MulArgs a) { \
    STREAM(WORK, TYPE, R);                                                                                                 \
  }
#define ROWS(WORK, TYPE) STREAMS(WORK, TYPE, 8) STREAMS(WORK, TYPE, 16) STREAMS(WORK, TYPE, 32)
#define FOLDED(TYPE) STREAMS(FoldWork, TYPE, 2) STREAMS(FoldWork, TYPE, 4) ROWS(QuantWork, TYPE)
STREAMS(FloatWork, 0, 8)
STREAMS(FloatWork, 1, 8)
ROWS(QuantWork, 2)
ROWS(QuantWork, 3)
ROWS(QuantWork, 6)
ROWS(QuantWork, 7)
ROWS(QuantWork, 8)
FOLDED(12)
FOLDED(13)
FOLDED(14)
ROWS(FloatWork, 30)
ROWS(QuantWork, 39)
