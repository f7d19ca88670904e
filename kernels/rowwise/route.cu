// Choosing experts: each row's best by score, lists of rows by expert for the products
// (mul_quant.cu), and the weighted sum of what they gave. Bound: the launch.
#include "tile.cuh"

enum { route_softmax, route_chosen, route_sigmoid };

struct RouteArgs {
  const float* scores;
  const float* bias;  // of the choice alone, one an expert, or null
  int* ids;
  float* weights;
  int rows, experts, used, rule, normalize, groups, groups_used, lds, ldi, ldw;
  float scale;
  int pad;
};

// How scores become weights: a softmax over top, the largest of all scores, and total.
static __device__ __forceinline__ float route_weight(int rule, float score, float top, float total) {
  switch (rule) {
    case route_softmax: return __fdiv_rn(expf(score - top), total);
    case route_sigmoid: return __fdiv_rn(1.f, 1.f + expf(-score));
    default: return expf(score - top);
  }
}

// What the choice looks at: the weight with its bias. Where weights are only set beside one
// another the score does as well. Rows of padding may hold anything: what is no number
// comes last, so that they too are given experts that there are.
struct Wanted {
  const RouteArgs& a;
  const float* scores;
  float top, total;
  __device__ __forceinline__ float operator()(int e) const {
    float s = scores[e];
    if (a.rule != route_chosen && (a.bias || a.groups > 1)) s = route_weight(a.rule, s, top, total);
    if (a.bias) s += a.bias[e];
    return s == s ? s : -INFINITY;
  }
};

// A bit for each group that is chosen from: those whose two best have the largest sums.
// A lane takes a group.
static __device__ __forceinline__ uint32_t open_groups(const Wanted& wanted, const RouteArgs& a) {
  int g = threadIdx.x & 31, each = a.experts / a.groups, rank = 0;
  float first = -INFINITY, second = -INFINITY;
  for (int e = g * each; g < a.groups && e < (g + 1) * each; e++) {
    float s = wanted(e);
    second = fmaxf(second, fminf(first, s));
    first = fmaxf(first, s);
  }
  float sum = first + second;
  for (int other = 0; other < a.groups; other++) {
    float its = __shfl_sync(~0u, sum, other);
    if (its > sum || (its == sum && other < g)) rank++;
  }
  return __ballot_sync(~0u, g < a.groups && rank < a.groups_used);
}

// A warp takes a row; up to 1024 experts, 32 apart in a lane.
extern "C" __global__ void __launch_bounds__(128) route(const __grid_constant__ RouteArgs a) {
  overlap_start();
  overlap_wait();
  int row = blockIdx.x * 4 + (threadIdx.x >> 5), lane = threadIdx.x & 31;
  if (row >= a.rows) return;
  const float* scores = a.scores + (size_t)row * a.lds;
  float top = -INFINITY, total = 0;
  if (a.rule != route_sigmoid) {
    for (int e = lane; e < a.experts; e += 32) top = fmaxf(top, scores[e]);
    top = warp_max(top);
    for (int e = lane; e < a.experts; e += 32) total += expf(scores[e] - top);
    total = warp_sum(total);
  }
  Wanted wanted{a, scores, top, total};
  uint32_t open = a.groups > 1 ? open_groups(wanted, a) : 0;
  int each = a.groups > 1 ? a.experts / a.groups : 1;
  uint32_t taken = 0;  // bit i: expert lane + 32*i
  float sum = 0;
  for (int j = 0; j < a.used; j++) {
    float best = -INFINITY;
    int id = 0x7fffffff;
    for (int i = 0, e = lane; e < a.experts; i++, e += 32) {
      if (taken >> i & 1 || (a.groups > 1 && !(open >> (e / each) & 1))) continue;
      float s = wanted(e);
      if (id == 0x7fffffff || s > best) best = s, id = e;
    }
    for (int o = 16; o > 0; o >>= 1) {
      float other = __shfl_xor_sync(~0u, best, o);
      int its = __shfl_xor_sync(~0u, id, o);
      if (its != 0x7fffffff && (id == 0x7fffffff || other > best || (other == best && its < id))) best = other, id = its;
    }
    if ((id & 31) == lane) taken |= 1u << (id >> 5);
    float w = route_weight(a.rule, scores[id], top, total);
    sum += w;
    if (lane == 0) a.ids[(size_t)row * a.ldi + j] = id;
    if (lane == (j & 31)) a.weights[(size_t)row * a.ldw + j] = w;
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
