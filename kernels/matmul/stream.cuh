// Products with few rows of x on Hopper, whatever the type of the weights. A block of
// sixteen warps goes over strips of 16 rows of W, two at a time, an eighth of k a warp. A
// warp's weights come by bulk copies into a ring of its own in shared memory, and are on
// their way before the kernel in front has ended; x lies in shared memory for as long as
// the block runs. Where x does not fit, the blocks of a cluster hold an even share of the
// eighths each and take as many more strips at a time.
//
// A Work is what a type does: run tiles of bytes each are a piece; stage brings the rows of
// x, clear and multiply make a warp's part of a result, each(put) gives its values to
// put(row of W, row of x, value).
#pragma once
#include "hopper.cuh"
#include "mul.cuh"

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
constexpr int stream_sets = 2, stream_threads = 256 * stream_sets;  // sets of eight warps

// A warp's ring: pieces are asked for, and taken in the same order.
struct Ring {
  uint32_t memory, barriers;
  int size, slots, in = 0, out = 0, held = 0, phase = 0;

  __device__ __forceinline__ Ring(const uint8_t* room, const uint8_t* bars, int piece, int n) {
    int warp = threadIdx.x >> 5;
    size = piece, slots = n;
    memory = shared_address(room) + warp * n * piece, barriers = shared_address(bars) + warp * n * 8;
    if ((threadIdx.x & 31) == 0) {
#pragma unroll 1
      for (int i = 0; i < slots; i++) barrier_init(barriers + 8 * i, 1);
      barriers_ready();
    }
    __syncwarp();
  }
  __device__ __forceinline__ void ask(const uint8_t* from, int bytes) {
    if ((threadIdx.x & 31) == 0) {
      barrier_expect(barriers + 8 * in, bytes);
      bulk_copy(memory + in * size, from, bytes, barriers + 8 * in);
    }
    in = in + 1 == slots ? 0 : in + 1;
    held++;
  }
  __device__ __forceinline__ uint32_t take() {
    barrier_wait(barriers + 8 * out, phase);
    uint32_t at = memory + out * size;
    if (++out == slots) out = 0, phase ^= 1;
    held--;
    return at;
  }
};

// The matrix that a strip of the launch belongs to; strip becomes its number there.
static __device__ __forceinline__ const MulJob& job_of_strip(const MulArgs& a, int& strip) {
  int j = strip < a.job[0].blocks ? 0 : strip < a.job[1].blocks ? 1 : 2;
  if (j > 0) strip -= a.job[j - 1].blocks;
  return a.job[j];
}

// The pieces of a warp's part of its strips, in order: tiles c0 .. c1 of every step-th strip.
template <class Work> struct Feed {
  const MulArgs& a;
  int strip, step, c0, c1, at;
  const uint8_t* from;

  __device__ __forceinline__ Feed(const MulArgs& args, int first, int apart, int begin, int end)
      : a(args), strip(first), step(apart), c0(begin), c1(end) { start(); }
  __device__ __forceinline__ void start() {
    at = c0;
    int local = strip;
    if (strip < a.job[2].blocks) from = job_of_strip(a, local).w + ((size_t)local * a.chunks + c0) * Work::bytes;
  }
  __device__ __forceinline__ void next(Ring& ring) {
    if (strip >= a.job[2].blocks || c0 == c1) return;
    int n = min(Work::run, c1 - at);
    ring.ask(from, n * Work::bytes);
    from += n * Work::bytes;
    at += n;
    if (at < c1) return;
    strip += step;
    start();
  }
};

// Where a warp leaves its part of a result, in the memory of the block that adds the parts
// up: [row of W][row of x].
template <int stride> struct Part {
  uint32_t to;
  __device__ __forceinline__ void operator()(int r, int m, float v) const { store_shared(to + 4 * (r * stride + m), v); }
};
template <int stride> struct OwnPart {
  float* to;
  __device__ __forceinline__ void operator()(int r, int m, float v) const { to[r * stride + m] = v; }
};

// Adds the eight parts of a strip in order, once ready() says that they are there, and
// writes rows first .. end of the result. thread is one of the set's 256.
template <int stride, class Ready> static __device__ __forceinline__ void
add_parts(const MulArgs& a, int strip, const float* parts, int thread, int rows, int first, int end, Ready ready) {
  int r = thread & 15, q = thread >> 4, m = first + 4 * q;
  bool there = strip < a.job[2].blocks && 4 * q < rows && m < end;
  const MulJob& job = job_of_strip(a, strip);
  int n = strip * 16 + r;
  there = there && n < job.n;
  float bias = there && job.bias ? job.bias[n] : 0, add[4] = {};
  if (there && job.add)
#pragma unroll
    for (int i = 0; i < 4; i++)
      if (m + i < end) add[i] = job.add[(size_t)(m + i) * job.ldadd + n];
  ready();
  if (!there) return;
  const float* from = parts + r * stride + 4 * q;
  float4 v = *(const float4*)from;
#pragma unroll
  for (int p = 1; p < 8; p++) {
    float4 u = *(const float4*)(from + p * 16 * stride);
    v.x += u.x, v.y += u.y, v.z += u.z, v.w += u.w;
  }
  float out[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
  for (int i = 0; i < 4; i++) {
    if (m + i >= end) break;
    if (job.bias) out[i] += bias;
    if (job.add) out[i] += add[i];
    job.out[(size_t)(m + i) * job.ldo + n] = out[i];
  }
}

// R rows of x at a time; the grid's y counts them.
template <class Work, int R> static __device__ __forceinline__ void stream(const MulArgs& a) {
  constexpr int stride = (R < 8 ? 8 : R) + 4, plane = 8 * 16 * stride;  // floats of a strip's parts
  constexpr int piece = (Work::run * Work::bytes + 127) & ~127;
  extern __shared__ __align__(128) uint8_t room[];
  overlap_start();
  int warp = threadIdx.x >> 5, set = threadIdx.x >> 8;
  int ranks = cluster_size(), rank = cluster_rank(), per = 8 / ranks;  // eighths a block
  int part = rank * per + (warp & (per - 1)), mine = warp / per;       // the warp's, and its strip of those at a time
  int c0 = a.chunks * part / 8, c1 = a.chunks * (part + 1) / 8;
  int b0 = a.chunks * rank * per / 8, chunks = a.chunks * (rank + 1) * per / 8 - b0;
  int begin = (blockIdx.x - rank) * stream_sets, step = gridDim.x * stream_sets;
  int held = R <= 8 ? min(a.rows, R) : R;
  float* parts = (float*)(room + stream_sets * 8 * a.slots * 8);
  uint8_t* staged = (uint8_t*)(parts + 2 * stream_sets * plane);
  Ring ring(staged + ((held * Work::row_bytes(chunks) + 127) & ~127), room, piece, a.slots);
  if (ranks > 1) cluster_arrive();
  Feed<Work> feed(a, begin + mine, step, c0, c1);
#pragma unroll 1
  for (int i = 0; i < a.slots; i++) feed.next(ring);

  overlap_wait();
  int first = blockIdx.y * R, n = min(R, (a.count ? min(*a.count, a.rows) : a.rows) - first);
  int strips = n > 0 ? a.job[2].blocks : 0;
  Work work;
  work.stage(a, staged, first, n, held, b0, chunks);
  commit();
  wait_for<0>();
  __syncthreads();
  if (ranks > 1) cluster_wait();  // the others run

  // In a cluster, strips are added up while the next ones are multiplied.
  auto add = [&](int base, int turn) {
    add_parts<stride>(a, base + rank * stream_sets + set, parts + ((turn & 1) * stream_sets + set) * plane, (threadIdx.x + 32 * turn) & 255,
                      R, first, first + n, [&]() {
                        if (ranks > 1) cluster_wait();
                        else asm volatile("bar.sync %0, 256;" ::"r"(1 + set) : "memory");
                      });
  };
  int turn = 0;
#pragma unroll 1
  for (int base = begin; base < strips; base += step, turn++) {
    work.clear();
    if (base + mine < strips)
#pragma unroll 1
      for (int s = c0; s < c1; s += Work::run) {
        work.multiply(room + (ring.take() - shared_address(room)), s - b0, min(Work::run, c1 - s));
        __syncwarp();
        feed.next(ring);
      }
    float* at = parts + (turn & 1) * stream_sets * plane + part * 16 * stride;
    if (ranks > 1) {
      if (turn > 0) add(base - step, turn - 1);
      work.each(Part<stride>{shared_of(shared_address(at + mine % stream_sets * plane), mine / stream_sets)});
      cluster_arrive();
    } else {
      work.each(OwnPart<stride>{at + mine * plane});
      add(base, turn);
    }
  }
  if (ranks > 1 && turn > 0) add(begin + (turn - 1) * step, turn - 1);
  while (ring.held > 0) ring.take();
}
#endif
