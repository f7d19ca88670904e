// What happens to heads between the products and attention: a norm of each head, the
// rotation of its pairs, and the store into cells; up to three parts of a row (q, k, v)
// in one launch, any of the steps left out. A warp takes one head of one row.
// Bound: the launch for few rows (3.5 us; H200, 2026-11-29), memory for many.
#include "heads.cuh"

struct HeadArgs {
  HeadJob job[3];
  const int* cells;  // of each row
  int rows, jobs, total, pad;  // total heads of a row over all jobs
};

template <int N> static __device__ __forceinline__ void turn_head(const HeadArgs& a, const HeadJob& job, int row, int head) {
  Head<N> h[1];
  h[0].weights(job);
  h[0].name(job, row, head);
  h[0].ask(job);
  turn(h, {&job});
  float* x = job.x + (size_t)row * job.ld + (size_t)head * job.dim;
  if (job.keep)
    h[0].each(job, [&](float& value, int i) {
      if (i < job.dim) x[i] = value;
    });
  if (job.cache) h[0].store(job, a.cells[row], head);
}

template <int N> static __device__ __forceinline__ void turn_heads(const HeadArgs& a) {
  overlap_start();
  overlap_wait();
  long long work = (long long)a.rows * a.total;
  for (long long w = blockIdx.x * 4 + (threadIdx.x >> 5); w < work; w += gridDim.x * 4) {
    int row = w / a.total, head = w % a.total, j = 0;
    while (j + 1 < a.jobs && head >= a.job[j].heads) head -= a.job[j++].heads;
    turn_head<N>(a, a.job[j], row, head);
  }
}

// Of heads up to D wide: what a lane holds of wider ones leaves room for few warps.
#define TURN_HEADS(D) \
  extern "C" __global__ void __launch_bounds__(128) turn_heads_##D(const __grid_constant__ HeadArgs a) { turn_heads<D / 64>(a); }
TURN_HEADS(64)
TURN_HEADS(128)
TURN_HEADS(256)
TURN_HEADS(1024)

// Each row's cosines and sines, once a step for each table of frequencies.
struct RopeArgs {
  float* table;
  const double* freqs;
  const int* pos;
  int rows, pairs;
  float magnitude;
  int pad;
};

extern "C" __global__ void rope_table(const __grid_constant__ RopeArgs a) {
  overlap_start();
  overlap_wait();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < a.rows * a.pairs; i += gridDim.x * blockDim.x) {
    int row = i / a.pairs, p = i % a.pairs;
    double s, c;
    sincos((double)a.pos[row] * a.freqs[p], &s, &c);
    a.table[(size_t)row * 2 * a.pairs + p] = (float)(c * a.magnitude);
    a.table[(size_t)row * 2 * a.pairs + a.pairs + p] = (float)(s * a.magnitude);
  }
}
