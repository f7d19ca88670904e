// Quantised experts: a warp takes 16 rows of one expert's weights, 8*NT rows of x at a time
// out of the list of those that chose the expert, and an even share of k. Its tiles come through a
// ring of its own in shared memory, one after the other for all that it has to do.
#pragma once
#include "quant.cuh"

struct ExpertArgs {
  MulArgs mul;
  int count, split;  // experts there are, and warps that share k: 1, 2, 4, 8
  // For a sum over the experts of a row, [rows][used]:
  const int* ids;
  const float* weights;
  const float* scales;  // one an expert, or null
  int used, ldi, ldw, pad;
};

// The tiles of a warp on their way: as many as there are slots, in order.
template <int T, int slots> struct TileRing {
  static constexpr int bytes = Layout<T>::bytes;
  uint8_t* room;
  int lane, in = 0, out = 0;

  // With null, nothing comes and the slot counts all the same.
  __device__ __forceinline__ void ask(const uint8_t* from) {
    if (from != nullptr)
      for (int i = lane * 16; i < bytes; i += 512) copy16(shared_address(room + in * bytes + i), from + i, true);
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

// The lists in shared memory.
struct ExpertLists {
  const int* experts;  // in use
  const int* starts;   // one more
  int used, strips;    // experts in use; strips of 16 rows of all jobs
};

static __device__ __forceinline__ ExpertLists load_lists(const ExpertArgs& a, int* room) {
  int n = a.mul.experts[a.count];
  int* starts = room + n;
  for (int i = threadIdx.x; i <= n; i += blockDim.x) {
    if (i < n) room[i] = a.mul.experts[i];
    starts[i] = a.mul.starts[i];
  }
  __syncthreads();
  return {room, starts, n, a.mul.job[2].blocks};
}

// A unit of work: a strip of one expert. Units count the strips of an expert, then the next's.
struct Unit {
  int slot, strip, job;
  __device__ __forceinline__ Unit(const ExpertArgs& a, const ExpertLists& l, int unit) {
    slot = unit / l.strips, strip = unit - slot * l.strips;
    job = strip < a.mul.job[0].blocks ? 0 : strip < a.mul.job[1].blocks ? 1 : 2;
    if (job > 0) strip -= a.mul.job[job - 1].blocks;
  }
};

// The tiles c0 to c1 of every step-th unit, as often as its rows take.
template <int T, int NT> struct ExpertFeed {
  const ExpertArgs& a;
  const ExpertLists& lists;
  int unit, step, c0, c1, at, left;
  const uint8_t* w;

  __device__ __forceinline__ ExpertFeed(const ExpertArgs& args, const ExpertLists& l, int first, int apart, int begin, int end)
      : a(args), lists(l), unit(first), step(apart), c0(begin), c1(end) { start(); }
  __device__ __forceinline__ bool done() const { return unit >= lists.used * lists.strips; }
  __device__ __forceinline__ void start() {
    if (done()) return;
    Unit u(a, lists, unit);
    const MulJob& job = a.mul.job[u.job];
    size_t strip = (size_t)lists.experts[u.slot] * ((job.n + 15) / 16) + u.strip;
    w = job.w + strip * a.mul.chunks * Layout<T>::bytes;
    at = c0, left = lists.starts[u.slot + 1] - lists.starts[u.slot];
  }
  __device__ __forceinline__ const uint8_t* next() {
    if (done()) return nullptr;
    const uint8_t* from = w + (size_t)at * Layout<T>::bytes;
    if (++at == c1) {
      at = c0, left -= 8 * NT;
      if (left <= 0) unit += step, start();
    }
    return from;
  }
};

// Does every step-th unit from first on; room is the warp's ring. put takes the products:
// the unit, its rows, the first of 8*NT, and the values in an mma's registers.
template <int T, int NT, int slots, class Put> static __device__ __forceinline__ void
each_expert(const ExpertArgs& a, const ExpertLists& lists, int first, int step, uint8_t* room, Put put) {
  int lane = threadIdx.x & 31, part = (threadIdx.x >> 5) & (a.split - 1), chunks = a.mul.chunks;
  int c0 = chunks * part / a.split, c1 = chunks * (part + 1) / a.split;
  TileRing<T, slots> ring{room, lane};
  ExpertFeed<T, NT> feed(a, lists, first, step, c0, c1);
#pragma unroll 1
  for (int i = 0; i < slots; i++) ring.ask(feed.next());
  GlobalRows<T, NT> x = {(const uint8_t*)a.mul.x, a.mul.record};
  x.lane = lane;
#pragma unroll 1
  for (int unit = first; unit < lists.used * lists.strips; unit += step) {
    Unit u(a, lists, unit);
    Rows rows = {a.mul.list + lists.starts[u.slot], lists.starts[u.slot + 1] - lists.starts[u.slot], a.mul.divide};
#pragma unroll 1
    for (int m = 0; m < rows.count; m += 8 * NT) {
      float acc[NT][4] = {};
#pragma unroll
      for (int i = 0; i < NT; i++) x.row[i] = (uint32_t)rows.in(m + 8 * i + (lane >> 2)) * chunks;
#pragma unroll 1
      for (x.s = c0; x.s < c1; x.s++) {
        Tile<T, true> tile;
        tile.load(ring.take(), lane);
        mul_tile<T, NT>(acc, tile, x, nullptr, false, lane);
        __syncwarp();
        ring.ask(feed.next());
      }
      put(u, rows, m, acc);
    }
  }
}
