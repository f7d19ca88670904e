// out[m][n] = sum over k of W[n][k] * x[m][k] (+ bias[n]) (+ add[m][n]) for quantised W
// in tiles (tile.cuh), x rounded to bytes; up to three matrices with the same x in one
// launch. Experts: mul_experts.cu.
// Shapes: any n, k padded to 256, any number of rows. A block takes 16 rows of W, and
// then the next of its share, its eight warps an eighth of k each; the eighths are added
// in order, and within one the blocks of 256 follow each other, whatever the number of rows of x: a row's result
// does not depend on the rows beside it, bit for bit. On Hopper mul_stream.cu takes over
// where blocks would go over several strips.
// Bound: reading W up to about 16 rows, then integer arithmetic. Share of the 4.53 TB/s
// that can be read, one row of x, 4096 x 4096 to 128256 x 4096 (H200, 2026-11-29):
// Q4_K 48 to 76 %, Q6_K 55 to 74 %, Q8_0 64 to 95 %; at 16 rows 35 to 51, 41 to 57 and
// 43 to 67 %; at 64 rows of x 13 to 16 % and 92 to 165 TFLOP/s.
#include "quant.cuh"

// The tiles of one matrix from `tile` on that are this block's: every gridDim.x-th below
// `tiles`. While one tile is finished, the next one's weights are on their way.
template <int T, int NT> static __device__ __forceinline__ void
mul_tiles(const MulArgs& a, const MulJob& job, int tile, int tiles, float* part, bool waited) {
  constexpr int bytes = Layout<T>::bytes;
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  int s0 = a.chunks * warp / 8, s1 = a.chunks * (warp + 1) / 8;
  size_t strip = (size_t)a.chunks * bytes;
  const uint8_t* w = job.w + tile * strip + (size_t)s0 * bytes;
  Tile<T> now;
  if (s0 < s1) now.load(w, lane);
  if (!waited) overlap_wait();
  Rows rows = {nullptr, a.count ? min(*a.count, a.rows) : a.rows, 1};
  GlobalRows<T, NT> x = {(const uint8_t*)a.x, a.record};
  x.lane = lane;
  int step = gridDim.y * 8 * NT;
  for (; tile < tiles; tile += gridDim.x, w += gridDim.x * strip) {
    for (int first = blockIdx.y * 8 * NT; first < rows.count; first += step) {
      float acc[NT][4] = {};
#pragma unroll
      for (int i = 0; i < NT; i++) x.row[i] = (uint32_t)rows.in(first + 8 * i + (lane >> 2)) * a.chunks;
      const uint8_t* then = first + step < rows.count ? w : tile + gridDim.x < tiles ? w + gridDim.x * strip : nullptr;
      for (int s = s0; s < s1; s++) {
        x.s = s;
        const uint8_t* next = s + 1 < s1 ? w + (size_t)(s + 1 - s0) * bytes : then;
        mul_tile<T, NT>(acc, now, x, next, next != nullptr, lane);
      }
      finish<NT>(job, rows, 0, tile, first, acc, part);
    }
  }
}

template <int T, int NT> static __device__ __forceinline__ void mul_quant(const MulArgs& a) {
  extern __shared__ float part[];
  overlap_start();
  bool waited = false;
  int begin = 0, tile = blockIdx.x;
#pragma unroll 1
  for (int j = 0; j < 3; j++) {
    const MulJob& job = a.job[j];
    int tiles = job.blocks - begin, first = tile - begin;
    begin = job.blocks;
    if (first >= tiles) continue;
    mul_tiles<T, NT>(a, job, first, tiles, part, waited);
    waited = true;
    tile += (tiles - first + gridDim.x - 1) / gridDim.x * gridDim.x;
  }
}

// Kernels are named for GGUF's number of the type. One for all types would need the
// registers of all.
#define MUL(TYPE, NT, BLOCKS)                                                                                    \
  extern "C" __global__ void __launch_bounds__(256, BLOCKS) mul_##TYPE##_##NT(const __grid_constant__ MulArgs a) { \
    mul_quant<TYPE, NT>(a);                                                                                     \
  }
#define MULS(TYPE, BLOCKS) MUL(TYPE, 1, 2) MUL(TYPE, 2, 2) MUL(TYPE, 4, BLOCKS) MUL(TYPE, 8, 1)
MULS(2, 2)
MULS(3, 2)
MULS(6, 2)
MULS(7, 2)
MULS(8, 2)
MULS(12, 2)
MULS(13, 2)
MULS(14, 1)
MULS(39, 2)
