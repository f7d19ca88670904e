// Products of Q4_K and Q5_K with 17 to 64 rows of x on Hopper's tensor cores, with the bits of
// mul_tile: integers times their scales of 6 bits become halves in registers, exactly, and
// x comes as halves of its integers (store_halves in tile.cuh). Float32 holds a chunk's sums
// exactly up to 2^24, a half (Q4_K) or a quarter (Q5_K) of the most that they can be: only
// weights and x that are nearly all as large as possible go beyond, and lose a last bit.
//
// A block takes 128 rows of W, two groups of four warps that multiply, and NT rows of x,
// which are all there are; one more warp brings chunk after chunk of both into a ring, the
// weights before the kernel in front has ended. A block goes from tile to tile, or the
// blocks of a cluster share the eighths of one tile's chunks. Eighths are added in order,
// as in the other kernels.
#pragma once
#include "halves.cuh"
#include "tall.cuh"
#include "wgmma.cuh"

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
constexpr int few_warps = 8;

// What is in a place of the ring, and where.
template <int T, int NT> struct FewPlace {
  static constexpr int tile = Layout<T>::bytes, x = NT * 512, records = x + tall_strips * tile;
  static constexpr int filled = records + NT * record_halves, bytes = (filled + 1023) & ~1023;
};

// The ring: barriers in front, then as many places as there is room for, then the eighths
// of results that a cluster adds up.
template <int T, int NT> struct FewRing {
  uint32_t at;
  int places;
  __device__ __forceinline__ uint32_t full(int i) const { return at + 16 * i; }
  __device__ __forceinline__ uint32_t empty(int i) const { return at + 16 * i + 8; }
  __device__ __forceinline__ uint32_t place(int i) const { return at + 1024 + i * FewPlace<T, NT>::bytes; }
  __device__ __forceinline__ uint32_t eighths() const { return place(places); }
  __device__ __forceinline__ void init() const {
    for (int i = 0; i < places; i++) barrier_init(full(i), 1), barrier_init(empty(i), 32 * few_warps);
    barriers_ready();
  }
};

// The warp that brings weights, a strip a lane, and x.
template <int T, int NT> struct FewFeed {
  using Place = FewPlace<T, NT>;
  const MulArgs& a;
  const TallWork& work;
  FewRing<T, NT> ring;
  int lane;

  __device__ __forceinline__ void weights(int tile, int c, int i) const {
    if (lane == 0) barrier_expect(ring.full(i), Place::filled);
    if (lane >= tall_strips) return;
    const MulJob& job = job_of_tile(a, tile);
    int strip = min(tile * tall_strips + lane, (job.n + 15) / 16 - 1);
    bulk_copy(ring.place(i) + Place::x + lane * Place::tile, job.w + ((size_t)strip * a.chunks + c) * Place::tile, Place::tile, ring.full(i));
  }
  __device__ __forceinline__ void rows(int c, int i) const {
    if (lane == tall_strips) bulk_copy(ring.place(i), (const uint8_t*)a.x + (size_t)c * Place::x, Place::x, ring.full(i));
    if (lane == tall_strips + 1)
      bulk_copy(ring.place(i) + Place::records, a.record + (size_t)c * NT * record_halves, NT * record_halves, ring.full(i));
  }
  __device__ __forceinline__ void run() const {
    int early = work.first < work.tiles ? min(ring.places, work.c1 - work.c0) : 0;
    for (int i = 0; i < early; i++) weights(work.first, work.c0 + i, i);
    overlap_wait();
    for (int i = 0; i < early; i++) rows(work.c0 + i, i);
    Turn turn;
    int n = 0;
    for (int tile = work.first; tile < work.tiles; tile += work.step)
#pragma unroll 1
      for (int c = work.c0; c < work.c1; c++, turn.next(ring.places)) {
        if (n++ < early) continue;
        barrier_wait(ring.empty(turn.place), turn.round ^ 1);
        weights(tile, c, turn.place);
        rows(c, turn.place);
      }
  }
};

// Two numbers below 1024 in the halves of w, 2^24 times smaller: half precision's denormals
// are integers.
static __device__ __forceinline__ __half2 tiny(uint32_t w) { return halves(w); }
// Byte i of w twice, plus 1024.
static __device__ __forceinline__ __half2 byte_twice(uint32_t w, int i) {
  return halves(__byte_perm(w, 0x64646464, 0x4040 | i | i << 8));
}

// A strip's tile in shared memory, and what becomes of it: A registers that are integers
// times scales, 2^24 times too small, and at a chunk's end the results.
template <int T> struct FewTile {
  uint32_t at;
  int lane;
  uint32_t scales[2][2];  // of rows g and g + 8, six bits for each sub-block

  __device__ __forceinline__ void begin(uint32_t tile, int l) {
    at = tile, lane = l;
#pragma unroll
    for (int r = 0; r < 2; r++) {
      uint4 v = row(r);
      scales[r][0] = v.y & 0x3f3f3f3f;
      scales[r][1] = (v.w & 0x0f0f0f0f) | ((v.y >> 2) & 0x30303030);
    }
  }
  __device__ __forceinline__ uint4 row(int r) const { return shared4(at + Layout<T>::scales + ((lane >> 2) + 8 * r) * 16); }

  __device__ __forceinline__ void quarter(uint32_t a[16], int p) const {
    uint4 low = shared4(at + p * 512 + lane * 16), high = {};
    if (T == Q5_K) high = shared4(at + 2048 + lane * 16);
#pragma unroll
    for (int r = 0; r < 2; r++) {
      uint32_t v = scales[r][p >> 1];
      __half2 even = __hsub2(byte_twice(v, 2 * (p & 1)), __float2half2_rn(1024));
      __half2 odd = byte_twice(v, 2 * (p & 1) + 1);
      // The odd sub-blocks' nibbles of Q4_K stay where they are, 16 times larger.
      if (T == Q4_K) odd = __hfma2(odd, __float2half2_rn(0.0625f), __float2half2_rn(-64));
      else odd = __hsub2(odd, __float2half2_rn(1024));
#pragma unroll
      for (int i = r; i < 4; i += 2) {
        uint32_t w = pick(low, i), u = w >> 8;
        uint32_t *e = a + 2 * (i - r) + r, *o = e + 8;
        if (T == Q4_K) {
          e[0] = bits(__hmul2(tiny(w & 0x000f000f), even)), e[2] = bits(__hmul2(tiny(u & 0x000f000f), even));
          o[0] = bits(__hmul2(tiny(w & 0x00f000f0), odd)), o[2] = bits(__hmul2(tiny(u & 0x00f000f0), odd));
        } else {
          uint32_t h = pick(high, i) >> (2 * p);
          uint32_t x = (w & 0x0f0f0f0f) | (h & 0x01010101) << 4, y = ((w >> 4) & 0x0f0f0f0f) | (h & 0x02020202) << 3;
          e[0] = bits(__hmul2(tiny(x & 0x00ff00ff), even)), e[2] = bits(__hmul2(tiny((x >> 8) & 0x00ff00ff), even));
          o[0] = bits(__hmul2(tiny(y & 0x00ff00ff), odd)), o[2] = bits(__hmul2(tiny((y >> 8) & 0x00ff00ff), odd));
        }
      }
    }
  }

  // part += the chunk's results, of what the products left in acc. The minima times the
  // sums of x are a product of their own.
  template <int NT> __device__ __forceinline__ void finish(float (&part)[NT / 2], const float (&acc)[NT / 2], uint32_t records) const {
    int g = lane >> 2, t = lane & 3;
    uint32_t a[4];
    float d[2], least[2];
#pragma unroll
    for (int r = 0; r < 2; r++) {
      uint4 v = row(r);
      uint32_t m = t < 2 ? v.z & 0x3f3f3f3f : ((v.w >> 4) & 0x0f0f0f0f) | ((v.z >> 2) & 0x30303030);
      __half2 two = t & 1 ? high_bytes(m, 0) : low_bytes(m, 0);
      a[r] = bits(__hmul2(two, __float2half2_rn(64))), a[2 + r] = bits(two);
      d[r] = __low2float(halves(v.x)) * 16777216.f, least[r] = -__high2float(halves(v.x));
    }
#pragma unroll
    for (int i = 0; i < NT / 8; i++) {
      uint2 sums = shared_two(records + NT * 4 + (8 * i + g) * 32 + t * 8);
      uint2 x = shared_two(records + (8 * i + 2 * t) * 4);
      float m[4] = {};
      mma_f16(m, a, sums.x, sums.y);
#pragma unroll
      for (int j = 0; j < 4; j++) {
        float v = __fmaf_rn(least[j >> 1], m[j], __fmul_rn(d[j >> 1], acc[4 * i + j]));
        part[4 * i + j] = __fmaf_rn(v, __uint_as_float(j & 1 ? x.y : x.x), part[4 * i + j]);
      }
    }
  }
};

// What the others do: 16 rows of W a warp, of which a lane has rows g and g + 8 and columns
// 8i + 2t and the next.
template <int T, int NT> struct FewSums {
  using Place = FewPlace<T, NT>;
  // Two blocks of 32 rows run at once, which leaves registers for one set of A.
  static constexpr int buffers = NT == 32 ? 1 : 2;
  float sum[NT / 2];

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int i = 0; i < NT / 2; i++) sum[i] = 0;
  }
  // part += a chunk.
  static __device__ __forceinline__ void chunk(float (&part)[NT / 2], uint32_t place, int warp, int lane) {
    float acc[NT / 2];
    uint32_t regs[buffers][16];
    FewTile<T> tile;
    tile.begin(place + Place::x + warp * Place::tile, lane);
    uint64_t x = swizzled_rows(place);
#pragma unroll
    for (int i = 0; i < NT / 2; i++) acc[i] = 0;
    pin(acc);
#pragma unroll
    for (int p = 0; p < 4; p++) {
      uint32_t* now = regs[p % buffers];
      tile.quarter(now, p);
      wgmma_fence();
#pragma unroll
      for (int j = 0; j < 4; j++) wgmma<NT, false>(acc, now + 4 * j, x + p * NT * 8 + 2 * j);
      wgmma_commit();
      wgmma_wait<buffers - 1>();
    }
    wgmma_wait<0>();
    pin(acc);
    tile.template finish<NT>(part, acc, place + Place::records);
  }

  // A tile's chunks; eighths go into sum, or, where a cluster adds them, each by itself to put.
  template <class Put> __device__ __forceinline__ void multiply(const TallWork& work, const FewRing<T, NT>& ring, Turn& turn, int chunks, int warp, int lane, Put put) {
    float part[NT / 2];
    int e = 0, edge = 0;
#pragma unroll 1
    for (int c = work.c0; c < work.c1; c++, turn.next(ring.places)) {
      if (c == work.c0 || c == edge) {
        while (edge <= c) edge = chunks * ++e / 8;
#pragma unroll
        for (int i = 0; i < NT / 2; i++) part[i] = 0;
      }
      barrier_wait(ring.full(turn.place), turn.round);
      chunk(part, __shfl_sync(~0u, ring.place(turn.place), 0), warp, lane);
      barrier_arrive(ring.empty(turn.place));
      if (c + 1 == edge) put(e - 1, part);
    }
  }

  // Writes the results from the registers.
  __device__ __forceinline__ void write(const MulJob& job, int strip, int count, int lane) const {
    int n = strip * 16 + (lane >> 2), m = 2 * (lane & 3);
    float bias[2] = {}, more[NT / 2];
#pragma unroll
    for (int h = 0; h < 2; h++)
      if (job.bias && n + 8 * h < job.n) bias[h] = job.bias[n + 8 * h];
#pragma unroll
    for (int i = 0; i < NT / 2; i++) {
      int row = m + i / 4 * 8 + (i & 1), column = n + 8 * (i >> 1 & 1);
      more[i] = job.add && row < count && column < job.n ? job.add[(size_t)row * job.ldadd + column] : 0;
    }
#pragma unroll
    for (int i = 0; i < NT / 2; i++) {
      int row = m + i / 4 * 8 + (i & 1), column = n + 8 * (i >> 1 & 1);
      float v = sum[i];
      if (job.bias) v += bias[i >> 1 & 1];
      if (job.add) v += more[i];
      if (row < count && column < job.n) job.out[(size_t)row * job.ldo + column] = v;
    }
  }
};

template <int T, int NT> static __device__ __forceinline__ void mul_few(const MulArgs& a, uint8_t* memory) {
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, ranks = cluster_size(), rank = cluster_rank();
  FewRing<T, NT> ring = {shared_address(memory), a.slots};
  if (threadIdx.x == 0) ring.init();
  __syncthreads();
  int e0 = 8 * rank / ranks;
  TallWork work(a, rank, ranks);
  if (warp == few_warps) {
    FewFeed<T, NT>{a, work, ring, lane}.run();
    if (ranks > 1) cluster_barrier(), cluster_left();
    return;
  }
  overlap_wait();
  int count = a.count ? min(*a.count, a.rows) : a.rows;
  Turn turn;
  FewSums<T, NT> sums;
  Eighths<NT> eighths = {ring.eighths()};
  for (int tile = work.first; tile < work.tiles; tile += work.step) {
    int local = tile;
    const MulJob& job = job_of_tile(a, local);
    sums.clear();
    if (ranks > 1) {
      sums.multiply(work, ring, turn, a.chunks, warp, lane, [&](int e, const auto& part) {
#pragma unroll
        for (int i = 0; i < NT / 2; i++)
          eighths.put(e - e0, i / 4 * 8 + 2 * (lane & 3) + (i & 1), warp * 16 + (lane >> 2) + 8 * (i >> 1 & 1), part[i]);
      });
      cluster_barrier();
      eighths.write(job, local, count, ranks, rank, warp, lane);
      cluster_left();
    } else {
      sums.multiply(work, ring, turn, a.chunks, warp, lane, [&](int, const auto& part) {
#pragma unroll
        for (int i = 0; i < NT / 2; i++) sums.sum[i] += part[i];
      });
      sums.write(job, local * tall_strips + warp, count, lane);
    }
  }
}
#else
template <int T, int NT> static __device__ __forceinline__ void mul_few(const MulArgs&, uint8_t*) {}
#endif
