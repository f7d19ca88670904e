// The input of mul_experts_wide.cu, as widen.cu makes that of mul_wgmma.cu: rows of x in the order of the
// experts' lists, a warp each. widen_listed takes rounded rows of those that chose experts, widen_hidden floats
// that are in that order already, and rounds them as the weights want.
// Shapes: out [4 * chunks][pairs][64] in the layout of widen.cu, but that pieces of a row lie at
// (piece ^ its place in the expert's list % 8). Bound: the launch, and trips to memory one after the other.
#include "widen.cuh"

struct WidenListedArgs {
  const void* x;
  const uint8_t* record;  // of bytes
  uint8_t* out;
  float* scale;       // what each row is to be multiplied by
  const int* experts;  // those in use, and at count how many
  const int* starts;   // one more
  const int* list;     // pairs by expert; pair / divide is the row of bytes
  int count, pairs, chunks, form, ldx, k, divide, pad;
};

// The row of a warp: its place in the lists, and within its expert's.
struct ListedPlace {
  int place, within;
  bool there;
  __device__ __forceinline__ ListedPlace(const WidenListedArgs& a) {
    int lane = threadIdx.x & 31, used = a.experts[a.count], most = min(a.count, a.pairs), start = 0, end = 0;
    place = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
#pragma unroll 4
    for (int i = lane; i <= most; i += 32) {
      int at = a.starts[i];
      if (i < used && at <= place) start = max(start, at);
      if (i == used) end = at;
    }
    within = place - __reduce_max_sync(~0u, start), there = place < __reduce_max_sync(~0u, end);
  }
};

extern "C" __global__ void __launch_bounds__(256) widen_listed(const __grid_constant__ WidenListedArgs a) {
  overlap_start();
  overlap_wait();
  ListedPlace p(a);
  if (!p.there) return;
  int lane = threadIdx.x & 31;
  size_t row = a.list[p.place] / a.divide;
  WidenRow r = {nullptr, (const uint8_t*)a.x + row * a.chunks * 256,
                a.record + row * a.chunks * (a.form == form_q8k ? record_q8k : record_q8), a.form, a.k};
  float top = 0;
#pragma unroll 4
  for (int i = lane; i < a.chunks * 8; i += 32) top = fmaxf(top, 128 * r.scale(i));
  RowPower power(warp_max(top));
  if (lane == 0) a.scale[p.place] = power.back;
#pragma unroll 2
  for (int i = lane; i < a.chunks * 16; i += 32) widen16(r, i, power.times, false, a.out, a.pairs, p.place, p.within);
}

extern "C" __global__ void __launch_bounds__(256) widen_hidden(const __grid_constant__ WidenListedArgs a) {
  overlap_start();
  overlap_wait();
  ListedPlace p(a);
  if (!p.there) return;
  int lane = threadIdx.x & 31;
  const float* row = (const float*)a.x + (size_t)p.place * a.ldx;
  float top = 0;
#pragma unroll 4
  for (int c = 0; c < a.chunks; c++) {
    float v[8];
    load8(v, row, c * 256 + lane * 8, a.k);
#pragma unroll
    for (int i = 0; i < 8; i++) top = fmaxf(top, fabsf(v[i]));
  }
  RowPower power(warp_max(top));
  if (lane == 0) a.scale[p.place] = power.back;
#pragma unroll 2
  for (int c = 0; c < a.chunks; c++) {
    float v[8];
    load8(v, row, c * 256 + lane * 8, a.k);
    Bytes b(v, a.form == form_q8k);
    float by = power.times * (a.form == form_q8k ? b.scale() : b.half_scale());
    uint32_t h[4];
#pragma unroll
    for (int i = 0; i < 4; i++) h[i] = two(b.n[i / 2 * 4 + i % 2] * by, b.n[i / 2 * 4 + i % 2 + 2] * by, false);
    // Its eight values are two words of each of two pieces.
    uint8_t* to = a.out + ((size_t)(4 * c + (lane >> 3)) * a.pairs + p.place) * 128 + (lane & 1) * 8;
    *(uint2*)(to + ((lane & 6) ^ (p.within & 7)) * 16) = make_uint2(h[0], h[2]);
    *(uint2*)(to + (((lane & 6) + 1) ^ (p.within & 7)) * 16) = make_uint2(h[1], h[3]);
  }
}
