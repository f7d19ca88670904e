// What every kernel shares: launch overlap, tensor core instructions, loads and
// reductions. Every kernel takes one struct, which its launcher in Go mirrors.
#pragma once
#include <cuda_fp16.h>
#include <stdint.h>

// A kernel's launch may overlap the end of the one before it. After overlap_start
// the next kernel may come in; before overlap_wait a kernel may touch nothing but
// weights, which never change.
static __device__ __forceinline__ void overlap_start() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

static __device__ __forceinline__ void overlap_wait() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// d += a (16 x 32, rows) * b (32 x 8, columns), signed bytes.
static __device__ __forceinline__ void mma_s8_k32(int d[4], const uint32_t a[4], uint32_t b0, uint32_t b1) {
  asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// d = a (16 x 32, rows) * b (32 x 8, columns), signed bytes, and every value c more.
static __device__ __forceinline__ void mma_s8_k32_onto(int d[4], const uint32_t a[4], uint32_t b0, uint32_t b1, int c) {
  asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%10,%10,%10};"
      : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1), "r"(c));
}

// d += a (16 x 16) * b (16 x 8), signed bytes.
static __device__ __forceinline__ void mma_s8_k16(int d[4], uint32_t a0, uint32_t a1, uint32_t b) {
  asm("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
      : "r"(a0), "r"(a1), "r"(b));
}

// d += a (16 x 8) * b (8 x 8), tf32.
static __device__ __forceinline__ void mma_tf32(float d[4], const uint32_t a[4], uint32_t b0, uint32_t b1) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// d += a (16 x 16) * b (16 x 8), half.
static __device__ __forceinline__ void mma_f16(float d[4], const uint32_t a[4], uint32_t b0, uint32_t b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

static __device__ __forceinline__ uint32_t shared_address(const void* p) {
  return (uint32_t)__cvta_generic_to_shared(p);
}

// Four 8 x 8 matrices of halves from shared memory; each lane gives one row's address.
static __device__ __forceinline__ void load_matrices(uint32_t d[4], uint32_t at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(at) : "memory");
}

static __device__ __forceinline__ void load_matrices_turned(uint32_t d[4], uint32_t at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(at) : "memory");
}

// 16 bytes from global to shared memory, or zeros.
static __device__ __forceinline__ void copy16(uint32_t to, const void* from, bool there) {
  int n = there ? 16 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(n) : "memory");
}

// Copies come in groups: commit ends one, wait_for<N> waits for all but the last N.
static __device__ __forceinline__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N> static __device__ __forceinline__ void wait_for() { asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory"); }

// Four of the eight bytes of a and b: each nibble of the low half of s names one, or, where
// its top bit is set, eight times that one's sign.
static __device__ __forceinline__ uint32_t bytes_or_signs(uint32_t a, uint32_t b, uint32_t s) {
  uint32_t r;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(s));
  return r;
}

// Weights pass once through: they take no room in the first-level cache.
static __device__ __forceinline__ uint4 load_weights(const void* p) {
  uint4 v;
  asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0,%1,%2,%3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
  return v;
}

// Counts one more arrival, and returns how many there were before. Whoever finds that all the others
// have arrived sees with fresh, or after a fence, what they wrote, and what was written before a
// barrier that they passed.
static __device__ __forceinline__ int arrive(int* count) {
  int before;
  asm volatile("atom.add.release.gpu.global.s32 %0, [%1], 1;" : "=r"(before) : "l"(count) : "memory");
  return before;
}
static __device__ __forceinline__ int fresh(const int* p) {
  int v;
  asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}
static __device__ __forceinline__ float fresh(const float* p) { return __int_as_float(fresh((const int*)p)); }

static __device__ __forceinline__ float round_tf32(float x) {
  uint32_t r;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(x));
  return __uint_as_float(r);
}

static __device__ __forceinline__ float warp_sum(float v) {
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
  return v;
}

static __device__ __forceinline__ float warp_max(float v) {
  for (int o = 16; o > 0; o >>= 1) v = fmaxf(v, __shfl_xor_sync(~0u, v, o));
  return v;
}

// A number that is the larger the larger the float is, and more than 0; both zeros are one.
static __device__ __forceinline__ uint32_t ordered(float v) {
  uint32_t b = __float_as_uint(__fadd_rn(v, 0.f));
  return b >> 31 ? ~b : b | 0x80000000u;
}

// The sum over all threads of a block, in the same order on every thread.
static __device__ __forceinline__ float block_sum(float v, float* room) {
  v = warp_sum(v);
  int warps = blockDim.x >> 5;
  __syncthreads();
  if ((threadIdx.x & 31) == 0) room[threadIdx.x >> 5] = v;
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < warps; i++) sum += room[i];
  return sum;
}

// Four neighbours of a row from k on; what lies beyond n reads as 0.
static __device__ __forceinline__ float4 load4(const float* row, int k, int n) {
  if (k + 4 <= n && ((uintptr_t)(row + k) & 15) == 0) return *(const float4*)(row + k);
  return make_float4(k < n ? row[k] : 0.f, k + 1 < n ? row[k + 1] : 0.f, k + 2 < n ? row[k + 2] : 0.f, k + 3 < n ? row[k + 3] : 0.f);
}

// Eight neighbours of a row from k on; what lies beyond n reads as 0.
static __device__ __forceinline__ void load8(float v[8], const float* row, int k, int n) {
  if (k + 8 <= n && ((uintptr_t)(row + k) & 15) == 0) {
    float4 a = *(const float4*)(row + k), b = *(const float4*)(row + k + 4);
    v[0] = a.x, v[1] = a.y, v[2] = a.z, v[3] = a.w, v[4] = b.x, v[5] = b.y, v[6] = b.z, v[7] = b.w;
    return;
  }
  for (int i = 0; i < 8; i++) v[i] = k + i < n ? row[k + i] : 0.f;
}

static __device__ __forceinline__ void store8(float* row, int k, int n, const float v[8]) {
  if (k + 8 <= n && ((uintptr_t)(row + k) & 15) == 0) {
    *(float4*)(row + k) = make_float4(v[0], v[1], v[2], v[3]);
    *(float4*)(row + k + 4) = make_float4(v[4], v[5], v[6], v[7]);
    return;
  }
  for (int i = 0; i < 8; i++)
    if (k + i < n) row[k + i] = v[i];
}
