// How keys and values come to attend_wide.cu: which units of work a block takes, and four
// warps that bring their cells into a ring of tiles in shared memory, ahead of those that
// multiply.
#pragma once
#include "feed.cuh"
#include "wgmma.cuh"

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
// The units of a block: each an item with the query heads of one block. In a turn every block
// takes one, in every second turn the last block first: of items that become shorter all blocks
// get about as much.
struct WideUnits {
  const Item* items;
  int heads, count, turn = 0;
  __device__ __forceinline__ explicit WideUnits(const AttendArgs& a) : items((const Item*)(a.step + a.plan[1])) {
    heads = a.q.heads / a.group, count = a.plan[0] * heads;
  }
  __device__ __forceinline__ int now() const { return turn * gridDim.x + (turn & 1 ? gridDim.x - 1 - blockIdx.x : blockIdx.x); }
  __device__ __forceinline__ bool more() const { return turn * (int)gridDim.x < count; }
  // The next unit's item, and which of the heads; without rows or positions where the block has
  // none in this turn.
  __device__ __forceinline__ Item take(int& head) {
    int u = now();
    Item it = items[min(u, count - 1) / heads];
    head = u % heads;
    if (u >= count) it.rows = 0, it.to = it.from;
    turn++;
    return it;
  }
};

// Tiles of 64 positions: keys, values, keys, ... Each is [D / 64][position][64] halves, in
// rows of 128 bytes swizzled. Barriers come first.
template <int D> struct CellRing {
  static constexpr int tiles = D > 128 ? 3 : 12, panel = positions * 128, bytes = D / 64 * panel, end = 1024 + tiles * bytes;
  uint32_t at;
  int tile = 0, turn = 0;
  __device__ __forceinline__ uint32_t full() const { return at + 8 * tile; }
  __device__ __forceinline__ uint32_t empty() const { return at + 128 + 8 * tile; }
  __device__ __forceinline__ uint32_t room_of() const { return at + 1024 + tile * bytes; }
  __device__ __forceinline__ void next() {
    if (++tile == tiles) tile = 0, turn ^= 1;
  }
};

// Starts a warp's copies of its 16 positions of a tile, of which lane i knows the cell of
// number i % 16, or -1: then zeros.
template <int D> static __device__ __forceinline__ void copy_cells(uint32_t to, const HeadJob& job, int head, int cell) {
  constexpr int lines = D / 8, step = 32 / lines;
  int lane = threadIdx.x & 31, line = lane % lines, first = (threadIdx.x >> 5 & 3) * 16 + lane / lines;
  bool within = line * 8 < job.width;
  const __half* from = job.cache + (size_t)head * job.width + (within ? line * 8 : 0);
  size_t stride = (size_t)job.heads * job.width;
  to += line / 8 * CellRing<D>::panel;
#pragma unroll
  for (int j = 0; j < 16; j += step) {
    int its = __shfl_sync(~0u, cell, j + lane / lines), p = first + j;
    copy16(to + p * 128 + ((line ^ p) & 7) * 16, from + max(its, 0) * stride, within && its >= 0);
  }
}

// Four warps bring what the others multiply.
template <int D> static __device__ __forceinline__ void bring_cells(const AttendArgs& a, CellRing<D> ring) {
  constexpr int ahead = ring.tiles > 4 ? 4 : 2;  // tiles whose copies are on their way
  const int* cells = (const int*)(a.step + a.plan[2]);
  CellRing<D> come = ring;
  int number = (threadIdx.x >> 5 & 3) * 16 + (threadIdx.x & 15), sent = 0, head;
  auto arrived = [&] {
    // What a thread has copied the tensor cores see after its fence.
    proxy_fence();
    barrier_arrive(come.full());
    come.next();
  };
  for (WideUnits units(a); units.more();) {
    Item it = units.take(head);
    const int* its = cells + it.cells;
    int key_head = divided(head, a.of_splits), next = it.from + number < it.to ? its[it.from + number] : -1;
    for (int base = it.from; base < it.to; base += positions) {
      int cell = next, p = base + positions + number;
      next = p < it.to ? its[p] : -1;
      for (int half = 0; half < 2; half++) {
        barrier_wait(ring.empty(), ring.turn ^ 1);
        copy_cells<D>(ring.room_of(), half ? a.v : a.k, key_head, cell);
        commit();
        ring.next();
        if (++sent < ahead) continue;
        wait_for<ahead - 1>();
        arrived();
      }
    }
  }
  wait_for<0>();
  for (int i = min(sent, ahead - 1); i > 0; i--) arrived();
}
#endif
