// Softmax attention of rows over the cells of their sequences. Work comes as items:
// rows that see the same cells from one position to another; a block takes an item and
// one key head, so that its query heads, or an equal part of them where they are many, and
// all rows of the item share the reading of keys and values: neighbouring rows of one
// sequence, or rows of many sequences over what they have in common. What a block finds is
// a part: the unfinished sums, with the largest score and the weights' sum; attend_join
// adds a row's parts and divides.
// Shapes: heads of up to 576 dimensions, up to 16 * MT rows times heads an item;
// positions in tiles of 64 from multiples of 64.
// Queries and weights go through the tensor cores as two halves each (value and what
// its rounding leaves), keys and values as the cells' halves. Items of up to 8 rows times
// heads are folded, in kernels with MT = 1 for heads of up to 128: high and low halves are
// then rows of one product.
// The heads may come as the products left them: their norm and rotation, and the way of
// the step's own keys and values into their cells are then this kernel's work as well.
// Bound: reading the cells; for short sequences the chain of one tile.
#include "sums.cuh"
#include "turn.cuh"

template <int D, int MT, bool folds> static __device__ __forceinline__ void attend(const AttendArgs& a) {
  extern __shared__ __align__(16) char memory[];
  Room<D, MT>& room = *(Room<D, MT>*)memory;
  overlap_start();
  // The step's inputs are there already, and so are all cells but this step's.
  CellFeed<D, MT> feed(a, room);
  bool there = !feed.more() || !feed.early();  // what the kernels before have written
  if (there) overlap_wait();
  if (!feed.more()) return;
  HeadSums<D, MT, folds> sums(room, a);
  const Item& it = room.item;
  int i = blockIdx.y, base;
  // All copies are one piece of code, which most blocks leave once and for all: a block that
  // works on one tile takes about as long as its instructions take to arrive.
  // Keys are copied in even stages and values in odd ones.
  enum { first_keys = 0, first_values = 1, scored = 2, added = 3, ended = 5 } stage = first_keys;
  for (;;) {
    feed.copy(stage & 1);
    if (stage == first_keys) {
      stage = first_values;
      continue;
    }
    if (stage != scored) {
      if (stage != added) {
        feed.begin(i);
        __syncthreads();
        base = it.from;
      }
      if (base == it.from || (a.k.x && base + positions > it.fresh)) {
        HeadFeed<D, MT, (MT > 1 || D > 256) ? 1 : 2> heads(a, room, it, feed.head, base);
        do {
          heads.begin(feed.cells);
          if (!there) overlap_wait();
          there = true;
          heads.end(folds && it.rows * a.group <= 8);
        } while (heads.more());
      }
      if (base == it.from) sums.begin(it.rows * a.group);
      wait_for<1>();
      __syncthreads();
      sums.multiply(room.keys);
      sums.mask(a, base, it.to);
      __syncthreads();
      stage = scored;
      if (feed.more()) continue;
      commit();
    }
    sums.weigh();
    wait_for<1>();
    __syncthreads();
    sums.add(room.values);
    __syncthreads();
    base += positions;
    stage = added;
    if (base >= it.to) {
      sums.put(a);
      i += gridDim.y;
      stage = ended;
      __syncthreads();
    }
    if (!feed.more()) return;
  }
}

#define ATTEND(D, MT) \
  extern "C" __global__ void __launch_bounds__(128, MT == 1 && D <= 128 ? 4 : 1) attend_##D##_##MT(const __grid_constant__ AttendArgs a) { attend<D, MT, MT == 1 && D <= 128>(a); }
ATTEND(64, 1)
ATTEND(64, 4)
ATTEND(128, 1)
ATTEND(128, 4)
ATTEND(256, 1)
ATTEND(256, 2)
ATTEND(512, 1)
ATTEND(576, 1)

// out = the parts of each row together, and its sinks; 0 for a row without parts. Of W warps that
// share a row each adds the parts whose chunk leaves its own number when divided by W, then the
// warps' sums are added in order: the same for a row whatever rows it shared items with. One
// warp is enough where rows are many.
struct JoinArgs {
  float* out;  // may be null where only the rounded form is wanted
  const float* parts;
  const Parts* parts_of;
  const float* sinks;  // one a head, or null
  Rounded rounded;
  int heads, dv, ldo, pad;
};

// Of 256 values of a row a lane's eight, of which S neighbours at least are of one head.
template <int S> struct Joined {
  static constexpr int many = 8 / S;
  float v[8], top[many], sum[many];
};

// A warp's sums of the parts start, start + step, ... of a row, from value k on.
template <int S> static __device__ __forceinline__ void
add_parts(Joined<S>& to, const JoinArgs& a, const float* first, const int (&head)[8 / S], int k, int start, int step, int count) {
  constexpr int many = 8 / S;
  int n = a.heads * a.dv;
  size_t record = record_of(a.heads, a.dv);
  // Of the first part everything is asked for at once: most rows have no other for a warp.
  float x[8] = {}, top[many], highest[many];
  for (int h = 0; h < many; h++) top[h] = no_score, to.sum[h] = 0;
  if (start < count) {
    load8(x, first + start * record, k, n);
    for (int h = 0; h < many; h++) {
      top[h] = first[start * record + n + head[h]];
      to.sum[h] = first[start * record + n + a.heads + head[h]];
    }
  }
  for (int h = 0; h < many; h++) highest[h] = top[h];
  for (int i = start + step; i < count; i += step)
    for (int h = 0; h < many; h++) highest[h] = fmaxf(highest[h], first[i * record + n + head[h]]);
  for (int h = 0; h < many; h++) {
    float by = exp2f(top[h] - highest[h]);
    to.top[h] = highest[h];
    to.sum[h] *= by;
    for (int j = h * S; j < h * S + S; j++) to.v[j] = by * x[j];
  }
#pragma unroll 4
  for (int i = start + step; i < count; i += step) {
    const float* part = first + i * record;
    load8(x, part, k, n);
    for (int h = 0; h < many; h++) {
      float by = exp2f(part[n + head[h]] - to.top[h]);
      to.sum[h] += by * part[n + a.heads + head[h]];
      for (int j = h * S; j < h * S + S; j++) to.v[j] += by * x[j];
    }
  }
}

// The sums of eight warps become those of all in the first.
template <int S> static __device__ __forceinline__ void meet(Joined<S>& of, int lane, int warp) {
  constexpr int many = 8 / S;
  __shared__ float tops[8][many][32], sums[8][many][32], values[8][256];
  for (int h = 0; h < many; h++) tops[warp][h][lane] = of.top[h], sums[warp][h][lane] = of.sum[h];
  for (int j = 0; j < 8; j++) values[warp][j * 32 + lane] = of.v[j];
  __syncthreads();
  if (warp > 0) return;
  for (int h = 0; h < many; h++) {
    float all = no_score, sum = 0;
    for (int w = 0; w < 8; w++) all = fmaxf(all, tops[w][h][lane]);
    for (int j = h * S; j < h * S + S; j++) of.v[j] = 0;
    for (int w = 0; w < 8; w++) {
      float by = exp2f(tops[w][h][lane] - all);
      sum += by * sums[w][h][lane];
      for (int j = h * S; j < h * S + S; j++) of.v[j] += by * values[w][j * 32 + lane];
    }
    of.top[h] = all, of.sum[h] = sum;
  }
}

template <int S, int W> static __device__ __forceinline__ void join(const JoinArgs& a) {
  constexpr int many = 8 / S;
  overlap_start();
  int row = blockIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5, n = a.heads * a.dv;
  int chunk = W > 1 ? blockIdx.y : blockIdx.y * 8 + warp, k = chunk * 256 + lane * 8, head[many];
  if (W == 1 && chunk * 256 >= n) return;
  Parts mine = a.parts_of[row];
  float sink[many];
  for (int h = 0; h < many; h++) {
    head[h] = min(k + h * S, n - 1) / a.dv;
    sink[h] = a.sinks ? a.sinks[head[h]] * log2_e : -INFINITY;
  }
  overlap_wait();
  Joined<S> sums;
  add_parts<S>(sums, a, a.parts + mine.first * record_of(a.heads, a.dv), head, k, W > 1 ? (warp - mine.chunk) & 7 : 0, W, mine.count);
  if (W > 1) meet(sums, lane, warp);
  if (W > 1 && warp > 0) return;
  for (int h = 0; h < many; h++) {
    float all = fmaxf(sink[h], sums.top[h]), shrink = exp2f(sums.top[h] - all), weights = shrink * sums.sum[h] + exp2f(sink[h] - all);
    float by = weights > 0 && k + h * S < n && mine.count > 0 ? __fdiv_rn(shrink, weights) : 0.f;
    for (int j = h * S; j < h * S + S; j++) sums.v[j] *= by;
  }
  if (a.out) store8(a.out + (size_t)row * a.ldo, k, n, sums.v);
  emit(a.rounded, row, chunk, sums.v);
}

extern "C" __global__ void __launch_bounds__(256, 4) attend_join(const __grid_constant__ JoinArgs a) { join<8, 8>(a); }
extern "C" __global__ void __launch_bounds__(256) attend_join_pairs(const __grid_constant__ JoinArgs a) { join<2, 8>(a); }
extern "C" __global__ void __launch_bounds__(256, 4) attend_join_rows(const __grid_constant__ JoinArgs a) { join<8, 1>(a); }
extern "C" __global__ void __launch_bounds__(256) attend_join_rows_pairs(const __grid_constant__ JoinArgs a) { join<2, 1>(a); }
