// What blocks of attention work on, and how keys and values come to them, tile after
// tile.
#pragma once
#include "heads.cuh"

constexpr int shared_cells = 0x7fffffff;

struct Item {
  int list, rows;  // which rows: that many in the step's list of rows from there on
  int from, to;    // positions
  int cells;       // where the sequence's cells begin in the list
  int fresh;       // the first position of the sequence that belongs to this step,
  int fresh_row;   // and its row; or shared_cells, where the rows are of several sequences
  int chunk;       // number of the run of positions, counted from position 0
};

// The parts of a row: count records from the first on, of the chunks from chunk on.
struct Parts {
  int first, count, chunk, pad;
};

// The size of a record.
static __device__ __forceinline__ size_t record_of(int heads, int dv) { return (heads * (dv + 2) + 3) & ~3; }

struct AttendArgs {
  HeadJob q, k, v;         // k.x null: the step's keys and values are in their cells
  const char* step;        // the step's inputs; where in them, in bytes, plan[1] says the
  const int* plan;         // items are, plan[2] the lists of cells and plan[3] that of
  const int* positions;    // rows; plan[0] counts items. Of each row its position
  const Parts* parts_of;   // and its parts.
  float* parts;            // records of [heads][dv] sums, [heads] largest, [heads] weights
  int window;
  int group, of_group;     // query heads that a block takes, of one key head; 65536 / group + 1
  int splits, of_splits;   // blocks that share a key head; likewise
  float scale, cap;
  int pad;
};

// n / d for n * d below 65536, where of_d is 65536 / d + 1.
static __device__ __forceinline__ int divided(int n, int of_d) { return n * of_d >> 16; }

constexpr int positions = 64;
constexpr float no_score = -3e38f, log2_e = 1.44269504088896341f;

// copy16 where asked for, without a jump.
static __device__ __forceinline__ void copy16_if(bool wanted, uint32_t to, const void* from, bool there) {
  int n = there ? 16 : 0;
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %3, 0; @p cp.async.cg.shared.global [%0], [%1], 16, %2; }"
               ::"r"(to), "l"(from), "r"(n), "r"((int)wanted) : "memory");
}

// What a thread copies of 64 positions: the same part of some of them, of which it knows the
// cells. What stands between fresh and end comes otherwise, what lies beyond end becomes 0.
template <int D, bool longs = (D > 256)> struct Copies {
  static constexpr int lines = D / 8, step = 128 / lines, count = positions / step;  // lines of 16 bytes
  int cell[count], fresh, end;  // from the thread's first position on
  __device__ __forceinline__ void look(const int* cells, int base, int to, int from) {
    int first = base + threadIdx.x / lines;
    fresh = from - first, end = to - first;
#pragma unroll
    for (int j = 0; j < count; j++) cell[j] = cells[(uint32_t)min(first + j * step, to - 1)];
  }
  // Starts the copies for one key head.
  __device__ __forceinline__ void start(__half* to, const HeadJob& job, int head) const {
    int c = threadIdx.x % lines * 8;
    bool within = c < job.width;
    const char* head0 = (const char*)(job.cache + (size_t)head * job.width + (within ? c : 0));
    uint32_t step_bytes = (uint32_t)job.heads * job.width * sizeof(__half);
    uint32_t at = shared_address(to + threadIdx.x / lines * (D + 8) + c);
#pragma unroll
    for (int j = 0; j < count; j++)
      copy16_if(j * step < fresh || j * step >= end, at + j * step * (D + 8) * sizeof(__half),
                head0 + (size_t)(uint32_t)cell[j] * step_bytes, within && j * step < end);
  }
};

// The same for long rows, whose cells would be too many for a thread: a warp copies 16
// positions, one after the other, and its lane i knows the cell of number i.
template <int D> struct Copies<D, true> {
  int cell;
  __device__ __forceinline__ void look(const int* cells, int base, int end, int fresh) {
    int p = base + (threadIdx.x >> 5) * 16 + (threadIdx.x & 15);
    cell = p >= end ? -1 : p >= fresh ? -2 : cells[p];
  }
  __device__ __forceinline__ void start(__half* to, const HeadJob& job, int head) const {
#pragma unroll 2
    for (int j = 0; j < 16; j++) {
      int at = __shfl_sync(~0u, cell, j);
      if (at == -2) continue;
      const __half* from = job.cache + ((size_t)max(at, 0) * job.heads + head) * job.width;
      for (int c = (threadIdx.x & 31) * 8; c < D; c += 256) {
        bool there = at >= 0 && c < job.width;
        copy16(shared_address(to + ((threadIdx.x >> 5) * 16 + j) * (D + 8) + c), there ? from + c : job.cache, there);
      }
    }
  }
};

// A block's shared memory.
template <int D, int MT> struct Room {
  static constexpr int ld = D + 8, ldp = positions + 8, rows = 16 * MT;
  __half q_high[rows * ld], q_low[rows * ld];
  __half p_high[rows * ldp], p_low[rows * ldp];
  __half keys[positions * ld], values[positions * ld];
  float tops[rows * 4], sums[rows * 4];
  int row[rows], pos[rows], record[rows];
  Item item;  // which they are of
};

// What a block copies: the tiles of its items one after the other, keys as soon as the
// tile before is scored, values as soon as it is added up.
template <int D, int MT> struct CellFeed {
  const AttendArgs& a;
  Room<D, MT>& room;
  const Item* items;
  const int* cells;
  int count, i, base, head;  // head: of the keys
  Item now, next;
  Copies<D> copies;

  __device__ __forceinline__ CellFeed(const AttendArgs& a, Room<D, MT>& room) : a(a), room(room) {
    items = (const Item*)(a.step + a.plan[1]);
    cells = (const int*)(a.step + a.plan[2]);
    count = a.plan[0];
    i = blockIdx.y;
    head = divided(blockIdx.x, a.of_splits);
    if (i < count) now = items[i], base = now.from;
    if (i + gridDim.y < count) next = items[i + gridDim.y];
    look();
  }
  __device__ __forceinline__ void look() {
    if (i < count) copies.look(cells + now.cells, base, now.to, a.k.x ? now.fresh : now.to);
  }
  // Puts down what the kernel has to know of item number i and its rows.
  __device__ __forceinline__ void begin(int i) {
    Item it = items[i];
    if (threadIdx.x == 0) room.item = it;
    if ((int)threadIdx.x >= it.rows) return;
    // The list begins with all rows in order, where those of one sequence are neighbours.
    int row = it.list + threadIdx.x;
    if (it.fresh == shared_cells) row = ((const int*)(a.step + a.plan[3]))[row];
    Parts parts = a.parts_of[row];
    room.row[threadIdx.x] = row;
    room.pos[threadIdx.x] = a.positions[row];
    room.record[threadIdx.x] = parts.first + it.chunk - parts.chunk;
  }
  // Says that there is another tile to copy.
  __device__ __forceinline__ bool more() const { return i < count; }
  // Says that nothing of this step is read from the first tile's cells.
  __device__ __forceinline__ bool early() const { return a.k.x || min(base + positions, now.to) <= now.fresh; }
  // Copies the tile's keys, or its values and goes on to the next.
  __device__ __forceinline__ void copy(bool values) {
    copies.start(values ? room.values : room.keys, values ? a.v : a.k, head);
    commit();
    if (!values) return;
    base += positions;
    if (base >= now.to) {
      i += gridDim.y;
      now = next;
      base = now.from;
      if (i + gridDim.y < count) next = items[i + gridDim.y];
    }
    look();
  }
};

