// What the kernels for 17 to 64 rows of x on Hopper share: a block takes 128 rows of W, eight
// strips, and all rows of x. It goes from tile to tile of 128 rows, or the blocks of a cluster share the
// eighths of one tile's chunks.
#pragma once
#include "hopper.cuh"
#include "mul.cuh"

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
constexpr int tall_strips = 8, tall_high = tall_strips * 16;  // rows of W a block

// A place in the ring of shared memory, and how often the ring has been gone round.
struct Turn {
  int place = 0, round = 0;
  __device__ __forceinline__ void next(int places) {
    if (++place == places) place = 0, round ^= 1;
  }
};

// What a block works on: tiles from first on, every step-th; chunks c0 to c1.
struct TallWork {
  int first, tiles, step, c0, c1;
  __device__ __forceinline__ TallWork(const MulArgs& a, int rank, int ranks)
      : first(blockIdx.y), tiles(a.job[2].blocks), step(gridDim.y), c0(a.chunks * (8 * rank / ranks) / 8), c1(a.chunks * (8 * (rank + 1) / ranks) / 8) {}
};

// The job that a tile of the launch belongs to; tile becomes its number there.
static __device__ __forceinline__ const MulJob& job_of_tile(const MulArgs& a, int& tile) {
  int j = tile < a.job[0].blocks ? 0 : tile < a.job[1].blocks ? 1 : 2;
  if (j > 0) tile -= a.job[j - 1].blocks;
  return a.job[j];
}

// Eighths of a tile that a cluster adds up: [eighth of the block][row of x][row of W].
template <int NT> struct Eighths {
  static constexpr int stride = tall_high + 4, plane = NT * stride * 4;
  uint32_t at;

  __device__ __forceinline__ void put(int e, int m, int n, float v) const { store_shared(at + e * plane + (m * stride + n) * 4, v); }
  // Adds them in order; each block writes its share of rows of x, its eight warps row by row.
  __device__ __forceinline__ void write(const MulJob& job, int tile, int count, int ranks, int rank, int warp, int lane) const {
    int m0 = NT * rank / ranks, m1 = min(NT * (rank + 1) / ranks, count);
    for (int m = m0 + warp; m < m1; m += 8)
#pragma unroll
      for (int i = 0; i < tall_high / 32; i++) {
        int r = lane + 32 * i, n = tile * tall_high + r;
        if (n >= job.n) break;
        float bias = job.bias ? job.bias[n] : 0, more = job.add ? job.add[(size_t)m * job.ldadd + n] : 0, v = 0;
#pragma unroll
        for (int e = 0; e < 8; e++) {
          float u = shared_float(shared_of(at, e * ranks / 8) + (e - e * ranks / 8 * 8 / ranks) * plane + (m * stride + r) * 4);
          v = e == 0 ? u : v + u;
        }
        if (job.bias) v += bias;
        if (job.add) v += more;
        job.out[(size_t)m * job.ldo + n] = v;
      }
  }
};
#endif
