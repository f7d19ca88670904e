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
#include "turn.cuh"

// The size of a record.
static __device__ __forceinline__ size_t record_of(int heads, int dv) { return (heads * (dv + 2) + 3) & ~3; }

// A block's sums over the tiles of an item. In scores and sums lane (g, t) has of rows
// mt * 16 + g (h = 0) and + 8 (h = 1) two neighbours each; a warp scores 16 of a tile's
// positions and adds up a quarter of the dimensions.
//
// Up to 8 rows leave half of a product's 16 rows empty: then those below take the low
// halves (folded), and one product does what else takes two. So that both ways give the
// same bits, kernels that fold keep what the low halves come to apart to the end.
template <int D, int MT, bool folds> struct HeadSums {
  static constexpr int ld = D + 8, ldp = positions + 8, NT = D / 32;
  Room<D, MT>& room;
  int rows, group, of_group, lane, warp, g, t;
  bool folded;
  int pos[MT][2];  // of the lane's rows
  float out[MT][NT][4], low[folds ? NT : 1][4], top[MT][2], sum[MT][2], s[MT][2][4];

  __device__ __forceinline__ HeadSums(Room<D, MT>& room, const AttendArgs& a) : room(room), group(a.group), of_group(a.of_group) {
    lane = threadIdx.x & 31, warp = threadIdx.x >> 5, g = lane >> 2, t = lane & 3;
  }

  __device__ __forceinline__ void begin(int count) {
    rows = count;
    folded = folds && rows <= 8;
#pragma unroll
    for (int mt = 0; mt < MT; mt++)
#pragma unroll
      for (int h = 0; h < 2; h++) {
        top[mt][h] = no_score, sum[mt][h] = 0;
        pos[mt][h] = room.pos[divided(min(mt * 16 + g + 8 * h, rows - 1), of_group)];
#pragma unroll
        for (int i = 0; i < NT; i++) {
          out[mt][i][2 * h] = out[mt][i][2 * h + 1] = 0;
          if (folds) low[i][2 * h] = low[i][2 * h + 1] = 0;
        }
      }
  }

  // Queries times keys, where the low halves are rows of the same products.
  __device__ __forceinline__ void multiply_folded(const __half* keys) {
#pragma unroll
    for (int i = 0; i < 4; i++) s[0][0][i] = s[0][1][i] = 0;
#pragma unroll 4
    for (int k = 0; k < D; k += 16) {
      uint32_t b[4], x[4];
      load_matrices(b, shared_address(keys + (warp * 16 + (lane & 7) + (lane >> 4) * 8) * ld + k + ((lane >> 3) & 1) * 8));
      load_matrices(x, shared_address(room.q_high + (lane & 15) * ld + k + (lane >> 4) * 8));
#pragma unroll
      for (int n = 0; n < 2; n++) mma_f16(s[0][n], x, b[2 * n], b[2 * n + 1]);
    }
#pragma unroll
    for (int n = 0; n < 2; n++) s[0][n][0] += s[0][n][2], s[0][n][1] += s[0][n][3];
  }

  // Queries times keys.
  __device__ __forceinline__ void multiply(const __half* keys) {
    if (folds && folded) {
      multiply_folded(keys);
      return;
    }
    float rest[MT][2][4] = {};
#pragma unroll
    for (int mt = 0; mt < MT; mt++)
#pragma unroll
      for (int i = 0; i < 4; i++) s[mt][0][i] = s[mt][1][i] = 0;
#pragma unroll 4
    for (int k = 0; k < D; k += 16) {
      uint32_t b[4];
      load_matrices(b, shared_address(keys + (warp * 16 + (lane & 7) + (lane >> 4) * 8) * ld + k + ((lane >> 3) & 1) * 8));
#pragma unroll
      for (int mt = 0; mt < MT; mt++) {
        if (mt > 0 && mt * 16 >= rows) break;
        uint32_t x[4], y[4];
        int at = (mt * 16 + (lane & 15)) * ld + k + (lane >> 4) * 8;
        load_matrices(x, shared_address(room.q_high + at));
        load_matrices(y, shared_address(room.q_low + at));
#pragma unroll
        for (int n = 0; n < 2; n++) {
          mma_f16(s[mt][n], x, b[2 * n], b[2 * n + 1]);
          mma_f16(rest[mt][n], y, b[2 * n], b[2 * n + 1]);
        }
      }
    }
#pragma unroll
    for (int mt = 0; mt < MT; mt++)
#pragma unroll
      for (int i = 0; i < 4; i++) s[mt][0][i] += rest[mt][0][i], s[mt][1][i] += rest[mt][1][i];
  }

  // Caps scores, which move on by one so that a short loop does for them all: few models do this.
  static __device__ __forceinline__ void soften(float (&s)[2][4], float cap) {
#pragma unroll 1
    for (int i = 0; i < 8; i++) {
      float v = cap * tanhf(s[0][0] / cap);
#pragma unroll
      for (int j = 0; j < 7; j++) s[j >> 2][j & 3] = s[(j + 1) >> 2][(j + 1) & 3];
      s[1][3] = v;
    }
  }

  // Hides what a row must not see; the warp's largest scores go to room.tops.
  __device__ __forceinline__ void mask(const AttendArgs& a, int base, int to) {
#pragma unroll
    for (int mt = 0; mt < MT; mt++) {
      if (mt > 0 && mt * 16 >= rows) break;
      if (__builtin_expect(a.cap != 0, 0)) soften(s[mt], a.cap);
#pragma unroll
      for (int h = 0; h < 2; h++) {
        if (folds && folded && h) break;
        int m = mt * 16 + g + 8 * h;
        float largest = no_score;
#pragma unroll
        for (int i = 0; i < 4; i++) {
          int p = base + warp * 16 + (i >> 1) * 8 + 2 * t + (i & 1);
          float& v = s[mt][i >> 1][2 * h + (i & 1)];
          bool seen = m < rows && p < to && p <= pos[mt][h] && (a.window == 0 || p > pos[mt][h] - a.window);
          v = seen ? v * log2_e : -INFINITY;
          largest = fmaxf(largest, v);
        }
        largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, 1));
        largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, 2));
        if (t == 0) room.tops[m * 4 + warp] = largest;
      }
    }
  }

  // Turns scores into weights of the largest so far, for all warps to read.
  __device__ __forceinline__ void weigh() {
#pragma unroll
    for (int mt = 0; mt < MT; mt++) {
      if (mt > 0 && mt * 16 >= rows) break;
#pragma unroll
      for (int h = 0; h < 2; h++) {
        if (folds && folded && h) break;
        int m = mt * 16 + g + 8 * h;
        float4 four = *(const float4*)(room.tops + m * 4);
        float now = fmaxf(fmaxf(fmaxf(four.x, four.y), fmaxf(four.z, four.w)), top[mt][h]);
        float shrink = exp2f(top[mt][h] - now), added = 0;
        top[mt][h] = now;
        sum[mt][h] *= shrink;
#pragma unroll
        for (int i = 0; i < NT; i++) {
          out[mt][i][2 * h] *= shrink, out[mt][i][2 * h + 1] *= shrink;
          if (folds && folded) out[mt][i][2] *= shrink, out[mt][i][3] *= shrink;
          else if (folds) low[i][2 * h] *= shrink, low[i][2 * h + 1] *= shrink;
        }
#pragma unroll
        for (int n = 0; n < 2; n++) {
          float u = exp2f(s[mt][n][2 * h] - now), v = exp2f(s[mt][n][2 * h + 1] - now);
          added += u + v;
          __half2 high = __floats2half2_rn(u, v);
          int at = m * ldp + warp * 16 + n * 8 + 2 * t;
          *(__half2*)(room.p_high + at) = high;
          __half* low = folds && folded ? room.p_high + 8 * ldp : room.p_low;
          *(__half2*)(low + at) = __floats2half2_rn(u - __low2float(high), v - __high2float(high));
        }
        added += __shfl_xor_sync(~0u, added, 1);
        added += __shfl_xor_sync(~0u, added, 2);
        if (t == 0) room.sums[m * 4 + warp] = added;
      }
    }
  }

  // Adds values that the lane's two rows' weights, or the two halves of one row's, multiply.
  __device__ __forceinline__ void add_folded(const __half* values) {
#pragma unroll 2
    for (int k = 0; k < positions; k += 16) {
      uint32_t b[4], x[4];
      load_matrices(x, shared_address(room.p_high + (lane & 15) * ldp + k + (lane >> 4) * 8));
#pragma unroll
      for (int n = 0; n < NT; n += 2) {
        load_matrices_turned(b, shared_address(values + (k + (lane & 15)) * ld + warp * (D / 4) + n * 8 + (lane >> 4) * 8));
        mma_f16(out[0][n], x, b[0], b[1]);
        mma_f16(out[0][n + 1], x, b[2], b[3]);
      }
    }
  }

  // Adds the weighted values.
  __device__ __forceinline__ void add(const __half* values) {
#pragma unroll
    for (int mt = 0; mt < MT; mt++) {
      if (mt > 0 && mt * 16 >= rows) break;
#pragma unroll
      for (int h = 0; h < 2; h++) {
        if (folds && folded && h) break;
        float4 four = *(const float4*)(room.sums + (mt * 16 + g + 8 * h) * 4);
        sum[mt][h] += ((four.x + four.y) + four.z) + four.w;
      }
    }
    if (folds && folded) {
      add_folded(values);
      return;
    }
#pragma unroll
    for (int k = 0; k < positions; k += 16) {
      uint32_t b[NT / 2][4];
#pragma unroll
      for (int n = 0; n < NT / 2; n++)
        load_matrices_turned(b[n], shared_address(values + (k + (lane & 15)) * ld + warp * (D / 4) + n * 16 + (lane >> 4) * 8));
#pragma unroll
      for (int mt = 0; mt < MT; mt++) {
        if (mt > 0 && mt * 16 >= rows) break;
        uint32_t x[4], y[4];
        int at = (mt * 16 + (lane & 15)) * ldp + k + (lane >> 4) * 8;
        load_matrices(x, shared_address(room.p_high + at));
        load_matrices(y, shared_address(room.p_low + at));
#pragma unroll
        for (int n = 0; n < NT; n++) {
          mma_f16(out[mt][n], x, b[n / 2][n % 2 * 2], b[n / 2][n % 2 * 2 + 1]);
          mma_f16(folds ? low[n] : out[mt][n], y, b[n / 2][n % 2 * 2], b[n / 2][n % 2 * 2 + 1]);
        }
      }
    }
  }

  // Writes the parts.
  __device__ __forceinline__ void put(const AttendArgs& a) const {
    int dv = a.v.dim, heads = a.q.heads;
#pragma unroll
    for (int mt = 0; mt < MT; mt++)
#pragma unroll
      for (int h = 0; h < 2; h++) {
        int m = mt * 16 + g + 8 * h, r = divided(m, of_group), head = blockIdx.x * group + m - r * group;
        if (m >= rows) continue;
        float* to = a.parts + room.record[r] * record_of(heads, dv);
#pragma unroll
        for (int n = 0; n < NT; n++) {
          int d = warp * (D / 4) + n * 8 + 2 * t;
          float u = out[mt][n][2 * h], v = out[mt][n][2 * h + 1];
          if (folds && folded) u += out[mt][n][2], v += out[mt][n][3];
          else if (folds) u += low[n][2 * h], v += low[n][2 * h + 1];
          if (d < dv) *(float2*)(to + head * dv + d) = make_float2(u, v);
        }
        if (warp == 0 && t == 0) to[heads * dv + head] = top[mt][h], to[heads * dv + heads + head] = sum[mt][h];
      }
  }
};

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
