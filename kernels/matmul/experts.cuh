// Quantised experts: a warp takes 16 rows of one expert's weights, 8*NT rows of x at a time
// out of the list of those that chose the expert, and an even share of k. Its tiles come through a
// ring of its own in shared memory, one after the other for all that it has to do.
#pragma once
#include <type_traits>
#include "fold.cuh"
#include "map.cuh"

struct ExpertArgs {
  MulArgs mul;
  int count, split;  // experts there are, and warps that share k: 1, 2, 4
  int used;          // experts of a row
  // Of gated products, of which job 0 is the gate and job 1 what it opens: the operation, or -1;
  int op;
  // and a pair's results. Of a sum that rounds for itself: a pair's x, or null.
  float* hidden;
  // For a sum over the experts of a row, [rows][used]:
  const int* ids;
  const float* weights;
  const float* scales;  // one an expert, or null
  int ldi, ldw, ldh;
  int staged;  // rows of x that a block keeps in shared memory: all, or 0
  int early;   // whether the choice is there before what is in front of a sum has ended
  int pad;
};

// The tiles of a warp on their way: as many as there are slots, in order.
template <int T, int slots> struct TileRing {
  static constexpr int bytes = Layout<T>::bytes;
  uint8_t* room;
  int lane, in = 0, out = 0;

  // With null, nothing comes and the slot counts all the same.
  __device__ __forceinline__ void ask(const uint8_t* from) {
    if (from != nullptr) {
      uint32_t to = shared_address(room) + in * bytes + lane * 16;
#pragma unroll
      for (int i = 0; i < bytes; i += 512)
        if (i + 512 <= bytes || i + lane * 16 < bytes) copy16(to + i, from + lane * 16 + i, true);
    }
    commit();
    in = in + 1 == slots ? 0 : in + 1;
  }
  __device__ __forceinline__ const uint8_t* take() {
    wait_for<slots - 1>();
    __syncwarp();
    const uint8_t* at = room + out * bytes;
    out = out + 1 == slots ? 0 : out + 1;
    return at;
  }
};

// The lists in shared memory; that of pairs only where it is short. A pass is up to 8*NT rows of one
// expert.
struct ExpertLists {
  const int* experts;  // in use
  const int* starts;   // one more
  const int* passes;   // the slot of each, in order, and which of its passes it is, above it
  const int* list;
  int count, strips;   // passes; strips of 16 rows of all jobs, or of the gate
};
constexpr int short_list = 1024, slot_bits = 11;

// Writes what the passes are, and returns how many; all lanes of a warp take part.
static __device__ __forceinline__ int list_passes(const int* starts, int slots, int rows, int* passes) {
  int lane = threadIdx.x & 31, count = 0;
  for (int from = 0; from < slots; from += 32) {
    int slot = from + lane, mine = slot < slots ? (starts[slot + 1] - starts[slot] + rows - 1) / rows : 0, upto = mine;
#pragma unroll
    for (int o = 1; o < 32; o <<= 1) {
      int lower = __shfl_up_sync(~0u, upto, o);
      if (lane >= o) upto += lower;
    }
    for (int i = 0; i < mine; i++) passes[count + upto - mine + i] = i << slot_bits | slot;
    count += __shfl_sync(~0u, upto, 31);
  }
  return count;
}

template <int NT> static __device__ __forceinline__ ExpertLists load_lists(const ExpertArgs& a, int* room) {
  __shared__ int count;
  int n = fresh(a.mul.experts + a.count), pairs = a.mul.rows * a.used, most = min(a.count, pairs), listed = pairs <= short_list ? pairs : 0;
  int *starts = room + most, *list = starts + most + 1, *passes = list + listed;
  bool single = a.mul.rows <= 8 * NT;  // a row has an expert once
  for (int i = threadIdx.x; i < max(most + 1, listed); i += blockDim.x) {
    // All of them are on their way before the first is waited for.
    int expert = i < most ? fresh(a.mul.experts + i) : 0, start = i <= most ? fresh(a.mul.starts + i) : 0;
    int pair = i < listed ? fresh(a.mul.list + i) : 0;
    if (i < most) room[i] = expert;
    if (i < most && single) passes[i] = i;
    if (i <= most) starts[i] = start;
    if (i < listed) list[i] = pair;
  }
  __syncthreads();
  if (!single) {
    if (threadIdx.x < 32) {
      int passed = list_passes(starts, n, 8 * NT, passes);
      if (threadIdx.x == 0) count = passed;
    }
    __syncthreads();
    n = count;
  }
  return {room, starts, passes, listed > 0 ? list : a.mul.list, n, a.mul.job[a.op < 0 ? 2 : 0].blocks};
}

// Rows of rounded x, wherever they are: chunks of each, one row after the other.
struct RoundedRows {
  const uint8_t *values, *records;
};
template <int T> constexpr int record_bytes = Layout<T>::k ? record_q8k : record_q8;

static __device__ __forceinline__ RoundedRows outside(const ExpertArgs& a) { return {(const uint8_t*)a.mul.x, a.mul.record}; }

// Brings all rows of x into the block's memory: out there each tile's share is first touched by the
// warp that needs it, a trip a tile.
template <int T> static __device__ __forceinline__ RoundedRows stage_rows(const ExpertArgs& a, uint8_t* room) {
  int chunks = a.staged * a.mul.chunks, values = chunks * 16, all = values + chunks * (record_bytes<T> / 16);
#pragma unroll 4
  for (int i = threadIdx.x; i < all; i += blockDim.x)
    ((uint4*)room)[i] = i < values ? ((const uint4*)a.mul.x)[i] : ((const uint4*)a.mul.record)[i - values];
  return {room, room + values * 16};
}

// The same of floats, rounded on the way.
template <int T> static __device__ __forceinline__ RoundedRows round_rows(const ExpertArgs& a, uint8_t* room) {
  int chunks = a.mul.chunks, all = a.staged * chunks, lane = threadIdx.x & 31;
  Rounded to = {(int8_t*)room, room + all * 256, nullptr, Layout<T>::k ? form_q8k : form_q8, chunks, 0, 0};
  constexpr int ahead = 3;
  for (int i = threadIdx.x >> 5, warps = blockDim.x >> 5; i < all; i += ahead * warps) {
    float v[ahead][8];
#pragma unroll
    for (int j = 0, u = i; j < ahead; j++, u += warps)
      if (u < all) load8(v[j], a.hidden + (size_t)(u / chunks) * a.ldh, u % chunks * 256 + lane * 8, a.mul.k);
#pragma unroll
    for (int j = 0, u = i; j < ahead; j++, u += warps)
      if (u < all) emit(to, u / chunks, u % chunks, v[j]);
  }
  return {room, room + all * 256};
}

// Two listed rows of x, the last one twice where there is one: those that a lane of
// FoldWork asks for.
template <int T> struct ListedRows {
  const uint8_t *values, *records;
  int s;
  __device__ __forceinline__ void take(const RoundedRows& x, int chunks, const Rows& rows, int first) {
    int lane = threadIdx.x & 31;
    values = x.values + (size_t)rows.in(first + (lane >> 2 & 1)) * chunks * 256;
    records = x.records + (size_t)rows.in(first + (lane & 1)) * chunks * record_bytes<T>;
  }
  __device__ __forceinline__ const uint8_t* value(int) const { return values + s * 256; }
  __device__ __forceinline__ const uint8_t* record(int) const { return records + s * record_bytes<T>; }
};

// The same work for 8*NT listed rows, or with alone for one.
template <int T, int NT, bool alone> struct ListedWork : GlobalRows<T, NT>, Sums<NT> {
  __device__ __forceinline__ void take(const RoundedRows& x, int chunks, const Rows& rows, int first) {
    this->q = x.values, this->record = x.records, this->lane = threadIdx.x & 31;
#pragma unroll
    for (int i = 0; i < NT; i++) this->row[i] = (uint32_t)rows.in(first + 8 * i + (this->lane >> 2)) * chunks;
  }
  __device__ __forceinline__ const uint8_t* scales(int i, int c) const {
    return alone ? this->record + (size_t)(this->row[0] + this->s) * this->size : GlobalRows<T, NT>::scales(i, c);
  }
  __device__ __forceinline__ void multiply(const uint8_t* p, int at, int) {
    Tile<T, true> tile;
    tile.load(p, this->lane);
    this->s = at;
    mul_tile<T, NT, alone>(this->acc, tile, *this, nullptr, false, this->lane);
  }
};

// A unit of work: a pass of a strip of an expert. Units count the strips of a pass, then the next's.
// half is which of two jobs it is where they are gated.
struct Unit {
  int slot, first, strip, job;  // first: the first of the expert's rows
  __device__ __forceinline__ Unit(const ExpertArgs& a, const ExpertLists& l, int unit, int half, int rows) {
    int pass = unit / l.strips, at = l.passes[pass];
    slot = at & ((1 << slot_bits) - 1), first = (at >> slot_bits) * rows;
    strip = unit - pass * l.strips, job = half;
    if (a.op >= 0) return;
    job = strip < a.mul.job[0].blocks ? 0 : strip < a.mul.job[1].blocks ? 1 : 2;
    if (job > 0) strip -= a.mul.job[job - 1].blocks;
  }
};

// How the warps of a block share units.
struct Share {
  int each, group, part;  // warps to a unit; the warp's group, and its number there
  __device__ __forceinline__ Share(const ExpertArgs& a) {
    each = a.op < 0 ? a.split : 2 * a.split;
    group = (threadIdx.x >> 5) / each, part = (threadIdx.x >> 5) & (each - 1);
  }
};

// The tiles c0 to c1 of every step-th unit.
template <int T, int NT> struct ExpertFeed {
  const ExpertArgs& a;
  const ExpertLists& lists;
  int unit, step, half, c0, c1, at;
  const uint8_t* w;

  __device__ __forceinline__ ExpertFeed(const ExpertArgs& args, const ExpertLists& l, int first, int apart, int job, int begin, int end)
      : a(args), lists(l), unit(first), step(apart), half(job), c0(begin), c1(end) { start(); }
  __device__ __forceinline__ bool done() const { return unit >= lists.count * lists.strips; }
  __device__ __forceinline__ void start() {
    if (done()) return;
    Unit u(a, lists, unit, half, 8 * NT);
    const MulJob& job = a.mul.job[u.job];
    size_t strip = (size_t)lists.experts[u.slot] * ((job.n + 15) / 16) + u.strip;
    w = job.w + strip * a.mul.chunks * Layout<T>::bytes;
    at = c0;
  }
  __device__ __forceinline__ const uint8_t* next() {
    if (done()) return nullptr;
    const uint8_t* from = w + (size_t)at * Layout<T>::bytes;
    if (++at == c1) unit += step, start();
    return from;
  }
};

// Does every step-th unit from first on; room is the warp's ring. ready, which all threads of the block call
// when their first tiles are on their way, gives the rows of x; put takes the products: the unit, all
// rows of its expert, and the work that holds the values.
template <int T, int NT, int slots, class Ready, class Put> static __device__ __forceinline__ void
each_expert(const ExpertArgs& a, const ExpertLists& lists, int first, int step, uint8_t* room, Ready ready, Put put) {
  int part = Share(a).part, half = part / a.split, chunks = a.mul.chunks;
  part &= a.split - 1;
  int c0 = chunks * part / a.split, c1 = chunks * (part + 1) / a.split;
  TileRing<T, slots> ring{room, (int)(threadIdx.x & 31)};
  ExpertFeed<T, NT> feed(a, lists, first, step, half, c0, c1);
#pragma unroll 1
  for (int i = 0; i < slots; i++) ring.ask(feed.next());
  RoundedRows x = ready();
  auto multiply = [&](auto& work, const Unit& u, const Rows& rows) {
    work.take(x, chunks, rows, u.first);
    work.clear();
#pragma unroll 1
    for (int c = c0; c < c1; c++) {
      work.multiply(ring.take(), c, 1);
      __syncwarp();
      ring.ask(feed.next());
    }
    put(u, rows, work);
  };
#pragma unroll 1
  for (int unit = first; unit < lists.count * lists.strips; unit += step) {
    Unit u(a, lists, unit, half, 8 * NT);
    Rows rows = {lists.list + lists.starts[u.slot], lists.starts[u.slot + 1] - lists.starts[u.slot], a.mul.divide};
    int left = rows.count - u.first;
    if (NT == 1 && left <= (Layout<T>::k ? 2 : 1)) {
      std::conditional_t<Layout<T>::k, FoldWork<T, 2, ListedRows<T>>, ListedWork<T, 1, true>> work;
      multiply(work, u, rows);
    } else {
      ListedWork<T, NT, false> work;
      multiply(work, u, rows);
    }
  }
}
