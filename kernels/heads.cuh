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
  const float* table;   // row r's cosines, then sines, 2 * pairs wide
  __half* cache;        // where cells keep it, or null
  int heads, dim, ld, pairs, interleaved, width;  // pairs: 0, no rotation; width: of a head in a cell
  int norm, center, keep;                         // keep: write the result back to x
  float eps;
};

// Heads of up to 64 * N values. First name and ask read all that a head needs, then
// turn works on it.
template <int N> struct Head {
  uint32_t x = 0, table = 0;  // where the head and its row's cosines begin, in values
  float v[N][2] = {}, weight[N][2] = {}, cosine[N] = {}, sine[N] = {};

  // Calls f(value, its place in the head) for each that the lane holds.
  template <class F> __device__ __forceinline__ void each(const HeadJob& job, F f) {
    int apart = job.interleaved ? 0 : job.pairs;
#pragma unroll
    for (int j = 0; j < N; j++) {
      int p = (threadIdx.x & 31) + 32 * j, first = p < apart ? p : 2 * p;
      f(v[j][0], first);
      f(v[j][1], first + (p < apart ? apart : 1));
    }
  }

  // Says which head it is.
  __device__ __forceinline__ void name(const HeadJob& job, int row, int head) {
    x = row * job.ld + head * job.dim;
    table = row * 2 * job.pairs;
  }

  // Reads the norm's weights, which are there before the step is.
  __device__ __forceinline__ void weights(const HeadJob& job) {
    int n = 0;
    each(job, [&](float&, int i) {
      weight[n >> 1][n & 1] = job.weight && i < job.dim ? job.weight[i] : 1.f;
      n++;
    });
  }

  // Reads the head and its rotation; what lies beyond its width is 0.
  __device__ __forceinline__ void ask(const HeadJob& job) {
    each(job, [&](float& value, int i) { value = i < job.dim ? job.x[x + i] : 0.f; });
#pragma unroll
    for (int j = 0; j < N; j++) {
      int p = (threadIdx.x & 31) + 32 * j;
      cosine[j] = p < job.pairs ? job.table[table + p] : 0.f;
      sine[j] = p < job.pairs ? job.table[table + job.pairs + p] : 0.f;
    }
  }

  // Takes the mean away.
  __device__ __forceinline__ void center(const HeadJob& job) {
    float sum = 0;
    each(job, [&](float& value, int) { sum += value; });
    float mean = warp_sum(sum) / job.dim;
    each(job, [&](float& value, int i) { value = i < job.dim ? value - mean : 0.f; });
  }

  // The lane's share of the sum of squares.
  __device__ __forceinline__ float squares() const {
    float sum = 0;
#pragma unroll
    for (int j = 0; j < N; j++) sum = fmaf(v[j][1], v[j][1], fmaf(v[j][0], v[j][0], sum));
    return sum;
  }

  // The norm but for its bias; by is what it multiplies with.
  __device__ __forceinline__ void scale(float by) {
#pragma unroll
    for (int j = 0; j < N; j++)
#pragma unroll
      for (int h = 0; h < 2; h++) v[j][h] = __fmul_rn(__fmul_rn(v[j][h], by), weight[j][h]);
  }

  __device__ __forceinline__ void bias(const HeadJob& job) {
    each(job, [&](float& value, int i) {
      if (i < job.dim) value = __fadd_rn(value, job.bias[i]);
    });
  }

  __device__ __forceinline__ void rotate(const HeadJob& job) {
#pragma unroll
    for (int j = 0; j < N; j++) {
      float a = v[j][0], b = v[j][1];
      if ((int)(threadIdx.x & 31) + 32 * j >= job.pairs) continue;
      v[j][0] = fmaf(a, cosine[j], -__fmul_rn(b, sine[j]));
      v[j][1] = fmaf(a, sine[j], __fmul_rn(b, cosine[j]));
    }
  }

  // Puts it into a cell.
  __device__ __forceinline__ void store(const HeadJob& job, int cell, int head) {
    __half* to = job.cache + ((size_t)cell * job.heads + head) * job.width;
    each(job, [&](float& value, int i) {
      if (i < job.width) to[i] = __float2half_rn(value);
    });
  }
};

// Norms and rotates M heads side by side: the warp's lanes are slow to exchange sums, and a
// lane divides for one of the heads only.
template <int N, int M> static __device__ __forceinline__ void turn(Head<N> (&heads)[M], const HeadJob* const (&jobs)[M]) {
  bool norm = false, center = false, bias = false;
#pragma unroll
  for (int m = 0; m < M; m++) {
    norm |= jobs[m]->norm;
    center |= jobs[m]->norm && jobs[m]->center;
    bias |= jobs[m]->norm && jobs[m]->bias;
  }
  if (__builtin_expect(center, 0))
#pragma unroll
    for (int m = 0; m < M; m++)
      if (jobs[m]->norm && jobs[m]->center) heads[m].center(*jobs[m]);
  if (norm) {
    float squares[M], mine, eps, dim;
#pragma unroll
    for (int m = 0; m < M; m++) squares[m] = heads[m].squares();
#pragma unroll
    for (int o = 16; o > 0; o >>= 1)
#pragma unroll
      for (int m = 0; m < M; m++) squares[m] += __shfl_xor_sync(~0u, squares[m], o);
#pragma unroll
    for (int m = 0; m < M; m++)
      if (m == 0 || (threadIdx.x & 31) == m) mine = squares[m], dim = jobs[m]->dim, eps = jobs[m]->eps;
    float by = __fdiv_rn(1.f, sqrtf(__fdiv_rn(mine, dim) + eps));
#pragma unroll
    for (int m = 0; m < M; m++) {
      float its = __shfl_sync(~0u, by, m);
      if (jobs[m]->norm) heads[m].scale(its);
    }
    if (__builtin_expect(bias, 0))
#pragma unroll
      for (int m = 0; m < M; m++)
        if (jobs[m]->norm && jobs[m]->bias) heads[m].bias(*jobs[m]);
  }
#pragma unroll
  for (int m = 0; m < M; m++) heads[m].rotate(*jobs[m]);
}
