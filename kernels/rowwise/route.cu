// Choosing experts: each row's best by score, lists of rows by expert for the products
// (mul_quant.cu), and the weighted sum of what they gave. Bound: the launch.
#include "tile.cuh"

enum { route_softmax, route_chosen, route_sigmoid };

struct RouteArgs {
  const float* scores;
  int* ids;
  float* weights;
  int rows, experts, used, rule, normalize, lds, ldi, ldw;
  float scale;
  int pad;
};

// A warp takes a row; up to 1024 experts, 32 apart in a lane.
extern "C" __global__ void __launch_bounds__(128) route(const __grid_constant__ RouteArgs a) {
  overlap_start();
  overlap_wait();
  int row = blockIdx.x * 4 + (threadIdx.x >> 5), lane = threadIdx.x & 31;
  if (row >= a.rows) return;
  const float* scores = a.scores + (size_t)row * a.lds;
  float top = -INFINITY, total = 0;
  if (a.rule == route_softmax) {
    for (int e = lane; e < a.experts; e += 32) top = fmaxf(top, scores[e]);
    top = warp_max(top);
    for (int e = lane; e < a.experts; e += 32) total += expf(scores[e] - top);
    total = warp_sum(total);
  }
  uint32_t taken = 0;  // bit i: expert lane + 32*i
  float chosen = 0, sum = 0, best_of_all = 0;
  for (int j = 0; j < a.used; j++) {
    float best = -INFINITY;
    int id = 0x7fffffff;
    for (int i = 0, e = lane; e < a.experts; i++, e += 32) {
      float s = scores[e];
      if (!(taken >> i & 1) && (id == 0x7fffffff || s > best)) best = s, id = e;
    }
    for (int o = 16; o > 0; o >>= 1) {
      float other = __shfl_xor_sync(~0u, best, o);
      int its = __shfl_xor_sync(~0u, id, o);
      if (its != 0x7fffffff && (id == 0x7fffffff || other > best || (other == best && its < id))) best = other, id = its;
    }
    if ((id & 31) == lane) taken |= 1u << (id >> 5);
    if (j == 0) best_of_all = best;
    float w = a.rule == route_softmax ? __fdiv_rn(expf(best - top), total)
            : a.rule == route_sigmoid ? __fdiv_rn(1.f, 1.f + expf(-best))
                                      : expf(best - best_of_all);
    sum += w;
    if (lane == (j & 31)) chosen = w;
    if (lane == 0) a.ids[(size_t)row * a.ldi + j] = id;
    if (lane == (j & 31)) a.weights[(size_t)row * a.ldw + j] = chosen;
  }
  float scale = a.scale;
  if (a.rule == route_chosen) scale = __fdiv_rn(scale, sum);
  if (a.normalize) scale = __fdiv_rn(scale, a.rule == route_chosen ? 1.f : fmaxf(sum, 6.103515625e-5f));
  __syncwarp();
  for (int j = lane; j < a.used; j += 32) a.weights[(size_t)row * a.ldw + j] *= scale;
}

struct ListArgs {
  const int* ids;
  const int* live;  // rows that are not padding, or null: rows
  int* experts;     // those in use, ascending; -1 after the last
  int* starts;      // one more than there are experts in use
  int* list;        // row * used + place, by expert
  int rows, used, ldi, count;  // count experts
};

extern "C" __global__ void __launch_bounds__(1024) expert_lists(const __grid_constant__ ListArgs a) {
  __shared__ int have[1024], next[1024];
  overlap_start();
  overlap_wait();
  int rows = a.live ? min(*a.live, a.rows) : a.rows, pairs = rows * a.used;
  have[threadIdx.x] = 0;
  __syncthreads();
  for (int p = threadIdx.x; p < pairs; p += blockDim.x) atomicAdd(&have[a.ids[p / a.used * a.ldi + p % a.used]], 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    int slot = 0, at = 0;
    for (int e = 0; e < a.count; e++) {
      if (have[e] == 0) continue;
      a.experts[slot] = e;
      a.starts[slot] = at;
      next[e] = at;
      at += have[e];
      slot++;
    }
    a.starts[slot] = at;
    for (; slot < a.count; slot++) a.experts[slot] = -1;
  }
  __syncthreads();
  // The order within an expert does not matter: rows do not meet in a product.
  for (int p = threadIdx.x; p < pairs; p += blockDim.x)
    a.list[atomicAdd(&next[a.ids[p / a.used * a.ldi + p % a.used]], 1)] = p;
}

struct SumArgs {
  float* out;
  const float* in;       // [rows * used][n]
  const int* ids;
  const float* weights;
  const float* scales;   // one an expert, or null
  int rows, used, n, ldo, ldi, ldw;
};

extern "C" __global__ void __launch_bounds__(256) expert_sum(const __grid_constant__ SumArgs a) {
  overlap_start();
  overlap_wait();
  for (int row = blockIdx.y; row < a.rows; row += gridDim.y)
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < a.n; k += gridDim.x * blockDim.x) {
      float v = 0;
      for (int j = 0; j < a.used; j++) {
        float w = a.weights[(size_t)row * a.ldw + j];
        if (a.scales) w *= a.scales[a.ids[(size_t)row * a.ldi + j]];
        v += w * a.in[((size_t)row * a.used + j) * a.n + k];
      }
      a.out[(size_t)row * a.ldo + k] = v;
    }
}
