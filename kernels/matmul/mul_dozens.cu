// The product of mul_quant.cu for types with a scale for each 32 values and 17 to 64 rows of x on
// Hopper, with the same bits; no experts. How: dozens.cuh, tall.cuh.
// Bound: instructions, 930 a warp, tile and 64 rows of x, of which 768 scale the sums of 32 values. Share of the
// 4.53 TB/s that can be read, Q8_0, 28672 and 128256 x 4096 (H200, 2026-11-30): 32 rows 67 and 81 %, 64 rows
// 39 and 46 %, where mul_stream.cu reads at 54 and 63, 29 and 32 %.
#include "dozens.cuh"

#define DOZENS(TYPE, NT)                                                                                              \
  extern "C" __global__ void __launch_bounds__(256, 2) mul_##TYPE##_dozens_##NT(const __grid_constant__ MulArgs a) { \
    extern __shared__ __align__(128) uint8_t dozen_places[];                                                        \
    overlap_start();                                                                                                \
    mul_dozens<TYPE, NT>(a, dozen_places);                                                                          \
  }
#define DOZENS_OF(TYPE) DOZENS(TYPE, 32) DOZENS(TYPE, 64)
DOZENS_OF(2)
DOZENS_OF(3)
DOZENS_OF(6)
DOZENS_OF(7)
DOZENS_OF(8)
