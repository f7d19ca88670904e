// Products of the types with a scale for each 32 values with 17 to 64 rows of x on Hopper, with
// the bits of mul_tile. Tiles and x come through shared memory, x in the order in which lanes want
// it (store_ordered in tile.cuh); a warp has two strips and half of the rows of x, so that what it
// reads serves twice. There is no warp that only copies: registers are given out for four warps at a
// time, and two blocks of eight find room beside each other.
#pragma once
#include "quant.cuh"
#include "tall.cuh"

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
constexpr int dozen_front = 1024, dozen_warps = 8, dozen_pairs = 4;

// What is in a place of the ring, and where: a chunk of x with its records, then tiles.
template <int T, int NT> struct DozenPlace {
  static constexpr int tile = Layout<T>::bytes;
  static constexpr int apart = NT * (256 + record_q8);  // from chunk to chunk of x
  static constexpr int x = apart - (Layout<T>::minimum ? 0 : NT * 32);
  static constexpr int bytes = (x + tall_strips * tile + 127) & ~127;
};

// The ring: in front of it, for each place, barriers and how many warps have left it so far, those of a pair
// and all. At last it holds the eighths that a cluster adds.
template <int T, int NT> struct DozenRing {
  uint8_t* memory;
  int places;
  __device__ __forceinline__ uint32_t full(int i) const { return shared_address(memory) + 128 * i; }
  __device__ __forceinline__ uint32_t empty(int i) const { return full(i) + 8; }
  __device__ __forceinline__ uint32_t empty_pair(int i, int pair) const { return full(i) + 16 + 8 * pair; }
  __device__ __forceinline__ int* left(int i) const { return (int*)(memory + 128 * i + 64); }
  __device__ __forceinline__ int* left_pair(int i, int pair) const { return left(i) + 4 + pair; }
  __device__ __forceinline__ uint8_t* place(int i) const { return memory + dozen_front + i * DozenPlace<T, NT>::bytes; }
  __device__ __forceinline__ void init() const {
    for (int i = 0; i < places; i++) {
      barrier_init(full(i), 1 + dozen_pairs), barrier_init(empty(i), 32 * dozen_warps), *left(i) = 0;
      for (int p = 0; p < dozen_pairs; p++) barrier_init(empty_pair(i, p), 64), *left_pair(i, p) = 0;
    }
    barriers_ready();
  }
};

// Brings a pair's strips, and x. All warps keep count of what comes next. One lane at a time copies: where
// lanes part to copy, each takes the time of all.
template <int T, int NT> struct DozenFeed {
  using Place = DozenPlace<T, NT>;
  const MulArgs& a;
  TallWork work;
  DozenRing<T, NT> ring;
  int tile, c;

  __device__ __forceinline__ DozenFeed(const MulArgs& args, const TallWork& w, const DozenRing<T, NT>& r)
      : a(args), work(w), ring(r), tile(w.first), c(w.c0) {}
  __device__ __forceinline__ bool more() const { return tile < work.tiles; }
  __device__ __forceinline__ void next() {
    if (++c == work.c1) c = work.c0, tile += work.step;
  }
  __device__ __forceinline__ void weights(int i, int pair) const {
    int local = tile;
    const MulJob& job = job_of_tile(a, local);
    int strips = (job.n + 15) / 16, strip = local * tall_strips + 2 * pair;
    const uint8_t* from = job.w + (size_t)c * Place::tile;
    size_t apart = (size_t)a.chunks * Place::tile;
    uint32_t to = shared_address(ring.place(i)) + Place::x + 2 * pair * Place::tile;
    barrier_expect(ring.full(i), 2 * Place::tile);
    bulk_copy(to, from + min(strip, strips - 1) * apart, Place::tile, ring.full(i));
    bulk_copy(to + Place::tile, from + min(strip + 1, strips - 1) * apart, Place::tile, ring.full(i));
  }
  __device__ __forceinline__ void rows(int i) const {
    barrier_expect(ring.full(i), Place::x);
    bulk_copy(shared_address(ring.place(i)), (const uint8_t*)a.x + (size_t)c * Place::apart, Place::x, ring.full(i));
  }
  // Fills the ring, the weights before the kernel in front has ended.
  __device__ __forceinline__ void begin(int warp, int lane) {
    DozenFeed ahead = *this;
    for (int i = 0; i < ring.places && more(); i++, next())
      if (lane == 0 && warp % 2 == 0) weights(i, warp / 2);
    overlap_wait();
    for (int i = 0; i < ring.places && ahead.more(); i++, ahead.next())
      if (threadIdx.x == 0) ahead.rows(i);
  }
  // Leaves a place to what comes next, which the last warp of a pair and the last of all bring.
  __device__ __forceinline__ void leave(const Turn& turn, int warp, int lane) {
    int i = turn.place, pair = warp / 2;
    barrier_arrive(ring.empty_pair(i, pair));
    barrier_arrive(ring.empty(i));
    if (!more()) return;
    __syncwarp();
    if (lane == 0) {
      int two = atomicAdd(ring.left_pair(i, pair), 1), all = atomicAdd(ring.left(i), 1);
      if (two % 2 == 1) {
        barrier_wait(ring.empty_pair(i, pair), turn.round);
        weights(i, pair);
      }
      if (all % dozen_warps == dozen_warps - 1) {
        barrier_wait(ring.empty(i), turn.round);
        rows(i);
      }
    }
    __syncwarp();
    next();
  }
};

// The rows of x in shared memory, from the group of eight on that is the warp's first. Scales are those of
// rows 2t and 2t + 1 in sub-block 2p, then in 2p + 1; sums are multiplied by them.
template <int NT> struct OrderedRows {
  const uint8_t* x;
  int lane, first;
  __device__ __forceinline__ uint4 pair(int i, int p) const { return *(const uint4*)(x + ((first + i) * 4 + p) * 512 + lane * 16); }
  __device__ __forceinline__ float4 scales(int i, int p) const { return *(const float4*)(x + NT * 256 + ((first + i) * 4 + p) * 64 + (lane & 3) * 16); }
  __device__ __forceinline__ float4 sums(int i, int p) const { return *(const float4*)(x + NT * 288 + ((first + i) * 4 + p) * 64 + (lane & 3) * 16); }
};

static __device__ __forceinline__ float component(const float4& v, int i) { return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w; }

// Two strips by 8 * NG rows of x.
template <int NG> struct DozenParts {
  float v[2][NG][4];
  __device__ __forceinline__ void clear() {
    each([](float& f, int, int, int) { f = 0; });
  }
  template <class F> __device__ __forceinline__ void each(F f) {
#pragma unroll
    for (int s = 0; s < 2; s++)
#pragma unroll
      for (int i = 0; i < NG; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) f(v[s][i][j], s, i, j);
  }
};

// A quarter of two strips' tiles: fragments [strip][sub-block], scales and minima [strip][sub-block][row g or g + 8].
template <int T> struct PairQuarter {
  uint32_t a[2][2][4];
  float d[2][2][2], least[2][2][2];

  __device__ __forceinline__ void load(Tile<T, true> tile[2], const uint8_t* w, int p, int lane) {
#pragma unroll
    for (int s = 0; s < 2; s++, w += Layout<T>::bytes) {
      tile[s].load_low(w, p, lane);
#pragma unroll
      for (int r = 0; r < 2; r++) {
        const uint8_t* row = w + Layout<T>::scales + ((lane >> 2) + 8 * r) * 16 + p * 4;
        uint4 two = make_uint4(*(const uint32_t*)row, 0, 0, 0), minima = two;
        if (Layout<T>::minimum) minima.x = *(const uint32_t*)(row + 256);
#pragma unroll
        for (int e = 0; e < 2; e++) {
          d[s][e][r] = scale_at<T>(two, e);
          if (Layout<T>::minimum) least[s][e][r] = half_at(minima, e);
        }
      }
#pragma unroll
      for (int e = 0; e < 2; e++) tile[s].fragment(a[s][e], 2 * p + e, tile[s].high);
    }
  }
};

// part += a chunk. The order of operations on a result is that of mul_tile.
template <int T, int NT, int NG> static __device__ __forceinline__ void
multiply_pair(DozenParts<NG>& part, const uint8_t* w, const OrderedRows<NT>& x, int lane) {
  Tile<T, true> tile[2];
  if (Layout<T>::high)
#pragma unroll
    for (int s = 0; s < 2; s++) tile[s].load_high(w + s * Layout<T>::bytes, 0, lane);
#pragma unroll
  for (int p = 0; p < 4; p++) {
    PairQuarter<T> w2;
    w2.load(tile, w, p, lane);
#pragma unroll
    for (int i = 0; i < NG; i++) {
      uint4 b = x.pair(i, p);
      float4 dx = x.scales(i, p), sums = dx;
      if (Layout<T>::minimum) sums = x.sums(i, p);
#pragma unroll
      for (int e = 0; e < 2; e++)
#pragma unroll
        for (int s = 0; s < 2; s++) {
          int v[4];
          mma_s8_k32_onto(v, w2.a[s][e], e ? b.z : b.x, e ? b.w : b.y, 0x4b400000);
#pragma unroll
          for (int j = 0; j < 4; j++) {
            float& to = part.v[s][i][j];
            to = __fmaf_rn(__int_as_float(v[j]) - 12582912.f, w2.d[s][e][j >> 1] * component(dx, 2 * e + (j & 1)), to);
            if (Layout<T>::minimum) to = __fmaf_rn(w2.least[s][e][j >> 1], component(sums, 2 * e + (j & 1)), to);
          }
        }
    }
  }
}

// A warp's results: a lane has rows g and g + 8 of two strips, and columns
// 8i + 2t and the next of its half.
template <int T, int NT> struct DozenSums {
  using Place = DozenPlace<T, NT>;
  static constexpr int groups = NT / 16;
  int warp, lane;
  DozenParts<groups> part, sum;

  __device__ __forceinline__ int row(int s, int j) const { return (warp >> 1) * 32 + s * 16 + (lane >> 2) + 8 * (j >> 1); }
  __device__ __forceinline__ int column(int i, int j) const { return (warp & 1) * (NT / 2) + 8 * i + 2 * (lane & 3) + (j & 1); }

  // A tile's chunks. With all eighths here, sum is the result; else part is the last
  // eighth, and sum the one before, if there are two.
  __device__ __forceinline__ void multiply(DozenFeed<T, NT>& feed, Turn& turn, int chunks) {
    const TallWork& work = feed.work;
    const DozenRing<T, NT>& ring = feed.ring;
    int e = 0, edge = 0;
    sum.clear();
#pragma unroll 1
    for (int c = work.c0; c < work.c1; c++, turn.next(ring.places)) {
      if (c == work.c0 || c == edge) {
        while (edge <= c) edge = chunks * ++e / 8;
        part.clear();
      }
      barrier_wait(ring.full(turn.place), turn.round);
      const uint8_t* place = ring.place(turn.place);
      multiply_pair<T, NT>(part, place + Place::x + (warp >> 1) * 2 * Place::tile, OrderedRows<NT>{place, lane, (warp & 1) * groups}, lane);
      feed.leave(turn, warp, lane);
      if (c + 1 == edge && (c + 1 < work.c1 || work.c1 - work.c0 == chunks))
        sum.each([&](float& f, int s, int i, int j) { f += part.v[s][i][j]; });
    }
  }

  // Writes sum.
  __device__ __forceinline__ void write(const MulJob& j, int tile, int count) const {
    MulJob job = j;
    int n = tile * tall_high + (warp >> 1) * 32 + (lane >> 2), m = (warp & 1) * (NT / 2) + 2 * (lane & 3);
    float bias[4] = {};
#pragma unroll
    for (int r = 0; r < 4; r++)
      if (job.bias && n + 8 * r < job.n) bias[r] = job.bias[n + 8 * r];
#pragma unroll
    for (int i = 0; i < groups; i++)
#pragma unroll
      for (int c = 0; c < 2; c++) {
        if (m + 8 * i + c >= count) continue;
        float* out = job.out + (size_t)(m + 8 * i + c) * job.ldo + n;
        const float* add = job.add + (size_t)(m + 8 * i + c) * job.ldadd + n;
        float v[4];
#pragma unroll
        for (int r = 0; r < 4; r++) v[r] = job.add && n + 8 * r < job.n ? add[8 * r] : 0;
#pragma unroll
        for (int r = 0; r < 4; r++) {
          float u = sum.v[r >> 1][i][2 * (r & 1) + c];
          if (job.bias) u += bias[r];
          if (job.add) u += v[r];
          if (n + 8 * r < job.n) out[8 * r] = u;
        }
      }
  }
};

template <int T, int NT> static __device__ __forceinline__ void mul_dozens(const MulArgs& a, uint8_t* memory) {
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, ranks = cluster_size(), rank = cluster_rank();
  DozenRing<T, NT> ring = {memory, a.slots};
  if (threadIdx.x == 0) ring.init();
  __syncthreads();
  TallWork work(a, rank, ranks);
  DozenFeed<T, NT> feed(a, work, ring);
  feed.begin(warp, lane);
  int count = a.count ? min(*a.count, a.rows) : a.rows;
  Turn turn;
  DozenSums<T, NT> sums = {warp, lane};
  for (int tile = work.first; tile < work.tiles; tile += work.step) {
    int local = tile;
    const MulJob& job = job_of_tile(a, local);
    sums.multiply(feed, turn, a.chunks);
    if (ranks == 1) {
      sums.write(job, local, count);
      continue;
    }
    // Nothing is on its way any more: such a block has one tile.
    Eighths<NT> eighths = {shared_address(memory + dozen_front)};
    bool two = ranks == 4;
    __syncthreads();
    sums.part.each([&](float& f, int s, int i, int j) {
      int m = sums.column(i, j), n = sums.row(s, j);
      eighths.put(two, m, n, f);
      if (two) eighths.put(0, m, n, sums.sum.v[s][i][j]);
    });
    cluster_barrier();
    eighths.write(job, local, count, ranks, rank, warp, lane);
    cluster_left();
  }
}
#else
template <int T, int NT> static __device__ __forceinline__ void mul_dozens(const MulArgs&, uint8_t*) {}
#endif
