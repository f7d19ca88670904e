#include "float.cuh"
#include <cuda_bf16.h>

struct WidenArgs {
  const void* x;          // floats, or bytes in tile order
  const uint8_t* record;
  uint8_t* out;           // [chunks * 4][padded][64 halves], swizzled
  float* scale;
  const int* count;
  int rows, padded, chunks, form, ldx, k, bfloat, pad;
};

extern "C" __global__ void __launch_bounds__(256) widen(const __grid_constant__ WidenArgs a) {
  __shared__ float tops[8];
  overlap_start();
  overlap_wait();
  int row = blockIdx.x, lane = threadIdx.x & 31;
  if (a.count && row >= *a.count) return;
  const float* x = (const float*)a.x + (size_t)row * a.ldx;
  const uint8_t* q = (const uint8_t*)a.x + (size_t)row * a.chunks * 256;
  const uint8_t* record = a.record + (size_t)row * a.chunks * (a.form == form_q8k ? record_q8k : record_q8);
  float top = 0;
  if (a.form == form_q8k) {
    for (int i = threadIdx.x; i < a.chunks; i += 256) top = fmaxf(top, *(const float*)(record + i * record_q8k + 16));
  } else if (a.form == form_q8) {
    for (int i = threadIdx.x; i < a.chunks * 8; i += 256) top = fmaxf(top, ((const float*)(record + (i >> 3) * record_q8))[i & 7]);
  } else {
    for (int i = threadIdx.x; i < a.k; i += 256) top = fmaxf(top, fabsf(x[i]));
  }
  top = warp_max(top) * (a.form == form_float ? 1 : 128);
  if (lane == 0) tops[threadIdx.x >> 5] = top;
  __syncthreads();
  for (int i = 0; i < 8; i++) top = fmaxf(top, tops[i]);
  // The power of two that brings the largest to 2^14 .. 2^15.
  int up = top > 0 ? min(max(14 + 127 - (int)(__float_as_uint(top) >> 23), -100), 100) : 0;
  float times = __uint_as_float((127 + up) << 23);
  if (threadIdx.x == 0) a.scale[row] = __uint_as_float((127 - up) << 23);
  for (int i = threadIdx.x; i < a.chunks * 16; i += 256) {
    // 16 values: halves of the two pieces take every other pair.
    int chunk = i >> 4, p = (i >> 2) & 3, j = i & 3;
    uint32_t out[8];
#pragma unroll
    for (int t = 0; t < 4; t++) {
      float v[4];
      if (a.form == form_float) {
        float4 u = load4(x, i * 16 + 4 * t, a.k);
        v[0] = u.x * times, v[1] = u.y * times, v[2] = u.z * times, v[3] = u.w * times;
      } else {
        uint32_t w = *(const uint32_t*)(q + chunk * 256 + p * 64 + t * 16 + j * 4);
        float s = times * (a.form == form_q8k ? *(const float*)(record + chunk * record_q8k + 16) : ((const float*)(record + chunk * record_q8))[2 * p + (j >> 1)]);
#pragma unroll
        for (int b = 0; b < 4; b++) v[b] = s * (float)(int8_t)(w >> (8 * b));
      }
#pragma unroll
      for (int h = 0; h < 2; h++) {
        if (a.bfloat) {
          __nv_bfloat162 u = __floats2bfloat162_rn(v[2 * h], v[2 * h + 1]);
          out[4 * h + t] = *(uint32_t*)&u;
        } else {
          __half2 u = __floats2half2_rn(v[2 * h], v[2 * h + 1]);
          out[4 * h + t] = *(uint32_t*)&u;
        }
      }
    }
    uint8_t* to = a.out + ((size_t)(i >> 2) * a.padded + row) * 128;
#pragma unroll
    for (int h = 0; h < 2; h++) *(uint4*)(to + ((2 * j + h) ^ (row & 7)) * 16) = make_uint4(out[4 * h], out[4 * h + 1], out[4 * h + 2], out[4 * h + 3]);
  }
}
