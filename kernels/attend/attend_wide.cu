// Attention of prompts on Hopper: attend.cu's, where an item's rows are neighbours of one
// sequence whose keys and values are in their cells, by products of four warps (wgmma). A
// block takes an item and the query heads of one key head, up to 128 rows times heads, half
// of them for each of two groups of four warps; four more warps bring keys and values. While
// a group makes weights of scores the tensor cores work for the other one, and on the sums of
// the tile before.
// Shapes: heads of up to 64, 128 or 256 dimensions.
// Queries and weights go through the tensor cores as two halves each.
// Bound: tensor cores.
#include "wide.cuh"

constexpr int unit_rows = 128;

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
// Multiplies what bring_cells brings.
template <int D> static __device__ __forceinline__ void attend_units(const AttendArgs& a, CellRing<D> ring) {
  WideSums<D> sums(a, ring.at);
  int head;
  for (WideUnits units(a); units.more();) {
    Item it = units.take(head);
    if (it.from >= it.to) continue;
    if ((int)threadIdx.x >> 7 << 6 >= it.rows * a.group) {
      // The other group has all the rows.
      for (int n = 2 * ((it.to - it.from + positions - 1) / positions); n > 0; n--, ring.next()) {
        barrier_wait(ring.full(), ring.turn);
        barrier_arrive(ring.empty());
      }
      continue;
    }
    sums.begin(it, head);
    barrier_wait(ring.full(), ring.turn);
    sums.score(ring.room_of());
    wgmma_wait<0>();
    barrier_arrive(ring.empty());
    sums.weigh(it.from);
    for (int base = it.from + positions; base < it.to; base += positions) {
      sums.settle();
      ring.next();
      CellRing<D> values = ring;
      ring.next();
      barrier_wait(ring.full(), ring.turn);
      sums.score(ring.room_of());
      barrier_wait(values.full(), values.turn);
      sums.add(values.room_of());
      wgmma_wait<1>();
      barrier_arrive(ring.empty());
      sums.weigh(base);
      wgmma_wait<0>();
      barrier_arrive(values.empty());
    }
    sums.settle();
    ring.next();
    barrier_wait(ring.full(), ring.turn);
    sums.add(ring.room_of());
    wgmma_wait<0>();
    barrier_arrive(ring.empty());
    ring.next();
    sums.put(it, head);
  }
}

template <int D> static __device__ __forceinline__ void attend_wide(const AttendArgs& a, uint8_t* memory) {
  CellRing<D> ring{shared_address(memory)};
  if (threadIdx.x == 0) {
    for (int i = 0; i < ring.tiles; i++) barrier_init(ring.at + 8 * i, 128), barrier_init(ring.at + 128 + 8 * i, 2 * unit_rows);
    barriers_ready();
  }
  overlap_wait();
  __syncthreads();
  if (threadIdx.x >= 2 * unit_rows) {
    registers_at_most<40>();
    bring_cells(a, ring);
  } else {
    registers_at_least<232>();
    attend_units(a, ring);
  }
}
#else
template <int D> static __device__ __forceinline__ void attend_wide(const AttendArgs&, uint8_t*) {}
#endif

#define ATTEND_WIDE(D)                                                                                                   \
  extern "C" __global__ void __launch_bounds__(3 * unit_rows, 1) attend_wide_##D(const __grid_constant__ AttendArgs a) { \
    extern __shared__ __align__(1024) uint8_t cell_tiles[];                                                              \
    overlap_start();                                                                                                     \
    attend_wide<D>(a, cell_tiles);                                                                                       \
  }
ATTEND_WIDE(64)
ATTEND_WIDE(128)
ATTEND_WIDE(256)
