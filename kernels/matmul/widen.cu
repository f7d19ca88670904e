// The input of mul_wgmma.cu: rows of x, floats or rounded to bytes, become halves or
// bfloat16, each row times a power of two that brings its largest value near the end of
// their range, so that none overflows and few are too small. A block takes a row.
// Shapes: out [4 * chunks][padded][64], of which 16 bytes, eight values, are a piece; the
// pieces of a row's 128 bytes lie at (piece ^ row % 8). Pieces 2j and 2j + 1 hold values
// 16j .. 16j + 15: the first of them 4t and 4t + 1, the second 4t + 2 and 4t + 3, t = 0 .. 3.
// Bound: the launch up to about 512 rows, then memory; 4,096 rows of 14,336 bytes 3.1 TB/s
// (H200, 2026-11-29).
#include <cuda_bf16.h>

#include "float.cuh"

struct WidenArgs {
  const void* x;          // floats, or bytes in tile order
  const uint8_t* record;  // of bytes
  uint8_t* out;
  float* scale;      // what each row is to be multiplied by
  const int* count;  // rows that are wanted, or null: rows
  int rows, padded, chunks, form, ldx, k, bfloat16, pad;
};

// A row as it comes.
struct WidenRow {
  const float* x;
  const uint8_t *q, *record;
  int form, k;
  __device__ __forceinline__ float scale(int s) const {  // of sub-block s
    if (form == form_q8k) return *(const float*)(record + (s >> 3) * record_q8k + 16);
    return *(const float*)(record + (s >> 3) * record_q8 + (s & 7) * 4);
  }
  // Values 16*i + 4*t .. + 3.
  __device__ __forceinline__ float4 four(int i, int t) const {
    if (form == form_float) return load4(x, i * 16 + 4 * t, k);
    uint32_t w = *(const uint32_t*)(q + (i >> 2) * 64 + t * 16 + (i & 3) * 4);
    float s = scale(i >> 1);
    return make_float4(s * (int8_t)w, s * (int8_t)(w >> 8), s * (int8_t)(w >> 16), s * (int8_t)(w >> 24));
  }
};

// A bound of the row's values, on every thread.
static __device__ __forceinline__ float row_top(const WidenRow& r, int chunks, float* tops) {
  float top = 0;
  if (r.form == form_float) {
    for (int i = threadIdx.x; i < r.k; i += blockDim.x) top = fmaxf(top, fabsf(r.x[i]));
  } else {
    for (int i = threadIdx.x; i < chunks * 8; i += blockDim.x) top = fmaxf(top, 128 * r.scale(i));
  }
  top = warp_max(top);
  if ((threadIdx.x & 31) == 0) tops[threadIdx.x >> 5] = top;
  __syncthreads();
  for (int i = 0; i < blockDim.x / 32; i++) top = fmaxf(top, tops[i]);
  return top;
}

static __device__ __forceinline__ uint32_t two(float a, float b, bool bfloat16) {
  if (bfloat16) {
    __nv_bfloat162 v = __floats2bfloat162_rn(a, b);
    return *(uint32_t*)&v;
  }
  __half2 v = __floats2half2_rn(a, b);
  return *(uint32_t*)&v;
}

extern "C" __global__ void __launch_bounds__(256) widen(const __grid_constant__ WidenArgs a) {
  __shared__ float tops[8];
  overlap_start();
  overlap_wait();
  int row = blockIdx.x;
  if (a.count && row >= *a.count) return;
  WidenRow r = {(const float*)a.x + (size_t)row * a.ldx, (const uint8_t*)a.x + (size_t)row * a.chunks * 256,
                a.record + (size_t)row * a.chunks * (a.form == form_q8k ? record_q8k : record_q8), a.form, a.k};
  float top = row_top(r, a.chunks, tops);
  // The power of two that brings the largest to 2^14 .. 2^15.
  int up = top > 0 ? min(max(14 + 127 - (int)(__float_as_uint(top) >> 23), -100), 100) : 0;
  float times = __uint_as_float((127 + up) << 23);
  if (threadIdx.x == 0) a.scale[row] = __uint_as_float((127 - up) << 23);
  for (int i = threadIdx.x; i < a.chunks * 16; i += blockDim.x) {
    uint32_t out[2][4];
#pragma unroll
    for (int t = 0; t < 4; t++) {
      float4 v = r.four(i, t);
      out[0][t] = two(v.x * times, v.y * times, a.bfloat16);
      out[1][t] = two(v.z * times, v.w * times, a.bfloat16);
    }
    uint8_t* to = a.out + ((size_t)(i >> 2) * a.padded + row) * 128;
#pragma unroll
    for (int h = 0; h < 2; h++)
      *(uint4*)(to + ((2 * (i & 3) + h) ^ (row & 7)) * 16) = make_uint4(out[h][0], out[h][1], out[h][2], out[h][3]);
  }
}
