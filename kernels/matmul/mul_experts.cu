// Products with the experts that rows chose: out[pair] = W[expert of pair] * x[pair / divide] (+ bias),
// where a pair is a row and one of its experts; or op(gate) * up of two such; for up to 64 rows also
// the sum of a row's experts by their weights (+ add).
// Shapes: any n, k padded to 256, up to 1,024 experts of which a row chose used; up to three matrices
// with the same x in one launch. How: experts.cuh. A row's bits depend neither on the rows
// beside it nor on which of the two kernels adds it up.
// Bound: reading the experts that were chosen, and at one row the way to them through the lists. 128 experts,
// 2 x 768 x 2048 of Q4_K, 8 a row (H200, 2026-11-30): 16 rows 3.0, 64 rows 2.8 of 4.53 TB/s, 512 rows, then bound
// by arithmetic, 106 TFLOP/s; the sum of 2048 x 768 2.5 and 2.3 TB/s.
#include "experts.cuh"

template <int T> constexpr int expert_slots = Layout<T>::bytes <= 2560 ? 4 : Layout<T>::bytes <= 3360 ? 3 : 2;

// Writes the products of a unit; warps that share it leave their parts to each other, in turn
// in one half of the room and in the other.
template <int NT> struct ExpertOut {
  static constexpr int stride = 17, plane = 8 * NT * stride;
  const ExpertArgs& a;
  const ExpertLists& lists;
  float* parts;  // [2][warps of the block][8*NT][stride]
  Share share;
  int turn = 0;

  __device__ __forceinline__ float biased(const MulJob& job, int expert, int n, float v) const {
    return job.bias ? v + job.bias[(size_t)expert * job.n + n] : v;
  }
  __device__ __forceinline__ float sum(const float* from, int first) const {
    float v = from[first * plane];
    for (int p = 1; p < a.split; p++) v += from[(first + p) * plane];
    return v;
  }

  template <class Work> __device__ __forceinline__ void operator()(const Unit& u, const Rows& rows, const Work& work) {
    int lane = threadIdx.x & 31, first = u.first, expert = lists.experts[u.slot];
    const MulJob& job = a.mul.job[u.job];
    if (share.each == 1) {
      work.each([&](int r, int m, float v) {
        int n = u.strip * 16 + r;
        if (n < job.n && first + m < rows.count) job.out[(size_t)rows.out(first + m) * job.ldo + n] = biased(job, expert, n, v);
      });
      return;
    }
    float* all = parts + (turn * (blockDim.x >> 5) + share.group * share.each) * plane;
    turn ^= 1;
    work.each([&](int r, int m, float v) { all[share.part * plane + m * stride + r] = v; });
    asm volatile("bar.sync %0, %1;" ::"r"(1 + share.group), "r"(32 * share.each) : "memory");
    if (a.op >= 0) {
      // One warp, in turn, while the others go on.
      if (share.part == (u.strip & (share.each - 1))) gate(u, rows, all);
      return;
    }
    for (int i = share.part * 32 + lane; i < 16 * 8 * NT; i += 32 * share.each) {
      int n = u.strip * 16 + (i & 15), m = i >> 4;
      if (n < job.n && first + m < rows.count)
        job.out[(size_t)rows.out(first + m) * job.ldo + n] = biased(job, expert, n, sum(all + m * stride + (i & 15), 0));
    }
  }

  // Joins gate and up.
  __device__ __forceinline__ void gate(const Unit& u, const Rows& rows, const float* all) const {
    int first = u.first, expert = lists.experts[u.slot];
    for (int i = threadIdx.x & 31; i < 16 * 8 * NT; i += 32) {
      int n = u.strip * 16 + (i & 15), m = i >> 4;
      if (n >= a.mul.job[0].n || first + m >= rows.count) continue;
      const float* from = all + m * stride + (i & 15);
      float x = biased(a.mul.job[0], expert, n, sum(from, 0)), y = biased(a.mul.job[1], expert, n, sum(from, a.split));
      a.hidden[(size_t)rows.out(first + m) * a.ldh + n] = map_value(a.op, x, y, 0, 0);
    }
  }
};

// Warps go over the units. Shared memory: rings, x, parts, lists.
template <int T, int NT> static __device__ __forceinline__ void mul_experts(const ExpertArgs& a, uint8_t* room) {
  constexpr int ring = expert_slots<T> * Layout<T>::bytes;
  // What comes next may rely on what was there when this began to wait no more.
  overlap_wait();
  overlap_start();
  Share share(a);
  int warp = threadIdx.x >> 5, warps = blockDim.x >> 5, groups = warps / share.each;
  uint8_t* x = room + warps * ring;
  float* parts = (float*)(x + a.staged * a.mul.chunks * (256 + record_bytes<T>));
  ExpertLists lists = load_lists<NT>(a, (int*)(parts + (share.each > 1 ? 2 * warps * ExpertOut<NT>::plane : 0)));
  auto ready = [&] {
    if (NT > 1 || a.staged == 0) return outside(a);
    RoundedRows rows = stage_rows<T>(a, x);
    __syncthreads();
    return rows;
  };
  int first = NT > 1 ? blockIdx.x * groups + share.group : share.group * gridDim.x + blockIdx.x;
  each_expert<T, NT, expert_slots<T>>(a, lists, first, gridDim.x * groups, room + warp * ring, ready, ExpertOut<NT>{a, lists, parts, share});
}

template <int T> constexpr int sum_slots = Layout<T>::bytes <= 2560 ? 3 : 2;
constexpr int sum_stride = 17;

// A block takes a strip of all experts, and keeps the parts of all pairs: [split][pairs][stride].
template <int T> static __device__ __forceinline__ void sum_experts(const ExpertArgs& a, uint8_t* room) {
  constexpr int ring = sum_slots<T> * Layout<T>::bytes;
  overlap_start();
  if (!a.early) overlap_wait();
  int warps = blockDim.x >> 5, warp = threadIdx.x >> 5, groups = warps / a.split, pairs = a.mul.rows * a.used;
  int live = a.mul.count ? min(*a.mul.count, a.mul.rows) : a.mul.rows, plane = pairs * sum_stride;
  uint8_t* x = room + warps * ring;
  float *parts = (float*)(x + a.staged * a.mul.chunks * (256 + record_bytes<T>)), *weights = parts + a.split * plane;
  int* ids = (int*)(weights + pairs);
  ExpertLists lists = load_lists<1>(a, ids + pairs);
  auto ready = [&] {
    for (int i = threadIdx.x; i < pairs; i += blockDim.x) {
      ids[i] = fresh(a.ids + (size_t)(i / a.used) * a.ldi + i % a.used);
      weights[i] = fresh(a.weights + (size_t)(i / a.used) * a.ldw + i % a.used);
    }
    if (a.early) overlap_wait();
    RoundedRows rows = a.staged == 0 ? outside(a) : a.hidden ? round_rows<T>(a, x) : stage_rows<T>(a, x);
    __syncthreads();
    return rows;
  };
  float* mine = parts + (warp & (a.split - 1)) * plane;
  each_expert<T, 1, sum_slots<T>>(a, lists, warp / a.split * lists.strips + blockIdx.x, groups * lists.strips, room + warp * ring, ready,
                                  [&](const Unit& u, const Rows& rows, const auto& work) {
    work.each([&](int r, int m, float v) {
      if (u.first + m < rows.count) mine[rows.out(u.first + m) * sum_stride + r] = v;
    });
  });
  __syncthreads();
  const MulJob& job = a.mul.job[0];
  for (int i = threadIdx.x; i < live * 16; i += blockDim.x) {
    int row = i >> 4, n = blockIdx.x * 16 + (i & 15);
    if (n >= job.n) continue;
    const float* from = parts + row * a.used * sum_stride + (i & 15);
    float sum = 0;
    for (int j = 0; j < a.used; j++, from += sum_stride) {
      float v = from[0], w = weights[row * a.used + j];
      for (int p = 1; p < a.split; p++) v += from[p * plane];
      int expert = ids[row * a.used + j];
      if (job.bias) v += job.bias[(size_t)expert * job.n + n];
      if (a.scales) w *= a.scales[expert];
      sum += w * v;
    }
    if (job.add) sum += job.add[(size_t)row * job.ldadd + n];
    job.out[(size_t)row * job.ldo + n] = sum;
  }
}

#define EXPERTS(TYPE, NT)                                                                                             \
  extern "C" __global__ void __launch_bounds__(512, 1) mul_##TYPE##_experts_##NT(const __grid_constant__ ExpertArgs a) { \
    extern __shared__ __align__(16) uint8_t expert_room[];                                                            \
    mul_experts<TYPE, NT>(a, expert_room);                                                                            \
  }
#define EXPERT_SUM(TYPE)                                                                                                 \
  extern "C" __global__ void __launch_bounds__(512, 1) mul_##TYPE##_experts_sum(const __grid_constant__ ExpertArgs a) { \
    extern __shared__ __align__(16) uint8_t sum_room[];                                                               \
    sum_experts<TYPE>(a, sum_room);                                                                                   \
  }
#define ALL_EXPERTS(TYPE) EXPERTS(TYPE, 1) EXPERTS(TYPE, 4) EXPERT_SUM(TYPE)
ALL_EXPERTS(2)
ALL_EXPERTS(3)
ALL_EXPERTS(6)
ALL_EXPERTS(7)
ALL_EXPERTS(8)
ALL_EXPERTS(12)
ALL_EXPERTS(13)
ALL_EXPERTS(14)
ALL_EXPERTS(39)
