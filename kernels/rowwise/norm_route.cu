// What stands before experts: a norm of each row, its product with the router's weights, the choice and
// the lists. A block has the scores of 4 experts for some rows, with its share of the weights in
// registers before the kernel in front ends; the last one of those rows waits for the others' scores,
// and chooses; the last of all makes the lists.
// Shapes: n up to 2048 C, up to 32 E experts. Bound: trips to memory one after the other, which are x,
// a score's way to the block that chooses, and the launch.
#include "choose.cuh"

struct NormRouteArgs {
  RouteArgs route;
  ListArgs lists;
  float* scores;
  const float* in;
  const float* weight;  // of the norm, or null
  const float* w;       // the router's, in tiles of 16 x 16
  const float* bias;    // the router's, or null
  float* out;           // the norm's result, or null
  Rounded rounded;
  int* arrived;         // rows that have their experts, then posted scores [rows][experts]; 0 between launches
  int n, tiles, at_once, ldi, ldo;  // tiles of 16 values; rows a block, at most one a warp
  float eps;
};

constexpr int norm_route_warps = 16, norm_route_threads = 32 * norm_route_warps;

static __device__ __forceinline__ float dot(float4 a, float4 b, float sum) {
  return fmaf(a.x, b.x, fmaf(a.y, b.y, fmaf(a.z, b.z, fmaf(a.w, b.w, sum))));
}

// A thread has the values 4 * (threadIdx.x + threads * c) on, four each.
static __device__ __forceinline__ int value_of(int c) { return 4 * (threadIdx.x + norm_route_threads * c); }

// A thread's share of the weights of four experts, and of the norm's.
template <int C> struct RouterShare {
  float4 w[4][C], norm[C];

  __device__ __forceinline__ void load(const NormRouteArgs& a) {
    const float* strip = a.w + (size_t)(blockIdx.x >> 2) * a.tiles * 256 + (blockIdx.x & 3) * 64;
#pragma unroll
    for (int c = 0; c < C; c++) {
      int k = value_of(c);
      norm[c] = a.weight ? load4(a.weight, k, a.n) : make_float4(1, 1, 1, 1);
#pragma unroll
      for (int e = 0; e < 4; e++) {
        uint4 v = {};
        if (k < a.tiles * 16) v = load_weights(strip + (k >> 4) * 256 + e * 16 + (k & 15));
        w[e][c] = make_float4(__uint_as_float(v.x), __uint_as_float(v.y), __uint_as_float(v.z), __uint_as_float(v.w));
      }
    }
  }
  __device__ __forceinline__ void join() {
#pragma unroll
    for (int c = 0; c < C; c++)
#pragma unroll
      for (int e = 0; e < 4; e++)
        w[e][c] = make_float4(w[e][c].x * norm[c].x, w[e][c].y * norm[c].y, w[e][c].z * norm[c].z, w[e][c].w * norm[c].w);
  }
};

// What the warps of a block have of a row: its products with four experts, and its squares.
typedef float RowParts[5][norm_route_warps];

// Leaves the warp's part: lanes share the four sums, eight lanes to each.
template <int C> static __device__ __forceinline__ void multiply(const float4 (&x)[C], const RouterShare<C>& share, RowParts& parts) {
  float sum[4] = {}, squares = 0;
#pragma unroll
  for (int c = 0; c < C; c++) {
#pragma unroll
    for (int e = 0; e < 4; e++) sum[e] = dot(x[c], share.w[e][c], sum[e]);
    squares = dot(x[c], x[c], squares);
  }
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  bool upper = lane & 16, odd = lane & 8;
  float a = (upper ? sum[2] : sum[0]) + __shfl_xor_sync(~0u, upper ? sum[0] : sum[2], 16);
  float b = (upper ? sum[3] : sum[1]) + __shfl_xor_sync(~0u, upper ? sum[1] : sum[3], 16);
  float v = (odd ? b : a) + __shfl_xor_sync(~0u, odd ? a : b, 8);
#pragma unroll
  for (int o = 4; o > 0; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
  squares = warp_sum(squares);
  if ((lane & 7) == 0) parts[lane >> 3][warp] = v;
  if (lane == 0) parts[4][warp] = squares;
}

static __device__ __forceinline__ float sum16(const float* p) {
  float sum[4];
#pragma unroll
  for (int i = 0; i < 4; i++) {
    float4 v = *(const float4*)(p + 4 * i);
    sum[i] = (v.x + v.y) + (v.z + v.w);
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// Scores go to the block that chooses as what is 0 until it is there: their bits turned over, of which
// only one that is no number could be 0.
static __device__ __forceinline__ void post(int* to, float score) { *(volatile uint32_t*)to = max(~__float_as_uint(score), 1u); }

// A warp waits for the scores of a row, and leaves 0 for the next launch. Blocks begin in order, so that
// those with lower numbers, which wait for nobody, are on their way.
template <int E> static __device__ __forceinline__ void collect(int* posted, int experts, float* scores) {
  volatile uint32_t* from = (volatile uint32_t*)posted + (threadIdx.x & 31);
  int left = experts - (threadIdx.x & 31);
  uint32_t word[E];
  bool there;
  do {
    there = true;
#pragma unroll
    for (int i = 0; i < E; i++) word[i] = 32 * i < left ? from[32 * i] : 1;
#pragma unroll
    for (int i = 0; i < E; i++) there &= word[i] != 0;
  } while (!__all_sync(~0u, there));
#pragma unroll
  for (int i = 0; i < E; i++)
    if (32 * i < left) {
      scores[(threadIdx.x & 31) + 32 * i] = __uint_as_float(~word[i]);
      from[32 * i] = 0;
    }
  __syncwarp();
}

// The block's share of what others read: some chunks of 256 values of its rows, a warp each, first those
// warps that do not choose.
static __device__ __forceinline__ void emit_norms(const NormRouteArgs& a, int first, int rows, const float* scales) {
  int lane = threadIdx.x & 31, chunks = (a.n + 255) / 256, blocks = gridDim.x, begin = first * chunks;
  int mine = begin + (blockIdx.x + blocks - begin % blocks) % blocks + (norm_route_warps - 1 - (threadIdx.x >> 5)) * blocks;
  for (; mine < begin + rows * chunks; mine += norm_route_warps * blocks) {
    int row = mine / chunks, chunk = mine % chunks, k = chunk * 256 + lane * 8;
    float v[8], weight[8], scale = scales[row - first];
    load8(v, a.in + (size_t)row * a.ldi, k, a.n);
    if (a.weight) load8(weight, a.weight, k, a.n);
#pragma unroll
    for (int i = 0; i < 8; i++) v[i] *= a.weight ? scale * weight[i] : scale;
    if (a.out) store8(a.out + (size_t)row * a.ldo, k, a.n, v);
    emit(a.rounded, row, chunk, v);
  }
}

// Whether the block is the last of n to come here; what the others wrote before it then can be seen.
static __device__ __forceinline__ bool last_of(int* arrived, int n) {
  __shared__ bool last;
  __syncthreads();
  if (n == 1) return true;
  if (threadIdx.x == 0) {
    last = arrive(arrived) == n - 1;
    if (last) *arrived = 0;
  }
  __syncthreads();
  if (last) __threadfence();
  return last;
}

template <int E, int C> static __device__ __forceinline__ void norm_route(const NormRouteArgs& a) {
  constexpr int R = C == 4 ? 1 : 2;  // rows at a time
  __shared__ __align__(16) RowParts parts[2][R];
  __shared__ float scores[norm_route_warps][32 * E], wanted[32 * E], scales[norm_route_warps];
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, experts = a.route.experts;
  int first = blockIdx.y * a.at_once, rows = min(a.at_once, a.route.rows - first);
  bool chooses = blockIdx.x == gridDim.x - 1;
  overlap_start();
  RouterShare<C> share;
  share.load(a);
  int expert = blockIdx.x * 4 + (lane & 3);
  float bias = a.bias && expert < experts ? a.bias[expert] : 0.f;
  if (chooses && a.route.bias && threadIdx.x < experts) wanted[threadIdx.x] = a.route.bias[threadIdx.x];
  constexpr bool wide = C > 2;  // then there are no registers for the norm's weights beside x
  if (wide) share.join();
  overlap_wait();
  float4 x[R][C];
  auto ask = [&](int r, int row) {
    if (row >= rows) return;
#pragma unroll
    for (int c = 0; c < C; c++) x[r][c] = load4(a.in + (size_t)(first + row) * a.ldi, value_of(c), a.n);
  };
#pragma unroll
  for (int r = 0; r < R; r++) ask(r, r);
  if (!wide) share.join();
  for (int row = 0, turn = 0; row < rows; row += R, turn ^= 1) {
#pragma unroll
    for (int r = 0; r < R; r++) {
      if (row + r >= rows) break;
      multiply<C>(x[r], share, parts[turn][r]);
      ask(r, row + R + r);
    }
    __syncthreads();
    int r = lane >> 2;
    if (warp == 0 && r < min(R, rows - row) && expert < experts) {
      const RowParts& of = parts[turn][r];
      float scale = __fdiv_rn(1.f, sqrtf(sum16(of[4]) / a.n + a.eps)), score = fmaf(sum16(of[lane & 3]), scale, bias);
      size_t at = first + row + r;
      post(a.arrived + 1 + at * experts + expert, score);
      a.scores[at * a.route.lds + expert] = score;
      if ((lane & 3) == 0) scales[row + r] = scale;
    }
  }
  __syncthreads();
  emit_norms(a, first, rows, scales);
  if (!chooses) return;
  int live = live_rows(a.lists);
  // One more warp goes the same way with nothing, so that instructions are there before the scores.
  if (warp <= rows) {
    if (warp < rows) collect<E>(a.arrived + 1 + (size_t)(first + warp) * experts, experts, scores[warp]);
    Chosen c = choose<E>(a.route, scores[warp], a.route.bias ? wanted : nullptr);
    if (warp < rows) store_choice(a.route, first + warp, c);
    if (warp < rows && a.route.rows == 1) list_row(a.lists, live, c);
  }
  if (a.route.rows > 1 && last_of(a.arrived, gridDim.y)) sort_by_expert(a.lists, live);
}

#define NORM_ROUTE(E, C)                                                                                   \
  extern "C" __global__ void __launch_bounds__(norm_route_threads, C == 1 ? 2 : 1) norm_route_##E##_##C( \
      const __grid_constant__ NormRouteArgs a) {                                                           \
    norm_route<E, C>(a);                                                                                   \
  }
NORM_ROUTE(4, 1)
NORM_ROUTE(4, 2)
NORM_ROUTE(4, 4)
NORM_ROUTE(16, 1)
NORM_ROUTE(16, 2)
NORM_ROUTE(16, 4)
