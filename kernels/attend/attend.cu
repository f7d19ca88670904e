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

// out = the parts of each row together, and its sinks; 0 for a row without parts. A warp
// adds the chunks whose number leaves its own when divided by 8, then the warps' sums are
// added in order: the same for a row whatever rows it shared items with.
struct JoinArgs {
  float* out;  // may be null where only the rounded form is wanted
  const float* parts;
  const Parts* parts_of;
  const float* sinks;  // one a head, or null
  Rounded rounded;
  int heads, dv, ldo, pad;
};

// S neighbours at least are of one head: it divides dv.
template <int S> static __device__ __forceinline__ void join(const JoinArgs& a) {
  constexpr int many = 8 / S;  // of a lane's eight values
  __shared__ float tops[8][many][32], sums[8][many][32], values[8][256];
  overlap_start();
  int row = blockIdx.x, chunk = blockIdx.y, lane = threadIdx.x & 31, warp = threadIdx.x >> 5, n = a.heads * a.dv;
  Parts mine = a.parts_of[row];
  size_t record = record_of(a.heads, a.dv);
  int k = chunk * 256 + lane * 8, head[many], start = (warp - mine.chunk) & 7;
  float sink[many];
  for (int h = 0; h < many; h++) {
    head[h] = min(k + h * S, n - 1) / a.dv;
    sink[h] = a.sinks && warp == 0 ? a.sinks[head[h]] * log2_e : -INFINITY;
  }
  const float* first = a.parts + mine.first * record;
  overlap_wait();
  // Of the first part everything is asked for at once: most rows have no other for a warp.
  float x[8] = {}, top[many], sum[many] = {}, highest[many], v[8] = {};
  for (int h = 0; h < many; h++) top[h] = no_score;
  if (start < mine.count) {
    load8(x, first + start * record, k, n);
    for (int h = 0; h < many; h++) {
      top[h] = first[start * record + n + head[h]];
      sum[h] = first[start * record + n + a.heads + head[h]];
    }
  }
  for (int h = 0; h < many; h++) highest[h] = top[h];
  for (int i = start + 8; i < mine.count; i += 8)
    for (int h = 0; h < many; h++) highest[h] = fmaxf(highest[h], first[i * record + n + head[h]]);
  for (int h = 0; h < many; h++) {
    float by = exp2f(top[h] - highest[h]);
    top[h] = highest[h];
    sum[h] *= by;
    for (int j = h * S; j < h * S + S; j++) v[j] = by * x[j];
  }
#pragma unroll 4
  for (int i = start + 8; i < mine.count; i += 8) {
    const float* part = first + i * record;
    load8(x, part, k, n);
    for (int h = 0; h < many; h++) {
      float by = exp2f(part[n + head[h]] - top[h]);
      sum[h] += by * part[n + a.heads + head[h]];
      for (int j = h * S; j < h * S + S; j++) v[j] += by * x[j];
    }
  }
  for (int h = 0; h < many; h++) tops[warp][h][lane] = top[h], sums[warp][h][lane] = sum[h];
  for (int j = 0; j < 8; j++) values[warp][j * 32 + lane] = v[j];
  __syncthreads();
  if (warp > 0) return;
  for (int h = 0; h < many; h++) {
    float all = fmaxf(sink[h], no_score), weights = 0;
    for (int w = 0; w < 8; w++) all = fmaxf(all, tops[w][h][lane]);
    for (int j = h * S; j < h * S + S; j++) v[j] = 0;
    for (int w = 0; w < 8; w++) {
      float by = exp2f(tops[w][h][lane] - all);
      weights += by * sums[w][h][lane];
      for (int j = h * S; j < h * S + S; j++) v[j] += by * values[w][j * 32 + lane];
    }
    weights += exp2f(sink[h] - all);
    float by = weights > 0 && k + h * S < n && mine.count > 0 ? __fdiv_rn(1.f, weights) : 0.f;
    for (int j = h * S; j < h * S + S; j++) v[j] *= by;
  }
  if (a.out) store8(a.out + (size_t)row * a.ldo, k, n, v);
  emit(a.rounded, row, chunk, v);
}

extern "C" __global__ void __launch_bounds__(256, 4) attend_join(const __grid_constant__ JoinArgs a) { join<8>(a); }
extern "C" __global__ void __launch_bounds__(256) attend_join_pairs(const __grid_constant__ JoinArgs a) { join<2>(a); }
