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

// How scores become weights: a softmax over top, the largest of all scores, and total, which is 1
// where only the chosen count.
static __device__ __forceinline__ float route_weight(int rule, float score, float top, float total) {
  float e = expf(rule == route_sigmoid ? -score : score - top);
  return __fdiv_rn(rule == route_sigmoid ? 1.f : e, rule == route_sigmoid ? 1.f + e : total);
}

// The float of a number that ordered gave.
static __device__ __forceinline__ float unordered(uint32_t key) { return __uint_as_float(key >> 31 ? key & 0x7fffffff : ~key); }

// Takes away the keys of groups that are not chosen from: those whose two best have the largest
// sums are. Lane g has the sum of group g.
template <int E> static __device__ __forceinline__ void close_groups(const RouteArgs& a, uint32_t (&key)[E]) {
  int lane = threadIdx.x & 31, each = a.experts / a.groups, rank = 0;
  uint32_t lowest = ordered(-INFINITY);
  float sum = 0;
  auto in = [&](int g, int i) { return (uint32_t)(32 * i - (g * each - lane)) < each; };
#pragma unroll 1
  for (int g = 0; g < a.groups; g++) {
    uint32_t first = lowest, second = lowest;
#pragma unroll
    for (int i = 0; i < E; i++) {
      uint32_t k = in(g, i) ? key[i] : lowest;
      second = max(second, min(first, k));
      first = max(first, k);
    }
    uint32_t best = __reduce_max_sync(~0u, first);
    int owner = __ffs(__ballot_sync(~0u, first == best)) - 1;
    uint32_t next = __reduce_max_sync(~0u, lane == owner ? second : first);
    if (lane == g) sum = unordered(best) + unordered(next);
  }
  for (int other = 0; other < a.groups; other++) {
    float its = __shfl_sync(~0u, sum, other);
    if (its > sum || (its == sum && other < lane)) rank++;
  }
  uint32_t open = __ballot_sync(~0u, lane < a.groups && rank < a.groups_used);
#pragma unroll 1
  for (int g = 0; g < a.groups; g++)
#pragma unroll
    for (int i = 0; i < E; i++)
      if (in(g, i) && !(open >> g & 1)) key[i] = 0;
}

// What lane j has after a choice: the j-th expert and its weight.
struct Chosen {
  int id;
  float weight;
};

// A warp chooses for a row by its scores, which are near, and the bias of the choice, or null. A lane
// has E experts, 32 apart. What the choice looks at is the weight with its bias; where weights are only
// set beside one another the score does as well. Rows of padding may hold anything: what is no number
// comes last, so that they too are given experts that there are.
template <int E> static __device__ __forceinline__ Chosen choose(const RouteArgs& a, const float* scores, const float* bias) {
  int lane = threadIdx.x & 31;
  float mine[E], top = -INFINITY, total = 1;
#pragma unroll
  for (int i = 0; i < E; i++) mine[i] = lane + 32 * i < a.experts ? scores[lane + 32 * i] : -INFINITY;
  if (a.rule != route_sigmoid) {
#pragma unroll
    for (int i = 0; i < E; i++) top = fmaxf(top, mine[i]);
    top = unordered(__reduce_max_sync(~0u, ordered(top)));
  }
  if (a.rule == route_softmax) {
    total = 0;
#pragma unroll
    for (int i = 0; i < E; i++)
      if (lane + 32 * i < a.experts) total += expf(mine[i] - top);
    total = warp_sum(total);
  }
  uint32_t key[E];
#pragma unroll
  for (int i = 0; i < E; i++) {
    key[i] = 0;
    if (lane + 32 * i >= a.experts) continue;
    float s = scores[lane + 32 * i];
    if (a.rule != route_chosen && (bias || a.groups > 1)) s = route_weight(a.rule, s, top, total);
    if (bias) s += bias[lane + 32 * i];
    key[i] = ordered(s == s ? s : -INFINITY);
  }
  if (a.groups > 1) close_groups<E>(a, key);
  int id = 0;
#pragma unroll 1
  for (int j = 0; j < a.used; j++) {
    uint32_t best = 0;
#pragma unroll
    for (int i = 0; i < E; i++) best = max(best, key[i]);
    best = __reduce_max_sync(~0u, best);
    int first = 32 * E;
#pragma unroll
    for (int i = E - 1; i >= 0; i--)
      if (key[i] == best) first = 32 * i;
    first = __reduce_min_sync(~0u, first + lane);
#pragma unroll
    for (int i = 0; i < E; i++)
      if (first - lane == 32 * i) key[i] = 0;
    if (lane == j) id = first;
  }
  float weight = lane < a.used ? route_weight(a.rule, scores[id], top, total) : 0.f, sum = warp_sum(weight), scale = a.scale;
  if (a.rule == route_chosen) scale = __fdiv_rn(scale, sum);
  if (a.normalize) scale = __fdiv_rn(scale, a.rule == route_chosen ? 1.f : fmaxf(sum, 6.103515625e-5f));
  return {id, weight * scale};
}

static __device__ __forceinline__ void store_choice(const RouteArgs& a, int row, const Chosen& c) {
  int lane = threadIdx.x & 31;
  if (lane >= a.used) return;
  a.ids[(size_t)row * a.ldi + lane] = c.id;
  a.weights[(size_t)row * a.ldw + lane] = c.weight;
}

struct ListArgs {
  const int* ids;
  const int* live;  // rows that are not padding, or null: rows
  int* experts;     // those in use, -1 after the last up to rows * used or count; and how many they are
  int* starts;      // one more than there are experts in use
  int* list;        // row * used + place, by expert
  int rows, used, ldi, count;  // count experts
};

static __device__ __forceinline__ int live_rows(const ListArgs& a) { return a.live ? *a.live : a.rows; }

// A warp lists what a single row chose.
static __device__ __forceinline__ void list_row(const ListArgs& a, int live, const Chosen& c) {
  int lane = threadIdx.x & 31, used = live > 0 ? a.used : 0;
  if (lane < a.used) {
    a.experts[lane] = used > 0 ? c.id : -1;
    a.starts[lane] = lane;
    a.list[lane] = lane;
  }
  if (lane == 0) a.experts[a.count] = used, a.starts[a.used] = a.used;
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
static __device__ void sort_by_expert(const ListArgs& a, int live) {
  __shared__ int have[1024], next[1024], sums[32];
  int expert = threadIdx.x, pairs = min(live, a.rows) * a.used;
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
