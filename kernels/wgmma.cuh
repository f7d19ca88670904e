// Products of four warps on Hopper: 64 rows of A from registers, 16 a warp, with B from
// shared memory, summed in float32. They run on while the warps go on, and come in
// groups: commit ends one, wait<N> waits for all but the last N. Until then nobody may
// touch their sums and their A registers.
#pragma once
#include "hopper.cuh"

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
static __device__ __forceinline__ void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
static __device__ __forceinline__ void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int N> static __device__ __forceinline__ void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
}

// Rows of 128 bytes, whose eight pieces of 16 lie at (piece ^ row % 8).
static __device__ __forceinline__ uint64_t swizzled_rows(uint32_t at) {
  return (uint64_t)((at & 0x3ffff) >> 4) | (uint64_t)1 << 16 | (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62;
}

// B whose columns are contiguous: such rows hold 64 columns of one k each, apart is from one 64 columns to the next.
static __device__ __forceinline__ uint64_t swizzled_columns(uint32_t at, int apart) {
  return (uint64_t)((at & 0x3ffff) >> 4) | (uint64_t)(apart >> 4) << 16 | (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62;
}

// Keeps what the compiler does with sums before or after the products, not among them.
template <int N> static __device__ __forceinline__ void pin(float (&v)[N]) {
#pragma unroll
  for (int i = 0; i < N; i++) asm volatile("" : "+f"(v[i])::"memory");
}

#define ACC8(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define WGMMA32(TYPE) \
  asm volatile("wgmma.mma_async.sync.aligned.m64n32k16.f32." TYPE "." TYPE " {" \
               "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15" \
               "}, {%16,%17,%18,%19}, %20, 1, 1, 1, 0;" \
               : ACC8(0), ACC8(8) \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b))
#define WGMMA48(TYPE) \
  asm volatile("wgmma.mma_async.sync.aligned.m64n48k16.f32." TYPE "." TYPE " {" \
               "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23" \
               "}, {%24,%25,%26,%27}, %28, 1, 1, 1, 0;" \
               : ACC8(0), ACC8(8), ACC8(16) \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b))
#define WGMMA64(TYPE, TURNED) \
  asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32." TYPE "." TYPE " {" \
               "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27," \
               "%28,%29,%30,%31" \
               "}, {%32,%33,%34,%35}, %36, 1, 1, 1, " TURNED ";" \
               : ACC8(0), ACC8(8), ACC8(16), ACC8(24) \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b))
#define WGMMA96(TYPE) \
  asm volatile("wgmma.mma_async.sync.aligned.m64n96k16.f32." TYPE "." TYPE " {" \
               "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27," \
               "%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47" \
               "}, {%48,%49,%50,%51}, %52, 1, 1, 1, 0;" \
               : ACC8(0), ACC8(8), ACC8(16), ACC8(24), ACC8(32), ACC8(40) \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b))
#define WGMMA128(TYPE, TURNED) \
  asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32." TYPE "." TYPE " {" \
               "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27," \
               "%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53," \
               "%54,%55,%56,%57,%58,%59,%60,%61,%62,%63" \
               "}, {%64,%65,%66,%67}, %68, 1, 1, 1, " TURNED ";" \
               : ACC8(0), ACC8(8), ACC8(16), ACC8(24), ACC8(32), ACC8(40), ACC8(48), ACC8(56) \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b))
#define WGMMA256(TYPE, TURNED) \
  asm volatile("wgmma.mma_async.sync.aligned.m64n256k16.f32." TYPE "." TYPE " {" \
               "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27," \
               "%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53," \
               "%54,%55,%56,%57,%58,%59,%60,%61,%62,%63,%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79," \
               "%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95,%96,%97,%98,%99,%100,%101,%102,%103,%104," \
               "%105,%106,%107,%108,%109,%110,%111,%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,%125," \
               "%126,%127" \
               "}, {%128,%129,%130,%131}, %132, 1, 1, 1, " TURNED ";" \
               : ACC8(0), ACC8(8), ACC8(16), ACC8(24), ACC8(32), ACC8(40), ACC8(48), ACC8(56), \
                 ACC8(64), ACC8(72), ACC8(80), ACC8(88), ACC8(96), ACC8(104), ACC8(112), ACC8(120) \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b))

// d += a (64 x 16) * b (16 x 64), halves, both from shared memory.
static __device__ __forceinline__ void wgmma_shared(float (&d)[32], uint64_t a, uint64_t b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {"
               "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,"
               "%28,%29,%30,%31"
               "}, %32, %33, 1, 1, 1, 0, 0;"
               : ACC8(0), ACC8(8), ACC8(16), ACC8(24)
               : "l"(a), "l"(b));
}

// d += a (64 x 16) * b (16 x N), both halves, or both bfloat16 where BF says so; turned: b as swizzled_columns.
template <int N, bool BF, bool turned = false> static __device__ __forceinline__ void wgmma(float (&d)[N / 2], const uint32_t* a, uint64_t b) {
  if constexpr (N == 32 && !BF) WGMMA32("f16");
  if constexpr (N == 48 && !BF) WGMMA48("f16");
  if constexpr (N == 64 && !BF && !turned) WGMMA64("f16", "0");
  if constexpr (N == 64 && !BF && turned) WGMMA64("f16", "1");
  if constexpr (N == 96 && !BF) WGMMA96("f16");
  if constexpr (N == 96 && BF) WGMMA96("bf16");
  if constexpr (N == 128 && !BF && !turned) WGMMA128("f16", "0");
  if constexpr (N == 128 && !BF && turned) WGMMA128("f16", "1");
  if constexpr (N == 128 && BF) WGMMA128("bf16", "0");
  if constexpr (N == 256 && !BF && !turned) WGMMA256("f16", "0");
  if constexpr (N == 256 && !BF && turned) WGMMA256("f16", "1");
  if constexpr (N == 256 && BF) WGMMA256("bf16", "0");
}
#endif
