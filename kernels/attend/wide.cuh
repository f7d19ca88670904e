// Scores, weights and sums of attend_wide.cu: 64 rows of a unit, which four warps hold in
// their registers.
#pragma once
#include "ring.cuh"
#include "soften.cuh"

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
// 2^x, where x is at most 0.
static __device__ __forceinline__ float power_of_two(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// The pairs of a head of n values that are lane (g, t)'s: from 8 * i + 2 * t on; what lies beyond n is 0.
template <int N> static __device__ __forceinline__ void load_pairs(float2 (&v)[N], const float* head, int n) {
  int first = 2 * (threadIdx.x & 3);
  if ((n & 1) == 0 && ((uintptr_t)head & 7) == 0) {
#pragma unroll
    for (int i = 0; i < N; i++) v[i] = 8 * i + first < n ? *(const float2*)(head + 8 * i + first) : make_float2(0, 0);
    return;
  }
#pragma unroll
  for (int i = 0; i < N; i++) {
    int k = 8 * i + first;
    v[i] = make_float2(k < n ? head[k] : 0, k + 1 < n ? head[k + 1] : 0);
  }
}

// A value pair as two halves each: what it rounds to, and what that leaves.
static __device__ __forceinline__ void split(uint32_t& high, uint32_t& low, float u, float v) {
  __half2 h = __floats2half2_rn(u, v), l = __floats2half2_rn(u - __low2float(h), v - __high2float(h));
  high = *(uint32_t*)&h, low = *(uint32_t*)&l;
}

// Lane (g, t) of a warp has rows g and g + 8 of its 16: of queries, scores and sums values
// 8 * i + 2 * t and the next one, as products of four warps take and leave them.
//
// Of queries up to 128 wide the lane keeps both halves in registers.
template <int D> struct Queries {
  uint32_t high[D / 4], low[D / 4];
  __device__ __forceinline__ explicit Queries(uint32_t) {}
  __device__ __forceinline__ void open() {}
  __device__ __forceinline__ void set(int h, int i, float u, float v) { split(high[2 * i + h], low[2 * i + h], u, v); }
  __device__ __forceinline__ void ready() {}
  // s += queries times a tile's keys.
  __device__ __forceinline__ void multiply(float (&s)[32], uint32_t keys) const {
#pragma unroll
    for (int part = 0; part < 2; part++)
#pragma unroll
      for (int k = 0; k < D / 16; k++)
        wgmma<positions, false>(s, (part ? high : low) + 4 * k, swizzled_rows(keys + k / 4 * CellRing<D>::panel) + 2 * (k & 3));
  }
};

// Those of 256 stand in shared memory, behind the ring: of each group of four warps
// [low, high][D / 64][row][64] halves, swizzled.
template <> struct Queries<256> {
  static constexpr int panel = 64 * 128, part = 4 * panel;
  uint32_t at;
  __device__ __forceinline__ explicit Queries(uint32_t ring) : at(ring + CellRing<256>::end + (threadIdx.x >> 7) * 2 * part) {}
  __device__ __forceinline__ void set(int h, int i, float u, float v) {
    uint32_t high, low, row = (threadIdx.x >> 5 & 3) * 16 + (threadIdx.x >> 2 & 7) + 8 * h;
    split(high, low, u, v);
    uint32_t to = at + i / 8 * panel + row * 128 + ((i ^ row) & 7) * 16 + (threadIdx.x & 3) * 4;
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(to), "r"(low) : "memory");
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(to + part), "r"(high) : "memory");
  }
  __device__ __forceinline__ void meet() { asm volatile("bar.sync %0, 128;" ::"r"(1 + (threadIdx.x >> 7)) : "memory"); }
  // The group's warps have done with the queries before.
  __device__ __forceinline__ void open() { meet(); }
  // All of the group's are there for the tensor cores.
  __device__ __forceinline__ void ready() {
    proxy_fence();
    meet();
  }
  __device__ __forceinline__ void multiply(float (&s)[32], uint32_t keys) const {
#pragma unroll
    for (int p = 0; p < 2; p++)
#pragma unroll
      for (int k = 0; k < 16; k++)
        wgmma_shared(s, swizzled_rows(at + p * part + k / 4 * panel) + 2 * (k & 3), swizzled_rows(keys + k / 4 * CellRing<256>::panel) + 2 * (k & 3));
  }
};

template <int D> struct WideSums {
  const AttendArgs& a;
  Queries<D> queries;
  int lane, first, rows;        // the warp's first row of the unit's
  int pos[2], lowest, highest;  // positions of the lane's rows; of the warp's
  uint32_t p_high[16], p_low[16];
  float out[D / 2], s[32], top[2], sum[2], shrink[2];

  __device__ __forceinline__ WideSums(const AttendArgs& a, uint32_t ring)
      : a(a), queries(ring), lane(threadIdx.x & 31), first(threadIdx.x >> 5 << 4) {}

  // Reads the queries of a unit, scaled; rows beyond the last are that one again.
  __device__ __forceinline__ void begin(const Item& it, int head) {
    rows = it.rows * a.group;
    float scale = a.cap != 0 ? a.scale : a.scale * log2_e;
    queries.open();
#pragma unroll
    for (int h = 0; h < 2; h++) {
      int m = min(first + (lane >> 2) + 8 * h, rows - 1), r = divided(m, a.of_group);
      const float* x = a.q.x + (size_t)(it.list + r) * a.q.ld + (head * a.group + m - r * a.group) * a.q.dim;
      pos[h] = a.positions[it.list + r];
      top[h] = no_score, sum[h] = 0;
      float2 pairs[D / 8];
      load_pairs(pairs, x, a.q.dim);
#pragma unroll
      for (int i = 0; i < D / 8; i++) queries.set(h, i, pairs[i].x * scale, pairs[i].y * scale);
    }
    queries.ready();
    lowest = __shfl_sync(~0u, pos[0], 0), highest = __shfl_sync(~0u, pos[1], 31);
#pragma unroll
    for (int i = 0; i < D / 2; i++) out[i] = 0;
  }

  // Starts queries times a tile's keys.
  __device__ __forceinline__ void score(uint32_t keys) {
#pragma unroll
    for (int i = 0; i < 32; i++) s[i] = 0;
    pin(s);
    wgmma_fence();
    queries.multiply(s, keys);
    wgmma_commit();
  }

  // Hides what a row must not see of the positions from base on.
  __device__ __forceinline__ void mask(int base) {
    if (base + positions - 1 <= lowest && (a.window == 0 || base > highest - a.window)) return;
#pragma unroll
    for (int i = 0; i < 32; i++) {
      int p = base + i / 4 * 8 + 2 * (lane & 3) + (i & 1), own = pos[i >> 1 & 1];
      if (p > own || (a.window != 0 && p <= own - a.window)) s[i] = -INFINITY;
    }
  }

  // Turns the scores of positions from base on into weights of the largest so far.
  __device__ __forceinline__ void weigh(int base) {
    pin(s);
    if (__builtin_expect(a.cap != 0, 0)) soften(s, a.cap, log2_e);
    mask(base);
#pragma unroll
    for (int h = 0; h < 2; h++) {
      float now = top[h], added = 0;
#pragma unroll
      for (int i = 0; i < 16; i++) now = fmaxf(now, s[i / 2 * 4 + 2 * h + (i & 1)]);
      now = fmaxf(now, __shfl_xor_sync(~0u, now, 1));
      now = fmaxf(now, __shfl_xor_sync(~0u, now, 2));
      shrink[h] = power_of_two(top[h] - now);
      top[h] = now;
#pragma unroll
      for (int i = 0; i < 16; i++) {
        float& v = s[i / 2 * 4 + 2 * h + (i & 1)];
        v = power_of_two(v - now);
        added += v;
      }
      sum[h] = sum[h] * shrink[h] + added;
    }
  }

  // Makes the weights what products take, and the sums so far fit them.
  __device__ __forceinline__ void settle() {
#pragma unroll
    for (int i = 0; i < 16; i++) split(p_high[i], p_low[i], s[2 * i], s[2 * i + 1]);
    pin(out);
#pragma unroll
    for (int i = 0; i < D / 2; i++) out[i] *= shrink[i >> 1 & 1];
    pin(out);
  }

  // Starts adding a tile's values with their weights.
  __device__ __forceinline__ void add(uint32_t values) {
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < 4; k++) {
      uint64_t b = swizzled_columns(values + k * 16 * 128, CellRing<D>::panel);
      wgmma<D, false, true>(out, p_low + 4 * k, b);
      wgmma<D, false, true>(out, p_high + 4 * k, b);
    }
    wgmma_commit();
  }

  // Writes the parts.
  __device__ __forceinline__ void put(const Item& it, int head) {
    int dv = a.v.dim, heads = a.q.heads;
    pin(out);
#pragma unroll
    for (int h = 0; h < 2; h++) {
      float all = sum[h] + __shfl_xor_sync(~0u, sum[h], 1);
      all += __shfl_xor_sync(~0u, all, 2);
      int m = first + (lane >> 2) + 8 * h, r = divided(m, a.of_group), its = head * a.group + m - r * a.group;
      if (m >= rows) continue;
      Parts parts = a.parts_of[it.list + r];
      float* to = a.parts + (parts.first + it.chunk - parts.chunk) * record_of(heads, dv);
#pragma unroll
      for (int i = 0; i < D / 8; i++) {
        int d = 8 * i + 2 * (lane & 3);
        if (d < dv) *(float2*)(to + its * dv + d) = make_float2(out[4 * i + 2 * h], out[4 * i + 2 * h + 1]);
      }
      if ((lane & 3) == 0) to[heads * dv + its] = top[h], to[heads * dv + heads + its] = all;
    }
  }
};
#endif
