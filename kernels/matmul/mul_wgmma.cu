// Products for many rows of x on Hopper: W becomes halves in registers, x comes as halves
// (widen.cu), or both as bfloat16; the sums are float32. A block takes 64 rows of W for
// each group of four warps that multiply, and NT rows of x; four more warps bring both
// into shared memory, 64 values at a time, four quarters of a chunk deep. The blocks of a
// cluster share the chunks of one tile and add their sums in order.
// Shapes: as mul_quant.cu, without experts; x in the layout that widen.cu leaves.
// Bound: tensor cores, of which 820 to 850 TFLOP/s are reached where K is long. H200,
// 2026-11-29, 512 rows of x: 4096 x 4096 643, 2 x 14336 x 4096 689, 4096 x 14336 809; 4,096
// rows: 720, 778, 845 (Q4_K; Q6_K, Q8_0 and BF16 within 3 %).
#include "halves.cuh"
#include "mul.cuh"
#include "wgmma.cuh"

struct WgmmaArgs {
  MulJob job[3];
  const uint8_t* x;    // [4 * chunks][padded][64] halves, rows of 128 bytes swizzled
  const float* scale;  // of each row of x
  const int* count;    // rows of x that are wanted, or null: rows
  int rows, padded, chunks, tiles;  // chunks of 256 values; tiles of floats in a strip
};

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
// Where the quarters lie in shared memory; the rest of a chunk's tiles is held twice.
template <int T, int NT, int W> struct Stages {
  static constexpr int strips = 4 * W, rows_bytes = NT * 128;
  uint32_t x, w, rest, full, empty;
  __device__ __forceinline__ Stages(uint32_t at) {
    full = at;
    empty = at + 32;
    x = at + 1024;
    w = x + 4 * rows_bytes;
    rest = w + 4 * strips * HalfPart<T>::quarter;
  }
  __device__ __forceinline__ uint32_t quarter(int p, int strip) const { return w + (p * strips + strip) * HalfPart<T>::quarter; }
  __device__ __forceinline__ uint32_t rest_of(int turn, int strip) const { return rest + (turn * strips + strip) * HalfPart<T>::rest; }
};

// What a block works on: NT rows of x from first on, strips of the job from strip on,
// chunks c0 to c1.
struct Work {
  MulJob job;
  int first, strip, c0, c1, count;
};

// The tiles of a strip.
template <int T> static __device__ __forceinline__ const uint8_t* strip_of(const WgmmaArgs& a, const MulJob& job, int strip) {
  int last = (job.n + 15) / 16 - 1;
  return job.w + (size_t)min(strip, last) * (HalfPart<T>::floats ? a.tiles * 512 : a.chunks * HalfPart<T>::bytes);
}

// Four warps bring what the others multiply; each lane below W brings a strip.
template <int T, int NT, int W> static __device__ __forceinline__ void
bring(const WgmmaArgs& a, const Work& work, const Stages<T, NT, W>& s, const uint8_t* w, int warp, int lane) {
  constexpr int quarter = HalfPart<T>::quarter, rest = HalfPart<T>::rest;
  int strip = warp * W + lane;
  for (int c = work.c0; c < work.c1; c++) {
    int turn = (c - work.c0) & 1;
#pragma unroll
    for (int p = 0; p < 4; p++) {
      uint32_t full = s.full + p * 8;
      int part = HalfPart<T>::floats ? min(max(a.tiles - 16 * c - 4 * p, 0), 4) * 512 : quarter;
      const uint8_t* from = w + (size_t)c * HalfPart<T>::bytes + p * quarter;
      barrier_wait(s.empty + p * 8, turn ^ 1);
      if (warp == 0 && lane == 0) {
        barrier_expect(full, s.rows_bytes + s.strips * (part + (p == 0 ? rest : 0)));
        bulk_copy(s.x + p * s.rows_bytes, a.x + ((size_t)(4 * c + p) * a.padded + work.first) * 128, s.rows_bytes, full);
      }
      if (lane < W) {
        if (part) bulk_copy(s.quarter(p, strip), from, part, full);
        if (p == 0 && rest) bulk_copy(s.rest_of(turn, strip), from + 4 * quarter, rest, full);
      }
      __syncwarp();
    }
  }
}

// acc += the strip of the warp times the rows.
template <int T, int NT, int W> static __device__ __forceinline__ void
multiply(float (&acc)[NT / 2], const WgmmaArgs& a, const Work& work, const Stages<T, NT, W>& s, int strip, int lane) {
  // While the tensor cores work on one quarter, the next one becomes halves.
  constexpr int buffers = W == 4 ? 1 : 2;
  uint32_t regs[buffers][16];
  Widener<HalfPart<T>::floats ? Q8_0 : T> wide;
  pin(acc);
#pragma unroll 1
  for (int c = work.c0; c < work.c1; c++) {
    int turn = (c - work.c0) & 1;
    uint32_t rest = s.rest_of(turn, strip);
#pragma unroll
    for (int p = 0; p < 4; p++) {
      uint32_t* now = regs[p % buffers];
      barrier_wait(s.full + p * 8, turn);
      if constexpr (HalfPart<T>::floats) float_quarter(now, s.quarter(p, strip), a.tiles - 16 * c - 4 * p, lane);
      else {
        if (p == 0) wide.begin(rest, lane >> 2);
        wide.quarter(now, s.quarter(p, strip), rest, p, lane);
      }
      wgmma_fence();
      uint64_t x = swizzled_rows(s.x + p * s.rows_bytes);
#pragma unroll
      for (int j = 0; j < 4; j++) wgmma<NT, T == BF16>(acc, now + 4 * j, x + 2 * j);
      wgmma_commit();
      wgmma_wait<buffers - 1>();
      bool done = buffers == 1 || p > 0 || c > work.c0;
      if (done) barrier_arrive(s.empty + ((p + 5 - buffers) & 3) * 8);
    }
  }
  wgmma_wait<0>();
  pin(acc);
}

// Adds the cluster's sums, in order, and writes them: through shared memory, [row of x]
// [row of W], of which each block of the cluster writes its share of rows of x.
template <int NT, int W> static __device__ __forceinline__ void
finish(const WgmmaArgs& a, const Work& work, const float (&acc)[NT / 2], uint32_t memory, int warp, int lane) {
  constexpr int stride = 64 * W + 4, at_once = 4;
  const MulJob& job = work.job;
  int ranks = cluster_size(), rank = cluster_rank();
  asm volatile("bar.sync 1, %0;" ::"n"(128 * W) : "memory");
#pragma unroll
  for (int i = 0; i < NT / 2; i++) {
    int m = i / 4 * 8 + 2 * (lane & 3) + (i & 1), n = warp * 16 + (lane >> 2) + 8 * (i >> 1 & 1);
    asm volatile("st.shared.f32 [%0], %1;" ::"r"(memory + (m * stride + n) * 4), "f"(acc[i]) : "memory");
  }
  if (ranks > 1) cluster_barrier();
  else asm volatile("bar.sync 1, %0;" ::"n"(128 * W) : "memory");
  int m0 = NT * rank / ranks, m1 = min(NT * (rank + 1) / ranks, work.count - work.first), n0 = work.strip * 16 + lane;
  // A warp takes every 4*W-th row of x; a lane holds the scale of one.
  int mine = m0 + warp + 4 * W * lane;
  float scale = mine < m1 ? a.scale[work.first + mine] : 0, bias[2 * W] = {};
#pragma unroll
  for (int i = 0; i < 2 * W; i++)
    if (job.bias && n0 + 32 * i < job.n) bias[i] = job.bias[n0 + 32 * i];
  for (int k = 0; m0 + warp + 4 * W * k < m1; k += at_once) {
    float v[at_once][2 * W] = {}, more[at_once][2 * W];
#pragma unroll
    for (int u = 0; u < at_once; u++)
#pragma unroll
      for (int i = 0; i < 2 * W; i++) {
        int m = m0 + warp + 4 * W * (k + u), n = n0 + 32 * i;
        more[u][i] = job.add && m < m1 && n < job.n ? job.add[(size_t)(work.first + m) * job.ldadd + n] : 0;
      }
#pragma unroll 1
    for (int r = 0; r < ranks; r++) {
      uint32_t from = shared_of(memory, r) + lane * 4;
#pragma unroll
      for (int u = 0; u < at_once; u++)
#pragma unroll
        for (int i = 0; i < 2 * W; i++) v[u][i] += shared_float(from + (min(m0 + warp + 4 * W * (k + u), NT - 1) * stride + 32 * i) * 4);
    }
#pragma unroll
    for (int u = 0; u < at_once; u++) {
      int m = m0 + warp + 4 * W * (k + u);
      float by = __shfl_sync(~0u, scale, k + u);
#pragma unroll
      for (int i = 0; i < 2 * W; i++)
        if (m < m1 && n0 + 32 * i < job.n)
          job.out[(size_t)(work.first + m) * job.ldo + n0 + 32 * i] = v[u][i] * by + bias[i] + more[u][i];
    }
  }
  if (ranks > 1) cluster_left();
}

template <int T, int NT, int W> static __device__ __forceinline__ void mul_wgmma(const WgmmaArgs& a, uint8_t* memory) {
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, ranks = cluster_size(), rank = cluster_rank();
  int block = blockIdx.y, j = block < a.job[0].blocks ? 0 : block < a.job[1].blocks ? 1 : 2;
  if (j > 0) block -= a.job[j - 1].blocks;
  uint32_t at = shared_address(memory);
  if (threadIdx.x == 0) {
    for (int i = 0; i < 4; i++) barrier_init(at + 8 * i, 1), barrier_init(at + 32 + 8 * i, 128 * W);
    barriers_ready();
  }
  const uint8_t* w = nullptr;
  if (warp >= 4 * W && lane < W) {
    // On its way while the kernel before this one ends.
    w = strip_of<T>(a, a.job[j], (block * 4 + warp - 4 * W) * W + lane);
    int first = a.chunks * rank / ranks;
    if (!HalfPart<T>::floats || 16 * (first + 1) <= a.tiles) bulk_prefetch(w + (size_t)first * HalfPart<T>::bytes, HalfPart<T>::bytes);
  }
  overlap_wait();
  int count = a.count ? min(*a.count, a.rows) : a.rows;
  Work work = {a.job[j], (int)blockIdx.x / ranks * NT, block * 4 * W, a.chunks * rank / ranks, a.chunks * (rank + 1) / ranks, count};
  if (work.first >= count) return;
  __syncthreads();
  if (warp >= 4 * W) {
    registers_at_most<24>();
    bring(a, work, Stages<T, NT, W>(at), w, warp - 4 * W, lane);
    if (ranks > 1) cluster_barrier(), cluster_left();
    return;
  }
  registers_at_least<W == 2 ? 240 : 112>();
  float acc[NT / 2] = {};
  multiply(acc, a, work, Stages<T, NT, W>(at), warp, lane);
  finish<NT, W>(a, work, acc, at, warp, lane);
}
#else
template <int T, int NT, int W> static __device__ __forceinline__ void mul_wgmma(const WgmmaArgs&, uint8_t*) {}
#endif

#define WGMMA(TYPE, NT, W)                                                                         \
  extern "C" __global__ void __launch_bounds__(128 * W + 128, 1)                                   \
      mul_##TYPE##_wgmma_##NT##_##W(const __grid_constant__ WgmmaArgs a) {                         \
    extern __shared__ __align__(1024) uint8_t wgmma_stages[];                                      \
    overlap_start();                                                                               \
    mul_wgmma<TYPE, NT, W>(a, wgmma_stages);                                                       \
  }
#define WGMMAS(TYPE) WGMMA(TYPE, 96, 2) WGMMA(TYPE, 128, 2) WGMMA(TYPE, 128, 4) WGMMA(TYPE, 256, 2)
WGMMAS(1)
WGMMAS(2)
WGMMAS(3)
WGMMAS(6)
WGMMAS(7)
WGMMAS(8)
WGMMAS(12)
WGMMAS(13)
WGMMAS(14)
WGMMAS(30)
WGMMAS(39)
