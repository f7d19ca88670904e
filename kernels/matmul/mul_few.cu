// The product of mul_quant.cu for Q4_K and Q5_K and 17 to 64 rows of x on Hopper, with the
// same bits; no experts. How: few.cuh.
// Bound: instructions, of which making halves of 1024 weights takes about 70 a warp, and
// with 64 rows the sums' scales 40. Share of the 4.53 TB/s that can be read, Q4_K, 28672 x
// 4096 (H200, 2026-11-30): 32 rows 49 %, 64 rows 31 %, where mul_stream.cu reads at 37 and 19 %.
#include "few.cuh"

#define FEW(TYPE, NT, BLOCKS)                                                                                             \
  extern "C" __global__ void __launch_bounds__(288, BLOCKS) mul_##TYPE##_few_##NT(const __grid_constant__ MulArgs a) { \
    extern __shared__ __align__(1024) uint8_t few_places[];                                                             \
    overlap_start();                                                                                                    \
    mul_few<TYPE, NT>(a, few_places);                                                                                   \
  }
FEW(12, 32, 2)
FEW(12, 64, 1)
FEW(13, 32, 2)
FEW(13, 64, 1)
