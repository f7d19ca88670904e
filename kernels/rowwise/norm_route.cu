// What stands before experts: a norm of each row, its product with the router's weights, the choice and
// the lists. A block norms some rows for itself and computes their scores of 16 experts; the last one
// to be done with rows chooses for them, and the last of all makes the lists.
// Shapes: n up to what shared memory holds a row of, up to 512 experts. Bound: the launch and
// a handful of trips to memory one after the other.
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
  int* arrived;         // rows that have their experts, and for each block of rows the scores that are there; 0 between launches
  int n, tiles, at_once, ldi, ldo;  // tiles of 16 values; rows a block
  float eps;
};

constexpr int norm_route_warps = 16, norm_route_rows = 8;

// Rows first to first + rows as floats in shared memory, stride apart. A warp takes 256 values at a
// time; parts are the sums of their squares. Each block writes a share of what others read.
static __device__ __forceinline__ void norm_into(const NormRouteArgs& a, int first, int rows, float* to, int stride, float* parts) {
  int lane = threadIdx.x & 31, chunks = stride / 256;
  for (int u = threadIdx.x >> 5; u < rows * chunks; u += norm_route_warps) {
    int r = u / chunks, k = u % chunks * 256 + lane * 8;
    float v[8], sum = 0;
    load8(v, a.in + (size_t)(first + r) * a.ldi, k, a.n);
#pragma unroll
    for (int i = 0; i < 8; i++) sum += v[i] * v[i];
    store8(to + r * stride, k, stride, v);
    sum = warp_sum(sum);
    if (lane == 0) parts[u] = sum;
  }
  __syncthreads();
  for (int u = threadIdx.x >> 5; u < rows * chunks; u += norm_route_warps) {
    int r = u / chunks, chunk = u % chunks, k = chunk * 256 + lane * 8;
    float v[8], weight[8], sum = 0;
    for (int i = 0; i < chunks; i++) sum += parts[r * chunks + i];
    float scale = __fdiv_rn(1.f, sqrtf(sum / a.n + a.eps));
    load8(v, to + r * stride, k, stride);
    if (a.weight) load8(weight, a.weight, k, a.n);
#pragma unroll
    for (int i = 0; i < 8; i++) v[i] *= a.weight ? scale * weight[i] : scale;
    store8(to + r * stride, k, stride, v);
    if ((first * chunks + u) % gridDim.x != blockIdx.x) continue;
    if (a.out) store8(a.out + (size_t)(first + r) * a.ldo, k, a.n, v);
    emit(a.rounded, first + r, chunk, v);
  }
  __syncthreads();
}

// The scores of the warp's expert for those rows.
static __device__ __forceinline__ void score(const NormRouteArgs& a, int first, int rows, const float* x, int stride) {
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, expert = blockIdx.x * 16 + warp;
  const float* w = a.w + (size_t)blockIdx.x * a.tiles * 256 + (warp >> 3) * 128 + (warp & 7) * 16 + (lane & 3) * 4;
  float sum[norm_route_rows] = {};
#pragma unroll 8
  for (int c = lane >> 2; c < a.tiles; c += 8) {
    float4 u = *(const float4*)(w + c * 256);
#pragma unroll
    for (int r = 0; r < norm_route_rows; r++)
      if (r < rows) {
        float4 v = *(const float4*)(x + r * stride + c * 16 + (lane & 3) * 4);
        sum[r] = fmaf(u.x, v.x, fmaf(u.y, v.y, fmaf(u.z, v.z, fmaf(u.w, v.w, sum[r]))));
      }
  }
  if (expert >= a.route.experts) return;
#pragma unroll
  for (int r = 0; r < norm_route_rows; r++) {
    if (r >= rows) break;
    float v = warp_sum(sum[r]) + (a.bias ? a.bias[expert] : 0.f);
    if (lane == 0) a.scores[(size_t)(first + r) * a.route.lds + expert] = v;
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

template <int E> static __device__ __forceinline__ void norm_route(const NormRouteArgs& a, float* room) {
  overlap_start();
  const uint8_t* strip = (const uint8_t*)(a.w + (size_t)blockIdx.x * a.tiles * 256);
  for (int i = threadIdx.x * 128; i < a.tiles * 1024; i += blockDim.x * 128) prefetch(strip + i);
  overlap_wait();
  int stride = (a.n + 255) / 256 * 256, first = blockIdx.y * a.at_once, rows = min(a.at_once, a.route.rows - first);
  norm_into(a, first, rows, room, stride, room + a.at_once * stride);
  score(a, first, rows, room, stride);
  if (!last_of(a.arrived + 1 + blockIdx.y, gridDim.x)) return;
  for (int row = threadIdx.x >> 5; row < rows; row += norm_route_warps) choose<E>(a.route, first + row);
  if (last_of(a.arrived, gridDim.y)) sort_by_expert(a.lists);
}

#define NORM_ROUTE(E)                                                                                                            \
  extern "C" __global__ void __launch_bounds__(32 * norm_route_warps) norm_route_##E(const __grid_constant__ NormRouteArgs a) { \
    extern __shared__ __align__(16) float norm_room[];                                                                           \
    norm_route<E>(a, norm_room);                                                                                                 \
  }
NORM_ROUTE(4)
NORM_ROUTE(16)
