// What happens to heads between the products and attention: a norm of each head, the
// rotation of its pairs, and the store into cells; up to three parts of a row (q, k, v)
// in one launch, any of the steps left out. A warp takes one head of one row.
// Bound: the launch for few rows (3.5 us; H200, 2026-11-29), memory for many.
#include "tile.cuh"

struct HeadJob {
  float* x;             // row r's heads, ld apart; written back unless cells alone want it
  const float* weight;  // of the norm, or null
  const float* bias;
  const float* table;   // row r's cosines, then sines, 2 * pairs wide; null: no rotation
  __half* cache;        // where cells keep it, or null
  int heads, dim, ld, pairs, interleaved, width;  // width: of a head in a cell
  int norm, center, keep;
  float eps;
};

struct HeadArgs {
  HeadJob job[3];
  const int* cells;  // of each row
  int rows, jobs, total, pad;  // total heads of a row over all jobs
};

extern "C" __global__ void __launch_bounds__(128) turn_heads(const __grid_constant__ HeadArgs a) {
  __shared__ float room[4][1024];
  overlap_start();
  overlap_wait();
  int lane = threadIdx.x & 31;
  float* mine = room[threadIdx.x >> 5];
  long long work = (long long)a.rows * a.total;
  for (long long w = blockIdx.x * 4 + (threadIdx.x >> 5); w < work; w += gridDim.x * 4) {
    int row = w / a.total, head = w % a.total, j = 0;
    while (j + 1 < a.jobs && head >= a.job[j].heads) head -= a.job[j++].heads;
    const HeadJob& job = a.job[j];
    float* x = job.x + (size_t)row * job.ld + (size_t)head * job.dim;
    __syncwarp();
    float sum = 0;
    for (int i = lane; i < job.dim; i += 32) {
      mine[i] = x[i];
      sum += mine[i];
    }
    if (job.norm) {
      float mean = job.center ? warp_sum(sum) / job.dim : 0.f, squares = 0;
      for (int i = lane; i < job.dim; i += 32) squares += (mine[i] - mean) * (mine[i] - mean);
      float scale = __fdiv_rn(1.f, sqrtf(warp_sum(squares) / job.dim + job.eps));
      for (int i = lane; i < job.dim; i += 32) {
        float v = (mine[i] - mean) * scale;
        if (job.weight) v *= job.weight[i];
        if (job.bias) v += job.bias[i];
        mine[i] = v;
      }
    }
    __syncwarp();
    if (job.table) {
      const float* table = job.table + (size_t)row * 2 * job.pairs;
      for (int p = lane; p < job.pairs; p += 32) {
        int i = job.interleaved ? 2 * p : p, k = job.interleaved ? 2 * p + 1 : p + job.pairs;
        float c = table[p], s = table[job.pairs + p], u = mine[i], v = mine[k];
        mine[i] = u * c - v * s;
        mine[k] = u * s + v * c;
      }
      __syncwarp();
    }
    if (job.keep)
      for (int i = lane; i < job.dim; i += 32) x[i] = mine[i];
    if (job.cache) {
      __half* to = job.cache + ((size_t)a.cells[row] * job.heads + head) * job.width;
      for (int i = lane; i < job.width; i += 32) to[i] = __float2half_rn(i < job.dim ? mine[i] : 0.f);
    }
  }
}

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
