// Choosing experts: each row's best by score, lists of rows by expert for the products
// (mul_experts.cu, mul_float.cu), and the weighted sum of what they gave. Bound: the launch.
#include "choose.cuh"

// A warp takes a row, and the rows of a block's warps follow each other. One block alone
// makes the lists as well.
template <int E> static __device__ __forceinline__ void route(const RouteArgs& a, const ListArgs& lists) {
  overlap_start();
  overlap_wait();
  int live = live_rows(lists);
  for (int row = blockIdx.x * 32 + (threadIdx.x >> 5); row < a.rows; row += gridDim.x * 32) {
    Chosen c = choose<E>(a, a.scores + (size_t)row * a.lds, a.bias);
    store_choice(a, row, c);
    if (a.rows == 1) list_row(lists, live, c);
  }
  if (gridDim.x > 1 || a.rows == 1) return;
  __syncthreads();
  sort_by_expert(lists, live);
}

struct RouteListArgs {
  RouteArgs route;
  ListArgs lists;
};

#define ROUTE(E)                                                                                                    \
  extern "C" __global__ void __launch_bounds__(1024, 1) route_##E(const __grid_constant__ RouteListArgs a) { \
    route<E>(a.route, a.lists);                                                                                     \
  }
ROUTE(4)
ROUTE(8)
ROUTE(32)

extern "C" __global__ void __launch_bounds__(1024) expert_lists(const __grid_constant__ ListArgs a) {
  overlap_start();
  overlap_wait();
  sort_by_expert(a, live_rows(a));
}

struct SumArgs {
  float* out;
  const float* in;       // [rows * used][n]
  const int* ids;
  const float* weights;
  const float* scales;   // one an expert, or null
  const float* add;      // to each row, or null
  int rows, used, n, ldo, ldi, ldw, ldadd, pad;
};

extern "C" __global__ void __launch_bounds__(256) expert_sum(const __grid_constant__ SumArgs a) {
  overlap_start();
  overlap_wait();
  for (int row = blockIdx.y; row < a.rows; row += gridDim.y)
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < a.n; k += gridDim.x * blockDim.x) {
      float v = 0;
      for (int j = 0; j < a.used; j++) {
        float w = a.weights[(size_t)row * a.ldw + j];
        if (a.scales) w *= a.scales[a.ids[(size_t)row * a.ldi + j]];
        v += w * a.in[((size_t)row * a.used + j) * a.n + k];
      }
      if (a.add) v += a.add[(size_t)row * a.ldadd + k];
      a.out[(size_t)row * a.ldo + k] = v;
    }
}
