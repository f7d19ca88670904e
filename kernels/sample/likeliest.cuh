// The search for a row's likeliest tokens: those of a number, or of a share of the mass.
#pragma once
#include "draw.cuh"

// A warp's values 4 * lane .. + 3 of a segment; beyond the vocabulary -inf.
static __device__ __forceinline__ void load_segment(float v[4], const float* row, int first, int vocab) {
  int k = first + (threadIdx.x & 31) * 4;
  if (k + 4 <= vocab && ((uintptr_t)(row + k) & 15) == 0) {
    float4 x = *(const float4*)(row + k);
    v[0] = x.x, v[1] = x.y, v[2] = x.z, v[3] = x.w;
    return;
  }
  for (int i = 0; i < 4; i++) v[i] = k + i < vocab ? row[k + i] : -INFINITY;
}

static __device__ __forceinline__ float largest_of(const float v[4]) {
  return warp_max(fmaxf(fmaxf(v[0], v[1]), fmaxf(v[2], v[3])));
}

struct SampleRoom {
  union {
    float maxima[most_segments];
    u64 mass[list_size];  // of the listed tokens, once they are in order
  };
  float value[list_size];
  int id[list_size];
  int counts[256];
  u64 masses[256];
  float floats[32];
  u64 wide[32];
  int listed, digit;
  u64 before;
  int before_count;
};

// A row and what is known of it.
struct Row {
  float* logits;
  int vocab, segments;
  float top;  // the largest logit, and the first token that has it
  int first;
};

// The larger of two tokens by value, then by lower id.
static __device__ __forceinline__ void larger(float& v, int& id, float other, int its) {
  if (its >= 0 && (id < 0 || other > v || (other == v && its < id))) v = other, id = its;
}

static __device__ __forceinline__ void warp_largest(float& v, int& id) {
  for (int o = 16; o > 0; o >>= 1) {
    float other = __shfl_xor_sync(~0u, v, o);
    int its = __shfl_xor_sync(~0u, id, o);
    larger(v, id, other, its);
  }
}

static __device__ void block_largest(float& v, int& id, SampleRoom& room) {
  int lane = threadIdx.x & 31;
  warp_largest(v, id);
  __syncthreads();
  if (lane == 0) room.floats[threadIdx.x >> 5] = v, room.counts[threadIdx.x >> 5] = id;
  __syncthreads();
  v = room.floats[lane], id = room.counts[lane];
  warp_largest(v, id);
  __syncthreads();
}

static __device__ u64 warp_total(u64 v) {
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
  return v;
}

static __device__ u64 block_total(u64 v, SampleRoom& room) {
  v = warp_total(v);
  __syncthreads();
  if ((threadIdx.x & 31) == 0) room.wide[threadIdx.x >> 5] = v;
  __syncthreads();
  return warp_total(room.wide[threadIdx.x & 31]);
}

// Finds the row's largest logit from the segments' maxima.
static __device__ void find_top(Row& row, SampleRoom& room) {
  float v = -INFINITY;
  int at = -1;
  for (int i = threadIdx.x; i < row.segments; i += 1024) larger(v, at, room.maxima[i], i);
  block_largest(v, at, room);
  float x[4];
  load_segment(x, row.logits, at * segment, row.vocab);
  row.top = v;
  row.first = -1;
  for (int i = 0; i < 4; i++) larger(v, row.first, x[i], at * segment + (threadIdx.x & 31) * 4 + i);
  warp_largest(v, row.first);
}

// A token's probability below the likeliest one's: exact for those that were listed.
static __device__ __forceinline__ u64 fine_weight(float v, float best, float scale) {
  return (u64)(exp((double)scale * (double)(v - best)) * 1099511627776.0 + 0.5);
}

static __device__ __forceinline__ u64 weight(float v, float best, float scale) {
  return (u64)((double)expf(scale * (v - best)) * 1099511627776.0 + 0.5);
}

// Where a warp finds that the bins' sum reaches want: the bin, what is before it, and
// how many tokens it has, 0 where all together do not reach it. A lane has 8 bins.
static __device__ __forceinline__ void find_digit(SampleRoom& room, u64 want, bool by_mass) {
  int lane = threadIdx.x;
  u64 bins[8], all = 0;
  for (int j = 0; j < 8; j++) {
    bins[j] = by_mass ? room.masses[8 * lane + j] : (u64)room.counts[8 * lane + j];
    all += bins[j];
  }
  u64 upto = all;
  for (int o = 1; o < 32; o <<= 1) {
    u64 before = __shfl_up_sync(~0u, upto, o);
    if (lane >= o) upto += before;
  }
  unsigned reached = __ballot_sync(~0u, upto >= want);
  if (reached == 0 && lane == 0) room.before_count = 0;
  if (lane != __ffs(reached) - 1) return;
  u64 sum = upto - all;
  int j = 0;
  for (; j < 7 && sum + bins[j] < want; j++) sum += bins[j];
  room.digit = 8 * lane + j;
  room.before = sum;
  room.before_count = room.counts[8 * lane + j];
}

// The rank of the last token of those that it takes to reach a number of tokens
// (want, by_mass false) or a sum of weights, among those of the row up to limit.
static __device__ u64 find_cut(const Row& row, SampleRoom& room, u64 limit, u64 want, bool by_mass, float scale) {
  u64 prefix = 0;
  for (int shift = 56; shift >= 0; shift -= 8) {
    for (int i = threadIdx.x; i < 256; i += 1024) room.counts[i] = 0, room.masses[i] = 0;
    __syncthreads();
    for (int id = threadIdx.x; id < row.vocab; id += 1024) {
      float v = row.logits[id];
      u64 r = rank_of(v, id);
      if (r > limit || (shift < 56 && (r ^ prefix) >> (shift + 8))) continue;
      int digit = (r >> shift) & 255;
      atomicAdd(&room.counts[digit], 1);
      if (by_mass) atomicAdd(&room.masses[digit], weight(v, row.top, scale));
    }
    __syncthreads();
    if (threadIdx.x < 32) find_digit(room, want, by_mass);
    __syncthreads();
    int digit = room.digit, many = room.before_count;
    if (many == 0) return limit;
    prefix |= (u64)digit << shift;
    want -= room.before;
    __syncthreads();
    // All that are left of this digit may belong to the cut.
    if (many == 1 || (!by_mass && (u64)many == want)) return min(limit, prefix | ((1ull << shift) - 1));
  }
  return prefix;
}

// A bound that at least n segments' maxima reach, and not many more; all tokens where
// there are fewer segments.
static __device__ uint32_t bound_of(const Row& row, SampleRoom& room, int n) {
  uint32_t key[most_segments / 1024], low = 0, high = ordered(row.top) + 1;
#pragma unroll
  for (int j = 0; j < most_segments / 1024; j++) {
    int i = threadIdx.x + j * 1024;
    key[j] = i < row.segments ? ordered(room.maxima[i]) : 0;
  }
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    int count = 0;
#pragma unroll
    for (int j = 0; j < most_segments / 1024; j++)
      if (j * 1024 < row.segments) count += __syncthreads_count(key[j] >= middle);
    if (count < n) high = middle;
    else low = middle;
    if (count >= n && count <= n + n / 4 + 8) break;
  }
  return low;
}

static __device__ __forceinline__ void list(SampleRoom& room, float v, int id) {
  int at = atomicAdd(&room.listed, 1);
  if (at < list_size) room.value[at] = v, room.id[at] = id;
}

// Brings the list into the order of ranks.
static __device__ void sort_list(SampleRoom& room) {
  constexpr int each = list_size / 1024;
  int listed = room.listed, id[each], place[each];
  float v[each];
#pragma unroll
  for (int j = 0; j < each; j++) {
    int i = threadIdx.x + j * 1024;
    if (i >= listed) break;
    v[j] = room.value[i], id[j] = room.id[i], place[j] = 0;
    u64 mine = rank_of(v[j], id[j]);
#pragma unroll 4
    for (int o = 0; o < listed; o++) place[j] += rank_of(room.value[o], room.id[o]) < mine;
  }
  __syncthreads();
#pragma unroll
  for (int j = 0; j < each; j++) {
    if (threadIdx.x + j * 1024 >= listed) break;
    room.value[place[j]] = v[j], room.id[place[j]] = id[j];
  }
  __syncthreads();
}

// Lists the n likeliest tokens, at most list_size, in the order of their ranks, and
// perhaps some after them. Returns how many of the n there are.
static __device__ int list_likeliest(const Row& row, SampleRoom& room, int n) {
  int lane = threadIdx.x & 31;
  __syncthreads();
  if (threadIdx.x == 0) room.listed = n <= 512 ? 0 : list_size + 1;
  __syncthreads();
  if (n <= 512) {
    uint32_t bound = bound_of(row, room, n);
    for (int i = threadIdx.x >> 5; i < row.segments; i += 32) {
      if (ordered(room.maxima[i]) < bound) continue;
      float v[4];
      load_segment(v, row.logits, i * segment, row.vocab);
      for (int j = 0; j < 4; j++)
        if (ordered(v[j]) >= bound && v[j] > -INFINITY) list(room, v[j], i * segment + lane * 4 + j);
    }
    __syncthreads();
  }
  if (room.listed > list_size) {
    u64 cut = find_cut(row, room, rank_of(-INFINITY, 0) - 1, n, false, 0);
    __syncthreads();
    if (threadIdx.x == 0) room.listed = 0;
    __syncthreads();
    for (int id = threadIdx.x; id < row.vocab; id += 1024)
      if (rank_of(row.logits[id], id) <= cut) list(room, row.logits[id], id);
    __syncthreads();
  }
  sort_list(room);
  return min(room.listed, n);
}

// How many of the first n listed tokens it takes to reach a share of their mass.
static __device__ int reach(const Row& row, SampleRoom& room, int n, float share, float scale) {
  u64 mass = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += 1024) mass += room.mass[i] = fine_weight(room.value[i], row.top, scale);
  mass = block_total(mass, room);
  u64 want = max((u64)ceil((double)share * (double)mass), (u64)1);
  if (threadIdx.x < 32) {
    int each = (n + 31) / 32, from = min(n, (int)threadIdx.x * each), to = min(n, from + each);
    u64 all = 0;
    for (int i = from; i < to; i++) all += room.mass[i];
    u64 upto = all;
    for (int o = 1; o < 32; o <<= 1) {
      u64 before = __shfl_up_sync(~0u, upto, o);
      if ((int)threadIdx.x >= o) upto += before;
    }
    unsigned reached = __ballot_sync(~0u, upto >= want);
    if (threadIdx.x == 0 && reached == 0) room.digit = n;
    if (reached != 0 && (int)threadIdx.x == __ffs(reached) - 1) {
      u64 sum = upto - all;
      int i = from;
      while (sum += room.mass[i], sum < want) i++;
      room.digit = i + 1;
    }
  }
  __syncthreads();
  return room.digit;
}
