// Softmax attention of rows over the cells of their sequences. Work comes as items:
// some neighbouring rows of one sequence, and a run of its positions; a block takes an
// item and one key head, so that all query heads of that key head and all rows of the
// item share the reading of keys and values. What a block finds is a part: the
// unfinished sums, with the largest score and the weights' sum; attend_join adds a
// row's parts in order and divides.
// Shapes: heads of up to 512 dimensions, up to 16 * MT rows times heads an item;
// positions in tiles of 64 from multiples of 64. Queries and weights go through the
// tensor cores as two halves each (value and what its rounding leaves), keys and
// values as the cells' halves. A row that sees nothing gets 0.
// Bound: reading the cells; for short sequences the chain of one tile. A step of one row
// of an 8B model takes 0.6 ms longer at 8,192 positions than at 128, of 0.24 ms that
// reading them takes (H200, 2026-11-29).
#include "tile.cuh"

struct Item {
  int row, rows;  // of the step
  int pos;        // of the first row
  int cells;      // where the sequence's cells begin in the list
  int from, to;   // positions
  int part;       // record of the first row
  int pad;
};

struct AttendArgs {
  const float* q;
  const __half* keys;
  const __half* values;
  const char* step;  // the step's inputs; where in them, in bytes, plan[1] says the
  const int* plan;   // items are and plan[2] the lists of cells; plan[0] counts items
  float* parts;      // records of [heads][dv] sums, [heads] largest, [heads] weights
  int heads, kv_heads, dk, dv, wk, wv, ldq, window;  // wk, wv: of a head in a cell
  float scale, cap;
};

constexpr int positions = 64;
constexpr float no_score = -3e38f;

// What a thread copies of 64 positions: the same part of some of them.
template <int D> struct Copies {
  static constexpr int lines = D / 8, step = 128 / lines, count = positions / step;  // lines of 16 bytes
  int cell[count];  // or -1
  __device__ __forceinline__ void look(const int* cells, int base, int end) {
#pragma unroll
    for (int j = 0; j < count; j++) {
      int p = base + threadIdx.x / lines + j * step;
      cell[j] = p < end ? cells[p] : -1;
    }
  }
  // Starts the copies for one key head; what lies outside becomes 0.
  __device__ __forceinline__ void start(__half* to, const __half* cache, int head, int heads, int width) const {
    int c = threadIdx.x % lines * 8;
#pragma unroll
    for (int j = 0; j < count; j++) {
      bool there = cell[j] >= 0 && c < width;
      const __half* from = there ? cache + ((size_t)cell[j] * heads + head) * width + c : cache;
      copy16(shared_address(to + (threadIdx.x / lines + j * step) * (D + 8) + c), from, there);
    }
    commit();
  }
};

template <int D, int MT> static __device__ void attend_item(const AttendArgs& a, const Item& it, int head, __half* memory) {
  constexpr int ld = D + 8, ldp = positions + 8, rows_max = 16 * MT, NT = D / 32;
  __half* q_high = memory;
  __half* q_low = q_high + rows_max * ld;
  __half* keys = q_low + rows_max * ld;
  __half* values = keys + positions * ld;
  __half* p_high = values + positions * ld;
  __half* p_low = p_high + rows_max * ldp;
  float* tops = (float*)(p_low + rows_max * ldp);
  float* sums = tops + rows_max * 4;
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, g = lane >> 2, t = lane & 3;
  int group = a.heads / a.kv_heads, rows = it.rows * group;
  const int* cells = (const int*)(a.step + a.plan[2]) + it.cells;
  Copies<D> copies;
  copies.look(cells, it.from, it.to);
  copies.start(keys, a.keys, head, a.kv_heads, a.wk);
  copies.start(values, a.values, head, a.kv_heads, a.wv);
#pragma unroll 4
  for (int i = threadIdx.x; i < rows_max * D / 8; i += 128) {
    int m = i / (D / 8), d = i % (D / 8) * 8;
    float v[8] = {};
    if (m < rows) load8(v, a.q + (size_t)(it.row + m / group) * a.ldq + (head * group + m % group) * a.dk, d, a.dk);
    __half2 high[4], low[4];
    for (int j = 0; j < 4; j++) {
      float x = v[2 * j] * a.scale, y = v[2 * j + 1] * a.scale;
      high[j] = __floats2half2_rn(x, y);
      low[j] = __floats2half2_rn(x - __low2float(high[j]), y - __high2float(high[j]));
    }
    *(uint4*)(q_high + m * ld + d) = *(const uint4*)high;
    *(uint4*)(q_low + m * ld + d) = *(const uint4*)low;
  }
  float out[MT][NT][4] = {}, top[MT][2], sum[MT][2];
#pragma unroll
  for (int mt = 0; mt < MT; mt++)
    for (int h = 0; h < 2; h++) top[mt][h] = no_score, sum[mt][h] = 0;

  for (int base = it.from; base < it.to; base += positions) {
    wait_for<1>();
    __syncthreads();
    float s[MT][2][4] = {};
#pragma unroll 4
    for (int k = 0; k < D; k += 16) {
      uint32_t b[4];
      load_matrices(b, shared_address(keys + (warp * 16 + (lane & 7) + (lane >> 4) * 8) * ld + k + ((lane >> 3) & 1) * 8));
#pragma unroll
      for (int mt = 0; mt < MT; mt++) {
        if (mt * 16 >= rows) break;
        uint32_t x[4];
        int at = (mt * 16 + (lane & 15)) * ld + k + (lane >> 4) * 8;
        load_matrices(x, shared_address(q_high + at));
        mma_f16(s[mt][0], x, b[0], b[1]);
        mma_f16(s[mt][1], x, b[2], b[3]);
        load_matrices(x, shared_address(q_low + at));
        mma_f16(s[mt][0], x, b[0], b[1]);
        mma_f16(s[mt][1], x, b[2], b[3]);
      }
    }
#pragma unroll
    for (int mt = 0; mt < MT; mt++) {
      if (mt * 16 >= rows) break;
#pragma unroll
      for (int h = 0; h < 2; h++) {
        int m = mt * 16 + g + 8 * h, pos = it.pos + m / group;
        float largest = no_score;
#pragma unroll
        for (int i = 0; i < 4; i++) {
          int p = base + warp * 16 + (i >> 1) * 8 + 2 * t + (i & 1);
          float& v = s[mt][i >> 1][2 * h + (i & 1)];
          bool seen = m < rows && p < it.to && p <= pos && (a.window == 0 || p > pos - a.window);
          if (a.cap != 0) v = a.cap * tanhf(v / a.cap);
          v = seen ? v * 1.44269504088896341f : -INFINITY;
          largest = fmaxf(largest, v);
        }
        largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, 1));
        largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, 2));
        if (t == 0) tops[m * 4 + warp] = largest;
      }
    }
    __syncthreads();
    bool more = base + positions < it.to;
    if (more) {
      copies.look(cells, base + positions, it.to);
      copies.start(keys, a.keys, head, a.kv_heads, a.wk);
    } else {
      commit();
    }
#pragma unroll
    for (int mt = 0; mt < MT; mt++) {
      if (mt * 16 >= rows) break;
#pragma unroll
      for (int h = 0; h < 2; h++) {
        int m = mt * 16 + g + 8 * h;
        float4 four = *(const float4*)(tops + m * 4);
        float now = fmaxf(fmaxf(fmaxf(four.x, four.y), fmaxf(four.z, four.w)), top[mt][h]);
        float shrink = exp2f(top[mt][h] - now), added = 0;
        top[mt][h] = now;
        sum[mt][h] *= shrink;
#pragma unroll
        for (int i = 0; i < NT; i++) out[mt][i][2 * h] *= shrink, out[mt][i][2 * h + 1] *= shrink;
#pragma unroll
        for (int n = 0; n < 2; n++) {
          float u = exp2f(s[mt][n][2 * h] - now), v = exp2f(s[mt][n][2 * h + 1] - now);
          added += u + v;
          __half2 high = __floats2half2_rn(u, v);
          int at = m * ldp + warp * 16 + n * 8 + 2 * t;
          *(__half2*)(p_high + at) = high;
          *(__half2*)(p_low + at) = __floats2half2_rn(u - __low2float(high), v - __high2float(high));
        }
        added += __shfl_xor_sync(~0u, added, 1);
        added += __shfl_xor_sync(~0u, added, 2);
        if (t == 0) sums[m * 4 + warp] = added;
      }
    }
    wait_for<1>();
    __syncthreads();
#pragma unroll
    for (int mt = 0; mt < MT; mt++) {
      if (mt * 16 >= rows) break;
#pragma unroll
      for (int h = 0; h < 2; h++) {
        float4 four = *(const float4*)(sums + (mt * 16 + g + 8 * h) * 4);
        sum[mt][h] += ((four.x + four.y) + four.z) + four.w;
      }
    }
#pragma unroll
    for (int k = 0; k < positions; k += 16) {
      uint32_t b[NT / 2][4];
#pragma unroll
      for (int n = 0; n < NT / 2; n++)
        load_matrices_turned(b[n], shared_address(values + (k + (lane & 15)) * ld + warp * (D / 4) + n * 16 + (lane >> 4) * 8));
#pragma unroll
      for (int mt = 0; mt < MT; mt++) {
        if (mt * 16 >= rows) break;
        uint32_t x[4], y[4];
        int at = (mt * 16 + (lane & 15)) * ldp + k + (lane >> 4) * 8;
        load_matrices(x, shared_address(p_high + at));
        load_matrices(y, shared_address(p_low + at));
#pragma unroll
        for (int n = 0; n < NT; n++) {
          mma_f16(out[mt][n], x, b[n / 2][n % 2 * 2], b[n / 2][n % 2 * 2 + 1]);
          mma_f16(out[mt][n], y, b[n / 2][n % 2 * 2], b[n / 2][n % 2 * 2 + 1]);
        }
      }
    }
    __syncthreads();
    if (more) copies.start(values, a.values, head, a.kv_heads, a.wv);
    else commit();
  }
  size_t record = (size_t)a.heads * (a.dv + 2);
#pragma unroll
  for (int mt = 0; mt < MT; mt++)
#pragma unroll
    for (int h = 0; h < 2; h++) {
      int m = mt * 16 + g + 8 * h, mine = head * group + m % group;
      if (m >= rows) continue;
      float* to = a.parts + (it.part + m / group) * record;
#pragma unroll
      for (int n = 0; n < NT; n++) {
        int d = warp * (D / 4) + n * 8 + 2 * t;
        if (d < a.dv) to[mine * a.dv + d] = out[mt][n][2 * h];
        if (d + 1 < a.dv) to[mine * a.dv + d + 1] = out[mt][n][2 * h + 1];
      }
      if (warp == 0 && t == 0) {
        to[a.heads * a.dv + mine] = top[mt][h];
        to[a.heads * a.dv + a.heads + mine] = sum[mt][h];
      }
    }
}

template <int D, int MT> static __device__ __forceinline__ void attend(const AttendArgs& a) {
  extern __shared__ __align__(16) __half memory[];
  overlap_start();
  // The step's inputs are there already, and so are all cells but this step's: the
  // first keys and values can come nearer.
  int count = a.plan[0];
  const Item* items = (const Item*)(a.step + a.plan[1]);
  if (blockIdx.x < count) {
    Item it = items[blockIdx.x];
    int p = it.from + (threadIdx.x & 63);
    if (p < it.to) {
      size_t cell = (size_t)((const int*)(a.step + a.plan[2]))[it.cells + p] * a.kv_heads + blockIdx.y;
      const __half* at = threadIdx.x < 64 ? a.keys + cell * a.wk : a.values + cell * a.wv;
      for (int i = 0; i < (threadIdx.x < 64 ? a.wk : a.wv); i += 64) asm volatile("prefetch.global.L2 [%0];" ::"l"(at + i));
    }
  }
  overlap_wait();
  for (int i = blockIdx.x; i < count; i += gridDim.x) {
    Item it = items[i];
    attend_item<D, MT>(a, it, blockIdx.y, memory);
    __syncthreads();
  }
}

#define ATTEND(D, MT) \
  extern "C" __global__ void __launch_bounds__(128) attend_##D##_##MT(const __grid_constant__ AttendArgs a) { attend<D, MT>(a); }
ATTEND(64, 1)
ATTEND(64, 4)
ATTEND(128, 1)
ATTEND(128, 4)
ATTEND(256, 1)
ATTEND(256, 2)
ATTEND(512, 1)

// out = the parts of each row together, and its sinks. parts_of[row] is {first record,
// records, distance between them, number of the first chunk}. A warp adds the chunks
// whose number leaves its own when divided by 8, then the warps' sums are added in
// order: the same for a row whatever rows it shared items with.
struct JoinArgs {
  float* out;
  const float* parts;
  const int4* parts_of;
  const float* sinks;  // one a head, or null
  Rounded rounded;
  int rows, heads, dv, ldo;
};

extern "C" __global__ void __launch_bounds__(256) attend_join(const __grid_constant__ JoinArgs a) {
  __shared__ float tops[8][32], sums[8][32], values[8][256];
  overlap_start();
  int row = blockIdx.x, chunk = blockIdx.y, lane = threadIdx.x & 31, warp = threadIdx.x >> 5, n = a.heads * a.dv;
  int4 mine = a.parts_of[row];
  overlap_wait();
  size_t record = (size_t)a.heads * (a.dv + 2);
  int k = chunk * 256 + lane * 8, head = min(k, n - 1) / a.dv;
  int start = (warp - mine.w) & 7;
  const float* first = a.parts + mine.x * record;
  float top = no_score, sum = 0, v[8] = {};
  for (int i = start; i < mine.y; i += 8) top = fmaxf(top, first[i * mine.z * record + n + head]);
#pragma unroll 2
  for (int i = start; i < mine.y; i += 8) {
    const float* part = first + i * mine.z * record;
    float by = exp2f(part[n + head] - top), x[8];
    sum += by * part[n + a.heads + head];
    load8(x, part, k, n);
    for (int j = 0; j < 8; j++) v[j] += by * x[j];
  }
  tops[warp][lane] = top;
  sums[warp][lane] = sum;
  for (int j = 0; j < 8; j++) values[warp][j * 32 + lane] = v[j];
  __syncthreads();
  if (warp > 0) return;
  float sink = a.sinks ? a.sinks[head] * 1.44269504088896341f : -INFINITY;
  top = fmaxf(sink, no_score);
  for (int w = 0; w < 8; w++) top = fmaxf(top, tops[w][lane]);
  sum = 0;
  for (int j = 0; j < 8; j++) v[j] = 0;
  for (int w = 0; w < 8; w++) {
    float by = exp2f(tops[w][lane] - top);
    sum += by * sums[w][lane];
    for (int j = 0; j < 8; j++) v[j] += by * values[w][j * 32 + lane];
  }
  sum += exp2f(sink - top);
  float by = sum > 0 && k < n && mine.y > 0 ? __fdiv_rn(1.f, sum) : 0.f;
  for (int j = 0; j < 8; j++) v[j] *= by;
  if (a.out) store8(a.out + (size_t)row * a.ldo, k, n, v);
  emit(a.rounded, row, chunk, v);
}
