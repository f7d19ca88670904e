// The input of mul_wgmma.cu: rows of x, floats or rounded to bytes, become halves or
// bfloat16, each row times a power of two that brings its largest value near the end of
// their range, so that none overflows and few are too small. A block takes a row.
// Shapes: out [4 * chunks][padded][64], of which 16 bytes, eight values, are a piece; the
// pieces of a row's 128 bytes lie at (piece ^ row % 8). Pieces 2j and 2j + 1 hold values
// 16j .. 16j + 15 in the order of halves.cuh: of bytes the first of them 4t and 4t + 2, the second
// 4t + 1 and 4t + 3, t = 0 .. 3; of floats 4t and 4t + 1, then 4t + 2 and 4t + 3.
// Bound: the launch up to about 512 rows, then memory; 4,096 rows of 14,336 bytes 3.1 TB/s
// (H200, 2026-11-29).
#include "widen.cuh"

struct WidenArgs {
  const void* x;          // floats, or bytes in tile order
  const uint8_t* record;  // of bytes
  uint8_t* out;
  float* scale;      // what each row is to be multiplied by
  const int* count;  // rows that are wanted, or null: rows
  int rows, padded, chunks, form, ldx, k, bfloat16, pad;
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

extern "C" __global__ void __launch_bounds__(256) widen(const __grid_constant__ WidenArgs a) {
  __shared__ float tops[8];
  overlap_start();
  overlap_wait();
  int row = blockIdx.x;
  if (a.count && row >= *a.count) return;
  WidenRow r = {(const float*)a.x + (size_t)row * a.ldx, (const uint8_t*)a.x + (size_t)row * a.chunks * 256,
                a.record + (size_t)row * a.chunks * (a.form == form_q8k ? record_q8k : record_q8), a.form, a.k};
  RowPower power(row_top(r, a.chunks, tops));
  if (threadIdx.x == 0) a.scale[row] = power.back;
  for (int i = threadIdx.x; i < a.chunks * 16; i += blockDim.x) widen16(r, i, power.times, a.bfloat16, a.out, a.padded, row, row);
}
