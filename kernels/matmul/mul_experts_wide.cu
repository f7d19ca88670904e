// Products of many rows with the experts that they chose, on Hopper: mul_wgmma.cu's with the weights of
// one expert at a time. A pass is up to 64 rows of x that chose an expert, and a unit 16 strips of 16 rows
// of W for a pass: 16 warps, of which four together multiply 64 rows of W, and one thread that brings a
// chunk of both at a time into shared memory, unit after unit. Units are dealt out over the
// multiprocessors in turn; of those that share weights, or x, most run at the same time.
// Gated products have 8 strips of the gate and 8 of what it opens in a unit; pairs of warps join them.
// Shapes: any n, k padded to 256, up to 1,024 experts; x in list order in the layout that widen.cu leaves.
#include "experts.cuh"
#include "halves.cuh"
#include "wgmma.cuh"

struct WideExpertArgs {
  MulJob job[2];
  const uint8_t* x;     // [4 * chunks][pairs][64] halves in list order, swizzled by the place in an expert's list
  const float* scale;   // of each
  const int* experts;   // those in use, and at count how many
  const int* starts;    // one more
  const int* list;      // pairs by expert
  float* hidden;        // gated results, in list order
  int count, pairs, chunks, op, ldh, stages;
};

constexpr int pass_rows = 64, unit_warps = 16, joined_values = 8, joined_plane = 32 * unit_warps;

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
// The stages of a chunk, one after the other: 64 rows of x and 16 tiles. Barriers come first.
template <int T> struct ExpertStages {
  static constexpr int rows = pass_rows * 512, weights = unit_warps * Layout<T>::bytes, bytes = (rows + weights + 1023) & ~1023;
  uint32_t at;
  int count, now = 0, turn = 0;
  __device__ __forceinline__ uint32_t full() const { return at + 8 * now; }
  __device__ __forceinline__ uint32_t empty() const { return at + 64 + 8 * now; }
  __device__ __forceinline__ uint32_t x(int quarter) const { return at + 1024 + now * bytes + quarter * pass_rows * 128; }
  __device__ __forceinline__ uint32_t tile(int strip) const { return x(4) + strip * Layout<T>::bytes; }
  __device__ __forceinline__ void next() {
    if (++now == count) now = 0, turn ^= 1;
  }
};

// The lists in shared memory, and how many passes and blocks of strips there are.
struct PassLists {
  const int *experts, *starts, *passes;
  int count, blocks;
};

static __device__ __forceinline__ PassLists load_passes(const WideExpertArgs& a, int* room) {
  int n = a.experts[a.count], most = min(a.count, a.pairs), strips = (a.job[0].n + 15) / 16;
  int *experts = room + 1, *starts = experts + most, *passes = starts + most + 1;
  for (int i = threadIdx.x; i <= most; i += blockDim.x) {
    if (i < most) experts[i] = a.experts[i];
    starts[i] = a.starts[i];
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    int count = list_passes(starts, n, pass_rows, passes);
    if (threadIdx.x == 0) *room = count;
  }
  __syncthreads();
  int each = a.op < 0 ? unit_warps : unit_warps / 2;
  return {experts, starts, passes, *room, (strips + each - 1) / each};
}

// What a block works on: rows of x from a place in the list on, with a block of strips of an expert.
struct WideUnit {
  int expert, place, rows, block;
  __device__ __forceinline__ WideUnit(const PassLists& l, int unit) {
    int pass = unit / l.blocks, at = l.passes[pass], slot = at & ((1 << slot_bits) - 1);
    block = unit - pass * l.blocks, expert = l.experts[slot];
    place = l.starts[slot] + (at >> slot_bits) * pass_rows, rows = min(pass_rows, l.starts[slot + 1] - place);
  }
};

// The strip of a warp, and whose it is.
struct WarpStrip {
  int job, strip;
  __device__ __forceinline__ WarpStrip(const WideExpertArgs& a, const WideUnit& u, int warp) {
    bool gated = a.op >= 0;
    job = gated ? warp >> 3 : 0, strip = gated ? u.block * 8 + (warp & 7) : u.block * 16 + warp;
  }
};

// One thread brings what the others multiply.
template <int T> static __device__ __forceinline__ void bring_units(const WideExpertArgs& a, const PassLists& lists, ExpertStages<T> s) {
  constexpr int bytes = Layout<T>::bytes;
  size_t quarter = (size_t)a.pairs * 128, strip = (size_t)a.chunks * bytes;
  for (int unit = blockIdx.x; unit < lists.count * lists.blocks; unit += gridDim.x) {
    WideUnit u(lists, unit);
    const uint8_t *x = a.x + (size_t)u.place * 128, *w[2];
    int last[2];  // of the strips of each half of the warps, counted from its first
#pragma unroll
    for (int half = 0; half < 2; half++) {
      WarpStrip at(a, u, 8 * half);
      const MulJob& job = a.job[at.job];
      int strips = (job.n + 15) / 16, first = min(at.strip, strips - 1);
      w[half] = job.w + ((size_t)u.expert * strips + first) * strip, last[half] = strips - 1 - first;
    }
    for (int c = 0; c < a.chunks; c++) {
      uint32_t full = s.full();
      barrier_wait(s.empty(), s.turn ^ 1);
      barrier_expect(full, u.rows * 512 + s.weights);
#pragma unroll
      for (int i = 0; i < unit_warps; i++) bulk_copy(s.tile(i), w[i >> 3] + min(i & 7, last[i >> 3]) * strip + (size_t)c * bytes, bytes, full);
#pragma unroll
      for (int p = 0; p < 4; p++) bulk_copy(s.x(p), x + (4 * c + p) * quarter, u.rows * 128, full);
      s.next();
    }
  }
}

// acc += 16 values of W times so many rows, of which the last ones' sums are not touched.
template <int N> static __device__ __forceinline__ void
multiply_quarter(float (&acc)[pass_rows / 2], const uint32_t* w, uint64_t x) {
  wgmma_fence();
#pragma unroll
  for (int j = 0; j < 4; j++) wgmma<N, false>(*(float(*)[N / 2])acc, w + 4 * j, x + 2 * j);
  wgmma_commit();
}

// acc += the strip of the warp times the rows of a pass.
template <int T> static __device__ __forceinline__ void
multiply_pass(float (&acc)[pass_rows / 2], ExpertStages<T>& s, int rows, int chunks, int warp, int lane) {
  // While the tensor cores work on one quarter, the next one becomes halves.
  uint32_t regs[2][16], done = 0;
  Widener<T> wide;
  pin(acc);
#pragma unroll 1
  for (int c = 0; c < chunks; c++) {
    uint32_t tile = s.tile(warp), rest = tile + 4 * HalfPart<T>::quarter;
    barrier_wait(s.full(), s.turn);
    wide.begin(rest, lane >> 2);
#pragma unroll
    for (int p = 0; p < 4; p++) {
      uint32_t* now = regs[p & 1];
      wide.quarter(now, tile + p * HalfPart<T>::quarter, rest, p, lane);
      uint64_t x = swizzled_rows(s.x(p));
      if (rows <= 32) multiply_quarter<32>(acc, now, x);
      else if (rows <= 48) multiply_quarter<48>(acc, now, x);
      else multiply_quarter<64>(acc, now, x);
      wgmma_wait<1>();
      if (p == 0 && c > 0) barrier_arrive(done);
    }
    done = s.empty();
    s.next();
  }
  wgmma_wait<0>();
  pin(acc);
  barrier_arrive(done);
}

// What a lane knows of the rows of x and of W: rows lane and lane + 32, of the strip those of its sums.
struct PassEdges {
  float scale[2], bias[2];
  int pair[2], n;
  __device__ __forceinline__ PassEdges(const WideExpertArgs& a, const WideUnit& u, const MulJob& job, int strip, int lane) {
    n = strip * 16 + (lane >> 2);
#pragma unroll
    for (int i = 0; i < 2; i++) {
      int m = lane + 32 * i;
      scale[i] = m < u.rows ? a.scale[u.place + m] : 0;
      pair[i] = m < u.rows && a.op < 0 ? a.list[u.place + m] : 0;
      bias[i] = job.bias && n + 8 * i < job.n ? job.bias[(size_t)u.expert * job.n + n + 8 * i] : 0;
    }
  }
  // The sum i of an accumulator, as a result.
  __device__ __forceinline__ float value(float sum, int i, int lane) const {
    return sum * __shfl_sync(~0u, scale[i >> 4], i / 4 * 8 % 32 + 2 * (lane & 3) + (i & 1)) + bias[i >> 1 & 1];
  }
};

static __device__ __forceinline__ void
write_pass(const WideUnit& u, const MulJob& job, const PassEdges& e, const float (&acc)[pass_rows / 2], int lane) {
#pragma unroll
  for (int i = 0; i < pass_rows / 2; i += 4)
#pragma unroll
    for (int b = 0; b < 2; b++) {
      int m = i * 2 + 2 * (lane & 3) + b, pair = __shfl_sync(~0u, e.pair[i >> 4], m & 31);
      float v = e.value(acc[i + b], i + b, lane), below = e.value(acc[i + 2 + b], i + 2 + b, lane);
      float* out = job.out + (size_t)pair * job.ldo + e.n;
      if (m < u.rows && e.n < job.n) out[0] = v;
      if (m < u.rows && e.n + 8 < job.n) out[8] = below;
    }
}

// What half of a round's gates let through; from: those of a thread, a plane apart.
template <int op> static __device__ __forceinline__ void open_gates(float (&v)[joined_values / 2], const float* from) {
#pragma unroll
  for (int j = 0; j < joined_values / 2; j++) v[j] = map_value(op, from[j * joined_plane], from[j * joined_plane + joined_plane / 2], 0, 0);
}

// Joins the sums of a gate's warp with those of its partner, each of the two half of them, and writes them.
// room: joined_values of each thread.
static __device__ __forceinline__ void
join_pass(const WideExpertArgs& a, const WideUnit& u, const PassEdges& e, const float (&acc)[pass_rows / 2], float* room, int warp, int lane) {
  int thread = (warp & 7) * 32 + lane, half = warp >> 3;
  auto meet = [&] { asm volatile("bar.sync %0, 64;" ::"r"(1 + (warp & 7)) : "memory"); };
#pragma unroll
  for (int r = 0; r < pass_rows / 2; r += joined_values) {
    if (2 * r >= u.rows) break;
    meet();
#pragma unroll
    for (int j = 0; j < joined_values; j++) room[j * joined_plane + half * joined_plane / 2 + thread] = e.value(acc[r + j], r + j, lane);
    meet();
    float v[joined_values / 2];
    switch (a.op) {
      case map_gate_silu: open_gates<map_gate_silu>(v, room + 4 * half * joined_plane + thread); break;
      case map_gate_gelu: open_gates<map_gate_gelu>(v, room + 4 * half * joined_plane + thread); break;
      case map_gate_sigmoid: open_gates<map_gate_sigmoid>(v, room + 4 * half * joined_plane + thread); break;
      case map_gate_clamp: open_gates<map_gate_clamp>(v, room + 4 * half * joined_plane + thread); break;
      default: open_gates<map_gate_plain>(v, room + 4 * half * joined_plane + thread);
    }
#pragma unroll
    for (int j = 0; j < joined_values / 2; j++) {
      int m = (r / 4 + half) * 8 + 2 * (lane & 3) + (j & 1), n = e.n + 8 * (j >> 1);
      if (m < u.rows && n < a.job[0].n) a.hidden[(size_t)(u.place + m) * a.ldh + n] = v[j];
    }
  }
}

// Shared memory: barriers, stages, room to join gates, lists.
template <int T> static __device__ __forceinline__ void mul_experts_wide(const WideExpertArgs& a, uint8_t* memory) {
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  ExpertStages<T> stages{shared_address(memory), a.stages};
  if (threadIdx.x == 0) {
    for (int i = 0; i < a.stages; i++) barrier_init(stages.at + 8 * i, 1), barrier_init(stages.at + 64 + 8 * i, 32 * unit_warps);
    barriers_ready();
  }
  overlap_wait();
  float* room = (float*)(memory + 1024 + a.stages * ExpertStages<T>::bytes);
  PassLists lists = load_passes(a, (int*)(room + joined_values * joined_plane));
  if (warp >= unit_warps) {
    registers_at_most<32>();
    if (threadIdx.x == 32 * unit_warps) bring_units<T>(a, lists, stages);
    return;
  }
  registers_at_least<112>();
  for (int unit = blockIdx.x; unit < lists.count * lists.blocks; unit += gridDim.x) {
    WideUnit u(lists, unit);
    WarpStrip at(a, u, warp);
    const MulJob& job = a.job[at.job];
    float acc[pass_rows / 2] = {};
    PassEdges edges(a, u, job, at.strip, lane);
    multiply_pass<T>(acc, stages, u.rows, a.chunks, warp, lane);
    if (a.op < 0) write_pass(u, job, edges, acc, lane);
    else join_pass(a, u, edges, acc, room, warp, lane);
  }
}
#else
template <int T> static __device__ __forceinline__ void mul_experts_wide(const WideExpertArgs&, uint8_t*) {}
#endif

#define WIDE_EXPERTS(TYPE)                                                                                     \
  extern "C" __global__ void __launch_bounds__(32 * unit_warps + 128, 1)                                      \
      mul_##TYPE##_experts_wide(const __grid_constant__ WideExpertArgs a) {                                   \
    extern __shared__ __align__(1024) uint8_t expert_stages[];                                                \
    overlap_start();                                                                                          \
    mul_experts_wide<TYPE>(a, expert_stages);                                                                 \
  }
WIDE_EXPERTS(2)
WIDE_EXPERTS(3)
WIDE_EXPERTS(6)
WIDE_EXPERTS(7)
WIDE_EXPERTS(8)
WIDE_EXPERTS(12)
WIDE_EXPERTS(13)
WIDE_EXPERTS(14)
WIDE_EXPERTS(39)
