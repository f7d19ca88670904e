// What works on rows value by value, and norms. A warp takes 256 neighbouring values,
// eight a lane, and can leave the result rounded for the products that follow
// (Rounded). Bound: memory, or for few rows the launch: 3.7 us for a norm of 4,096
// values where an empty kernel takes 2 (H200, 2026-11-29).
#include "map.cuh"
#include "tile.cuh"

struct MapArgs {
  float* out;      // may be null where only the rounded form is wanted
  const float* a;
  const float* b;
  const int* pos;  // of each row, for map_sharpen
  Rounded rounded;
  int rows, n, ldo, lda, ldb;
  float by, every;
  int pad;
};

// A kernel an operation: with all of them in one, a warp would jump to code that it has not at
// hand for each of its values.
template <int op> static __device__ __forceinline__ void map_rows(const MapArgs& a) {
  constexpr bool two = op == map_add || (op >= map_gate_silu && op <= map_gate_plain) || op == map_weigh;
  overlap_start();
  int lane = threadIdx.x & 31, warps = blockDim.x >> 5, chunks = (a.n + 255) / 256, work = a.rows * chunks;
  int w = blockIdx.x * warps + (threadIdx.x >> 5), row = w / chunks, chunk = w % chunks;
  overlap_wait();
  while (w < work) {
    int k = chunk * 256 + lane * 8;
    float x[8] = {}, y[8] = {}, v[8];
    float factor = 0;
    if (op == map_weigh) factor = a.a[(size_t)row * a.lda];
    else load8(x, a.a + (size_t)row * a.lda, k, a.n);
    if (two) load8(y, a.b + (size_t)row * a.ldb, k, a.n);
    if (op == map_sharpen) factor = 1.f + a.by * logf(1.f + floorf((float)a.pos[row] / a.every));
    for (int i = 0; i < 8; i++) v[i] = map_value(op, x[i], y[i], a.by, factor);
    for (int i = 0; i < 8; i++)
      if (k + i >= a.n) v[i] = 0;
    if (a.out) store8(a.out + (size_t)row * a.ldo, k, a.n, v);
    emit(a.rounded, row, chunk, v);
    w += gridDim.x * warps;
    row = w / chunks, chunk = w % chunks;
  }
}

#define MAP(OP) \
  extern "C" __global__ void __launch_bounds__(256) map_rows_##OP(const __grid_constant__ MapArgs a) { map_rows<OP>(a); }
MAP(0)
MAP(1)
MAP(2)
MAP(3)
MAP(4)
MAP(5)
MAP(6)
MAP(7)
MAP(8)
MAP(9)
MAP(10)
MAP(11)
MAP(12)
MAP(13)
MAP(14)

// out = in / rms(in) (* weight) (+ bias), or the layer norm; a block takes a row.
struct NormArgs {
  float* out;
  const float* in;
  const float* weight;
  const float* bias;
  Rounded rounded;
  int n, ldo, ldi, center;
  float eps;
  int pad;
};

// The sum over a block of up to 16 warps, the same on every thread. Room holds 0 for the
// warps that it has not, and is not used again.
static __device__ __forceinline__ float row_sum(float v, float* room) {
  v = warp_sum(v);
  if ((threadIdx.x & 31) == 0) room[threadIdx.x >> 5] = v;
  __syncthreads();
  float4 four[4];
#pragma unroll
  for (int i = 0; i < 4; i++) four[i] = ((const float4*)room)[i];
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 4; i++) sum += (four[i].x + four[i].y) + (four[i].z + four[i].w);
  return sum;
}

extern "C" __global__ void __launch_bounds__(512) norm_rows(const __grid_constant__ NormArgs a) {
  __shared__ __align__(16) float room[2][16];
  overlap_start();
  // A thread keeps its first eight values; rows of more than a block of them are read again.
  int k = threadIdx.x * 8, stride = blockDim.x * 8;
  const float* in = a.in + (size_t)blockIdx.x * a.ldi;
  float v[8], weight[8], bias[8];
  if (a.weight) load8(weight, a.weight, k, a.n);
  if (a.bias) load8(bias, a.bias, k, a.n);
  if (threadIdx.x < 32) room[threadIdx.x >> 4][threadIdx.x & 15] = 0;
  __syncthreads();
  overlap_wait();
  load8(v, in, k, a.n);
  float mean = 0, squares = 0;
  if (a.center) {
    float sum = 0;
    for (int i = 0; i < 8; i++) sum += v[i];
#pragma unroll 1
    for (int more = k + stride; more < a.n; more += stride) {
      float x[8];
      load8(x, in, more, a.n);
      for (int i = 0; i < 8; i++) sum += x[i];
    }
    mean = row_sum(sum, room[0]) / a.n;
  }
  for (int i = 0; i < 8; i++)
    if (k + i < a.n) squares += (v[i] - mean) * (v[i] - mean);
#pragma unroll 1
  for (int more = k + stride; more < a.n; more += stride) {
    float x[8];
    load8(x, in, more, a.n);
    for (int i = 0; i < 8; i++)
      if (more + i < a.n) squares += (x[i] - mean) * (x[i] - mean);
  }
  float scale = __fdiv_rn(1.f, sqrtf(row_sum(squares, room[1]) / a.n + a.eps));
  for (; (k & ~255) < a.n; k += stride) {  // whole warps
    if (k >= stride) {
      load8(v, in, k, a.n);
      if (a.weight) load8(weight, a.weight, k, a.n);
      if (a.bias) load8(bias, a.bias, k, a.n);
    }
    for (int i = 0; i < 8; i++) {
      v[i] = k + i < a.n ? (v[i] - mean) * scale : 0.f;
      if (a.weight) v[i] *= weight[i];
      if (a.bias) v[i] += bias[i];
    }
    if (a.out) store8(a.out + (size_t)blockIdx.x * a.ldo, k, a.n, v);
    emit(a.rounded, blockIdx.x, k >> 8, v);
  }
}

// out[i] = in[rows[i]]
struct SelectArgs {
  float* out;
  const float* in;
  const int* rows;
  int count, n, ldo, ldi;
};

extern "C" __global__ void select_rows(const __grid_constant__ SelectArgs a) {
  overlap_start();
  overlap_wait();
  for (int i = blockIdx.y; i < a.count; i += gridDim.y) {
    const float* in = a.in + (size_t)a.rows[i] * a.ldi;
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < a.n; k += gridDim.x * blockDim.x)
      a.out[(size_t)i * a.ldo + k] = in[k];
  }
}
