// The product of mul_quant.cu for many rows of x, with the same bits: a block takes 128
// rows of W, 16 a warp, and 64 rows of x, which it brings into shared memory 256 values
// at a time, two quant_stages deep.
// Shapes: as there, no experts.
// Bound: tensor cores and the scaling of each sub-block's sums beside them. 512 rows of
// x (H200, 2026-11-29): Q4_K 232 to 278 TFLOP/s, Q6_K 161 to 181, Q8_0 130 to 143, of
// 1,979 in the data sheet.
#include "quant.cuh"

// Rows of x in shared memory. Rows are 320 bytes apart, so that the eight lanes that
// read 16 bytes at once meet all banks.
constexpr int wide_rows = 64, wide_stride = 320;

template <int T> struct SharedRows {
  static constexpr int size = Layout<T>::k ? record_q8k : record_q8;
  const uint8_t* q;
  const uint8_t* record;
  int lane;
  __device__ __forceinline__ uint4 pair(int i, int p) const {
    return *(const uint4*)(q + (8 * i + (lane >> 2)) * wide_stride + p * 64 + (lane & 3) * 16);
  }
  __device__ __forceinline__ uint32_t sums(int i) const {
    return *(const uint32_t*)(record + (8 * i + (lane >> 2)) * size + (lane & 3) * 4);
  }
  __device__ __forceinline__ const uint8_t* scales(int i, int c) const { return record + (8 * i + 2 * (lane & 3) + c) * size; }
  __device__ __forceinline__ float scale(int i, int c) const { return *(const float*)(scales(i, c) + 16); }
};

constexpr int wide_stage = wide_rows * (wide_stride + record_q8);

template <int T> static __device__ __forceinline__ void
mul_wide_tiles(const MulArgs& a, const MulJob& job, int block, uint8_t* memory) {
  constexpr int bytes = Layout<T>::bytes, NT = wide_rows / 8, size = SharedRows<T>::size;
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  int tile = block * 8 + warp, tiles = (job.n + 15) / 16, first = blockIdx.y * wide_rows;
  const uint8_t* w = job.w + (size_t)min(tile, tiles - 1) * a.chunks * bytes;
  Tile<T> now;
  now.load(w, lane);
  overlap_wait();
  int count = a.count ? min(*a.count, a.rows) : a.rows;
  if (first >= count) return;
  auto fetch = [&](int s) {
    uint8_t* to = memory + (s & 1) * wide_stage;
    for (int i = threadIdx.x; i < wide_rows * 16; i += 256) {
      size_t row = (size_t)min(first + (i >> 4), count - 1) * a.chunks + s;
      copy16(shared_address(to + (i >> 4) * wide_stride + (i & 15) * 16), (const uint8_t*)a.x + row * 256 + (i & 15) * 16, true);
    }
    constexpr int parts = size / 16;
    for (int i = threadIdx.x; i < wide_rows * parts; i += 256) {
      size_t row = (size_t)min(first + i / parts, count - 1) * a.chunks + s;
      copy16(shared_address(to + wide_rows * wide_stride + i * 16), a.record + row * size + i % parts * 16, true);
    }
    commit();
  };
  float acc[NT][4] = {};
  float4* sum = (float4*)(memory + 2 * wide_stage) + threadIdx.x;  // 256 apart
  fetch(0);
  int eighth = 0;
  // Empty eighths add nothing, here as there.
  auto turn = [&](int s) {
    while (eighth < 8 && (s == a.chunks || s == a.chunks * (eighth + 1) / 8)) {
#pragma unroll
      for (int i = 0; i < NT; i++) {
        float4 v = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]), u = sum[i * 256];
        sum[i * 256] = eighth == 0 ? v : make_float4(u.x + v.x, u.y + v.y, u.z + v.z, u.w + v.w);
#pragma unroll
        for (int j = 0; j < 4; j++) acc[i][j] = 0;
      }
      eighth++;
    }
  };
  for (int s = 0; s < a.chunks; s++) {
    turn(s);
    if (s + 1 < a.chunks) fetch(s + 1);
    else commit();
    wait_for<1>();
    __syncthreads();
    const uint8_t* stage = memory + (s & 1) * wide_stage;
    // Half of the rows at a time: the sums of both do not fit in the registers.
    SharedRows<T> x = {stage, stage + wide_rows * wide_stride, lane};
    mul_tile<T, NT / 2>(acc, now, x, nullptr, false, lane);
    x.q += wide_rows / 2 * wide_stride;
    x.record += wide_rows / 2 * size;
    mul_tile<T, NT / 2>(acc + NT / 2, now, x, w + (size_t)(s + 1) * bytes, s + 1 < a.chunks, lane);
    __syncthreads();
  }
  turn(a.chunks);
#pragma unroll
  for (int i = 0; i < NT; i++) {
    float4 u = sum[i * 256];
    acc[i][0] = u.x, acc[i][1] = u.y, acc[i][2] = u.z, acc[i][3] = u.w;
  }
  finish_wide<NT>(job, tile, first, count, acc, (float*)memory);
}

#define WIDE(TYPE)                                                                                           \
  extern "C" __global__ void __launch_bounds__(256, 1) mul_##TYPE##_wide(const __grid_constant__ MulArgs a) { \
    extern __shared__ __align__(16) uint8_t quant_stages[];                                                  \
    overlap_start();                                                                                         \
    int block;                                                                                               \
    const MulJob& job = job_of(a, block);                                                                    \
    mul_wide_tiles<TYPE>(a, job, block, quant_stages);                                                       \
  }
WIDE(2)
WIDE(3)
WIDE(6)
WIDE(7)
WIDE(8)
WIDE(12)
WIDE(13)
WIDE(14)
WIDE(39)
