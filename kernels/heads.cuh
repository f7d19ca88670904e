// A head of one row in the registers of a warp: its norm and the rotation of its pairs.
// Pair p of a head is (p, p + pairs), or with interleaved pairs (2p, 2p + 1); values
// beyond the pairs that turn go in twos as they stand. A lane holds the pairs lane,
// lane + 32, ...
#pragma once
#include "tile.cuh"

struct HeadJob {
  float* x;             // row r's heads, ld apart
  const float* weight;  // of the norm, or null
  const float* bias;
  const float* table;   // row r's cosines, then sines, 2 * pairs wide; null: no rotation
  __half* cache;        // where cells keep it, or null
  int heads, dim, ld, pairs, interleaved, width;  // width: of a head in a cell
  int norm, center, keep;                         // keep: write the result back to x
  float eps;
};

// Heads of up to 64 * N values.
template <int N> struct Head {
  float v[N][2];

  static __device__ __forceinline__ int at(const HeadJob& job, int j, int h) {
    int p = (threadIdx.x & 31) + 32 * j;
    return p < job.pairs && !job.interleaved ? p + h * job.pairs : 2 * p + h;
  }

  // Calls f(value, its place in the head) for each that the lane holds.
  template <class F> __device__ __forceinline__ void each(const HeadJob& job, F f) {
#pragma unroll
    for (int j = 0; j < N; j++)
#pragma unroll
      for (int h = 0; h < 2; h++) f(v[j][h], at(job, j, h));
  }

  // Reads a head and turns it; what lies beyond its width is 0.
  __device__ __forceinline__ void load(const HeadJob& job, int row, int head) {
    const float* x = job.x + (size_t)row * job.ld + (size_t)head * job.dim;
    const float* table = job.table + (size_t)row * 2 * job.pairs;
    float cosine[N] = {}, sine[N] = {};
    each(job, [&](float& value, int i) { value = i < job.dim ? x[i] : 0.f; });
#pragma unroll
    for (int j = 0; j < N; j++) {
      int p = (threadIdx.x & 31) + 32 * j;
      if (job.table && p < job.pairs) cosine[j] = table[p], sine[j] = table[job.pairs + p];
    }
    if (job.norm) normalize(job);
#pragma unroll
    for (int j = 0; j < N; j++) {
      if (job.table == nullptr || (threadIdx.x & 31) + 32 * j >= job.pairs) continue;
      float a = v[j][0], b = v[j][1];
      v[j][0] = a * cosine[j] - b * sine[j];
      v[j][1] = a * sine[j] + b * cosine[j];
    }
  }

  __device__ __forceinline__ void normalize(const HeadJob& job) {
    float sum = 0, squares = 0;
    if (job.center) each(job, [&](float& value, int) { sum += value; });
    float mean = job.center ? warp_sum(sum) / job.dim : 0.f;
    each(job, [&](float& value, int i) {
      value = i < job.dim ? value - mean : 0.f;
      squares += value * value;
    });
    float scale = __fdiv_rn(1.f, sqrtf(warp_sum(squares) / job.dim + job.eps));
    each(job, [&](float& value, int i) {
      if (i >= job.dim) return;
      value *= scale;
      if (job.weight) value *= job.weight[i];
      if (job.bias) value += job.bias[i];
    });
  }

  // Puts it into a cell.
  __device__ __forceinline__ void store(const HeadJob& job, int cell, int head) {
    __half* to = job.cache + ((size_t)cell * job.heads + head) * job.width;
    each(job, [&](float& value, int i) {
      if (i < job.width) to[i] = __float2half_rn(value);
    });
  }
};
