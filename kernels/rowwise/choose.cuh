// Each row's best experts, and the lists of rows that chose an expert.
#pragma once
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

struct ListArgs {
  const int* ids;
  const int* live;  // rows that are not padding, or null: rows
  int* experts;     // those in use, ascending, -1 after the last; and how many they are
  int* starts;      // one more than there are experts in use
  int* list;        // row * used + place, by expert
  int rows, used, ldi, count;  // count experts
};

// A warp chooses for a row. A lane has E experts, 32 apart; lane j ends with the j-th chosen.
template <int E> static __device__ __forceinline__ void choose(const RouteArgs& a, int row) {
  int lane = threadIdx.x & 31;
  const float* scores = a.scores + (size_t)row * a.lds;
  float top = -INFINITY, total = 0;
  if (a.rule != route_sigmoid) {
    float mine[E];
#pragma unroll
    for (int i = 0; i < E; i++) mine[i] = lane + 32 * i < a.experts ? scores[lane + 32 * i] : -INFINITY;
#pragma unroll
    for (int i = 0; i < E; i++) top = fmaxf(top, mine[i]);
    top = warp_max(top);
#pragma unroll
    for (int i = 0; i < E; i++)
      if (lane + 32 * i < a.experts) total += expf(mine[i] - top);
    total = warp_sum(total);
  }
  Wanted wanted{a, scores, top, total};
  uint32_t open = a.groups > 1 ? open_groups(wanted, a) : ~0u;
  int each = a.groups > 1 ? a.experts / a.groups : a.experts;
  uint32_t key[E];
#pragma unroll
  for (int i = 0; i < E; i++) {
    int e = lane + 32 * i;
    key[i] = e < a.experts && open >> (e / each) & 1 ? ordered(wanted(e)) : 0;
  }
  int id = 0;
  for (int j = 0; j < a.used; j++) {
    uint32_t best = 0;
#pragma unroll
    for (int i = 0; i < E; i++) best = max(best, key[i]);
    best = __reduce_max_sync(~0u, best);
    int first = 0x7fffffff;
#pragma unroll
    for (int i = E - 1; i >= 0; i--)
      if (key[i] == best) first = lane + 32 * i;
    first = __reduce_min_sync(~0u, first);
#pragma unroll
    for (int i = 0; i < E; i++)
      if (first == lane + 32 * i) key[i] = 0;
    if (lane == j) id = first;
  }
  float weight = route_weight(a.rule, scores[id], top, total), sum = 0, scale = a.scale;
  for (int j = 0; j < a.used; j++) sum += __shfl_sync(~0u, weight, j);
  if (a.rule == route_chosen) scale = __fdiv_rn(scale, sum);
  if (a.normalize) scale = __fdiv_rn(scale, a.rule == route_chosen ? 1.f : fmaxf(sum, 6.103515625e-5f));
  if (lane >= a.used) return;
  a.ids[(size_t)row * a.ldi + lane] = id;
  a.weights[(size_t)row * a.ldw + lane] = weight * scale;
}

// The sums of what lower threads of a block have, and of all.
static __device__ __forceinline__ int before(int mine, int* sums, int& all) {
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, upto = mine;
#pragma unroll
  for (int o = 1; o < 32; o <<= 1) {
    int lower = __shfl_up_sync(~0u, upto, o);
    if (lane >= o) upto += lower;
  }
  if (lane == 31) sums[warp] = upto;
  __syncthreads();
  int warps = lane < blockDim.x >> 5 ? sums[lane] : 0;
#pragma unroll
  for (int o = 1; o < 32; o <<= 1) {
    int lower = __shfl_up_sync(~0u, warps, o);
    if (lane >= o) warps += lower;
  }
  all = __shfl_sync(~0u, warps, 31);
  int lower = __shfl_sync(~0u, warps, max(warp - 1, 0));
  return upto - mine + (warp > 0 ? lower : 0);
}

// A block, of a thread an expert or more, sorts pairs of rows and experts by expert.
static __device__ void sort_by_expert(const ListArgs& a) {
  __shared__ int have[1024], next[1024], sums[32];
  int expert = threadIdx.x, pairs = (a.live ? min(*a.live, a.rows) : a.rows) * a.used;
  have[expert] = 0;
  __syncthreads();
  for (int p = threadIdx.x; p < pairs; p += blockDim.x) atomicAdd(&have[a.ids[p / a.used * a.ldi + p % a.used]], 1);
  __syncthreads();
  // Pairs in the low 20 bits, experts in use above them.
  int mine = have[expert], all, below = before(mine | (mine > 0) << 20, sums, all), used = all >> 20;
  int slot = below >> 20, at = below & 0xfffff;
  if (mine > 0) a.experts[slot] = expert, a.starts[slot] = at, next[expert] = at;
  if (expert >= used && expert < a.count) a.experts[expert] = -1;
  if (expert == 0) a.experts[a.count] = used, a.starts[used] = pairs;
  __syncthreads();
  // The order within an expert does not matter: rows do not meet in a product.
  for (int p = threadIdx.x; p < pairs; p += blockDim.x)
    a.list[atomicAdd(&next[a.ids[p / a.used * a.ldi + p % a.used]], 1)] = p;
}
