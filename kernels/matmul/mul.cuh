// What the matrix products of all types share: their arguments, the rows that a block
// works on, and how the parts of a result come together.
#pragma once
#include "tile.cuh"

struct MulJob {
  const uint8_t* w;
  float* out;
  const float* bias;
  const float* add;
  int n, ldo, ldadd, type;
  int blocks;  // of this job and those before it
  int pad;
};

struct MulArgs {
  MulJob job[3];
  const void* x;            // bytes in tile order, or floats
  const uint8_t* record;
  const int* count;         // rows of x that are wanted, or null: rows
  const int* experts;       // the experts in use, or null
  const int* starts;        // where each one's part of list begins
  const int* list;          // output rows by expert; row / divide is the row of x
  int rows, chunks, ldx, k;  // chunks of 256 (16 for floats); ldx and k for floats
  int divide, slots;  // slots: pieces of weights on their way a warp (stream.cuh)
};

// The rows of x and of the result that a block works on.
struct Rows {
  const int* list;
  int count, divide;
  __device__ __forceinline__ int out(int i) const { return list ? list[i] : i; }
  __device__ __forceinline__ int in(int i) const {
    i = min(i, count - 1);
    return list ? list[i] / divide : i;
  }
};

// A warp's part of 16 rows of W by 8 times NT rows of x, in a product's registers.
template <int NT> struct Sums {
  float acc[NT][4];
  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int i = 0; i < NT; i++)
#pragma unroll
      for (int j = 0; j < 4; j++) acc[i][j] = 0;
  }
  template <class Put> __device__ __forceinline__ void each(Put put) const {
    int lane = threadIdx.x & 31, g = lane >> 2, t = lane & 3;
#pragma unroll
    for (int i = 0; i < NT; i++)
#pragma unroll
      for (int j = 0; j < 4; j++) put(g + 8 * (j >> 1), 8 * i + 2 * t + (j & 1), acc[i][j]);
  }
};

// Adds the warps' parts in order and writes them: part is [8][8*NT][17].
template <int NT> static __device__ __forceinline__ void
finish(const MulJob& job, const Rows& rows, int expert, int tile, int first, float acc[NT][4], float* part) {
  constexpr int stride = 17, plane = 8 * NT * stride;
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, g = lane >> 2, t = lane & 3;
  __syncthreads();
#pragma unroll
  for (int i = 0; i < NT; i++)
#pragma unroll
    for (int j = 0; j < 4; j++)
      part[warp * plane + (8 * i + 2 * t + (j & 1)) * stride + g + 8 * (j >> 1)] = acc[i][j];
  __syncthreads();
  for (int i = threadIdx.x; i < 16 * 8 * NT; i += 256) {
    int r = i & 15, m = i >> 4, n = tile * 16 + r;
    if (n >= job.n || first + m >= rows.count) continue;
    float v = part[m * stride + r];
#pragma unroll
    for (int w = 1; w < 8; w++) v += part[w * plane + m * stride + r];
    if (job.bias) v += job.bias[(size_t)expert * job.n + n];
    size_t row = rows.out(first + m);
    if (job.add) v += job.add[row * job.ldadd + n];
    job.out[row * job.ldo + n] = v;
  }
}

// What a block has to do: whose rows, and which expert's weights.
static __device__ __forceinline__ Rows rows_of(const MulArgs& a, int& expert) {
  expert = 0;
  if (a.experts == nullptr) return {nullptr, a.count ? min(*a.count, a.rows) : a.rows, 1};
  expert = a.experts[blockIdx.z];
  if (expert < 0) return {nullptr, 0, 1};
  int from = a.starts[blockIdx.z];
  return {a.list + from, a.starts[blockIdx.z + 1] - from, a.divide};
}

// Which matrix of the launch the block works on, and its number there.
static __device__ __forceinline__ const MulJob& job_of(const MulArgs& a, int& block) {
  block = blockIdx.x;
  int j = block < a.job[0].blocks ? 0 : block < a.job[1].blocks ? 1 : 2;
  if (j > 0) block -= a.job[j - 1].blocks;
  return a.job[j];
}

// Writes a warp's 16 rows of W by 8*NT rows of x, through shared memory, so that
// neighbouring lanes write neighbouring values.
template <int NT> static __device__ __forceinline__ void
finish_wide(const MulJob& job, int tile, int first, int count, const float sum[NT][4], float* memory) {
  int lane = threadIdx.x & 31, g = lane >> 2, t = lane & 3;
  float* mine = memory + (threadIdx.x >> 5) * 8 * NT * 17;
#pragma unroll
  for (int i = 0; i < NT; i++)
#pragma unroll
    for (int j = 0; j < 4; j++) mine[(8 * i + 2 * t + (j & 1)) * 17 + g + 8 * (j >> 1)] = sum[i][j];
  __syncwarp();
  for (int i = lane; i < 16 * 8 * NT; i += 32) {
    int r = i & 15, m = first + (i >> 4), n = tile * 16 + r;
    if (n >= job.n || m >= count) continue;
    float v = mine[(i >> 4) * 17 + r];
    if (job.bias) v += job.bias[n];
    if (job.add) v += job.add[(size_t)m * job.ldadd + n];
    job.out[(size_t)m * job.ldo + n] = v;
  }
}
