// Draws the token that follows each row of logits, after sample.go and philox.go: the
// same order of tokens, the same filters, the same noise. A block takes a row.
// Where top-k is at most 512, everything after the first pass looks at a short list
// of candidates in shared memory: the 1024 threads' own maxima bound the k-th largest
// logit from below. Sums of probabilities are integers (2^-40 of the likeliest token's),
// so that they do not depend on the order of adding.
// Bound: the row passes through one multiprocessor two to three times, from the cache;
// less than a 40th of an 8B model's step (H200, 2026-11-29).
#include "tile.cuh"

enum { flag_temperature_last = 1, flag_min_p = 2 };
enum { most_alternatives = 64, list_size = 2048 };

struct DrawRow {
  float temperature, scale, filter_scale, top_p, min_p_log, repeat, presence, frequency;
  int top_k;
  unsigned seed_low, seed_high;
  int pos, history, history_count, alternatives, flags;
};

struct Drawn {
  int id;
  float log_prob, prob;
};

struct SampleArgs {
  float* logits;
  const DrawRow* rows;
  const int* history;
  const int* count;  // rows
  Drawn* drawn;
  Drawn* alternatives;  // most_alternatives a row
  float* saved;         // room for the logits of a row's history
  int vocab, ld, history_max, pad;
};

typedef unsigned long long u64;

struct SampleRoom {
  float value[list_size];
  int id[list_size];
  int counts[256];
  u64 masses[256];
  float floats[32];
  double doubles[32];
  u64 wide[32];
  int listed, digit;
  u64 before;
  int before_count;
};

static __device__ __forceinline__ uint32_t ordered(float v) {
  uint32_t b = __float_as_uint(__fadd_rn(v, 0.f));
  return b >> 31 ? ~b : b | 0x80000000u;
}

static __device__ __forceinline__ u64 rank_of(float v, int id) { return (u64)(~ordered(v)) << 32 | (uint32_t)id; }

// Philox4x32-10 at one counter; see philox.go.
static __device__ uint32_t philox(uint32_t c0, uint32_t c1, uint32_t k0, uint32_t k1, int word) {
  uint32_t c2 = 0, c3 = 0;
  for (int i = 0; i < 10; i++) {
    uint32_t ah = __umulhi(c0, 0xD2511F53u), al = c0 * 0xD2511F53u;
    uint32_t bh = __umulhi(c2, 0xCD9E8D57u), bl = c2 * 0xCD9E8D57u;
    c0 = bh ^ c1 ^ k0;
    c1 = bl;
    c2 = ah ^ c3 ^ k1;
    c3 = al;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return word == 0 ? c0 : word == 1 ? c1 : word == 2 ? c2 : c3;
}

static __device__ float log_float(float x) {
  const float q[9] = {-0.4999999701976776f, 0.3333333134651184f, -0.2500078082084656f,
                      0.20001234114170074f, -0.16626645624637604f, 0.14204855263233185f,
                      -0.13127554953098297f, 0.12722672522068024f, -0.07673641294240952f};
  uint32_t bits = __float_as_uint(x);
  int e = (int)(bits - 0x3f3504f3u) >> 23;
  float f = __fsub_rn(__uint_as_float(bits - ((uint32_t)e << 23)), 1.f);
  float p = q[8];
  for (int i = 7; i >= 0; i--) p = __fadd_rn(__fmul_rn(p, f), q[i]);
  float y = __fadd_rn(__fmul_rn(__fmul_rn(f, f), p), __fmul_rn((float)e, -2.1219444005471377e-4f));
  return __fadd_rn(__fadd_rn(y, f), __fmul_rn((float)e, 0.693359375f));
}

static __device__ float gumbel(const DrawRow& r, int id) {
  uint32_t word = philox((uint32_t)id >> 2, (uint32_t)r.pos, r.seed_low, r.seed_high, id & 3);
  float u = (float)(word >> 8 | 1) * 5.9604644775390625e-8f;
  return -log_float(-log_float(u));
}

// The larger of two tokens by value, then by lower id.
static __device__ __forceinline__ void larger(float& v, int& id, float other, int its) {
  if (its >= 0 && (id < 0 || other > v || (other == v && its < id))) v = other, id = its;
}

static __device__ void block_largest(float& v, int& id, SampleRoom& room) {
  for (int o = 16; o > 0; o >>= 1) {
    float other = __shfl_xor_sync(~0u, v, o);
    int its = __shfl_xor_sync(~0u, id, o);
    larger(v, id, other, its);
  }
  __syncthreads();
  if ((threadIdx.x & 31) == 0) room.floats[threadIdx.x >> 5] = v, room.counts[threadIdx.x >> 5] = id;
  __syncthreads();
  v = room.floats[0], id = room.counts[0];
  for (int i = 1; i < 32; i++) larger(v, id, room.floats[i], room.counts[i]);
  __syncthreads();
}

static __device__ u64 block_total(u64 v, SampleRoom& room) {
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
  __syncthreads();
  if ((threadIdx.x & 31) == 0) room.wide[threadIdx.x >> 5] = v;
  __syncthreads();
  v = 0;
  for (int i = 0; i < 32; i++) v += room.wide[i];
  __syncthreads();
  return v;
}

// The tokens that a block looks at: the whole row, or the list.
struct View {
  const float* row;
  SampleRoom* room;
  int n;
  bool list;
  template <class F> __device__ __forceinline__ void each(F f) const {
    if (list)
      for (int i = threadIdx.x; i < n; i += 1024) f(room->value[i], room->id[i]);
    else
      for (int i = threadIdx.x; i < n; i += 1024) f(row[i], i);
  }
  __device__ __forceinline__ u64 weight(float v, float best, float scale) const {
    return list ? (u64)(exp((double)scale * (double)(v - best)) * 1099511627776.0 + 0.5)
                : (u64)((double)expf(scale * (v - best)) * 1099511627776.0 + 0.5);
  }
};

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
// (want, by_mass false) or a sum of weights, among those up to limit.
static __device__ u64 find_cut(const View& view, SampleRoom& room, u64 limit, u64 want, bool by_mass, float best, float scale) {
  u64 prefix = 0;
  for (int shift = 56; shift >= 0; shift -= 8) {
    for (int i = threadIdx.x; i < 256; i += 1024) room.counts[i] = 0, room.masses[i] = 0;
    __syncthreads();
    view.each([&](float v, int id) {
      u64 r = rank_of(v, id);
      if (r > limit || (shift < 56 && (r ^ prefix) >> (shift + 8))) return;
      int digit = (r >> shift) & 255;
      atomicAdd(&room.counts[digit], 1);
      if (by_mass) atomicAdd(&room.masses[digit], view.weight(v, best, scale));
    });
    __syncthreads();
    if (threadIdx.x < 32) find_digit(room, want, by_mass);
    __syncthreads();
    int digit = room.digit, many = room.before_count;
    if (many == 0) return limit;
    prefix |= (u64)digit << shift;
    want -= room.before;
    __syncthreads();
    if (many > 1 && (by_mass || (u64)many != want)) continue;
    // All that are left of this digit belong to the cut. A list knows nothing of the
    // row's other tokens there, so its cut is the last token's own rank.
    u64 cut = min(limit, prefix | ((1ull << shift) - 1));
    if (!view.list) return cut;
    if (threadIdx.x == 0) room.before = 0;
    __syncthreads();
    view.each([&](float v, int id) {
      u64 r = rank_of(v, id);
      if (r <= cut) atomicMax(&room.before, r);
    });
    __syncthreads();
    return room.before;
  }
  return prefix;
}

// Puts the tokens that can be among the n likeliest on the list, if they fit. mine is
// the largest value that the thread saw.
static __device__ bool list_likeliest(const float* row, int vocab, SampleRoom& room, float mine, int n) {
  if (n > 512) return false;
  // The n-th largest of the threads' maxima, by the same search over a list of them.
  room.value[threadIdx.x] = mine;
  room.id[threadIdx.x] = threadIdx.x;
  __syncthreads();
  View maxima = {nullptr, &room, 1024, true};
  u64 cut = find_cut(maxima, room, ~0ull, n, false, 0, 0);
  uint32_t bound = (uint32_t)(cut >> 32);
  __syncthreads();
  if (threadIdx.x == 0) room.listed = 0;
  __syncthreads();
#pragma unroll 8
  for (int i = threadIdx.x; i < vocab; i += 1024) {
    float v = row[i];
    if (~ordered(v) > bound || v == -INFINITY) continue;
    int at = atomicAdd(&room.listed, 1);
    if (at < list_size) room.value[at] = v, room.id[at] = i;
  }
  __syncthreads();
  return room.listed <= list_size;
}

static __device__ void largest_of(const float* row, int vocab, float& mine, float& top, int& id, SampleRoom& room) {
  mine = -INFINITY;
  int at = -1;
#pragma unroll 8
  for (int i = threadIdx.x; i < vocab; i += 1024) {
    float v = row[i];
    if (at < 0 || v > mine) mine = v, at = i;
  }
  top = mine, id = at;
  block_largest(top, id, room);
}

// Lowers the logits of the history's tokens and keeps the old ones in saved; a token
// that stands there twice is handled by its first place.
static __device__ void penalize(float* row, const DrawRow& r, const int* history, float* saved, int vocab, bool back) {
  for (int i = threadIdx.x; i < r.history_count; i += 1024) {
    int id = history[i], times = 0;
    bool first = id >= 0 && id < vocab;
    for (int j = 0; j < r.history_count && first; j++) {
      times += history[j] == id;
      if (j < i && history[j] == id) first = false;
    }
    if (!first) continue;
    if (back) {
      row[id] = saved[i];
      continue;
    }
    float v = row[id];
    saved[i] = v;
    v = v <= 0 ? __fmul_rn(v, r.repeat) : __fdiv_rn(v, r.repeat);
    row[id] = __fsub_rn(v, __fadd_rn(__fmul_rn((float)times, r.frequency), r.presence));
  }
  __syncthreads();
}

extern "C" __global__ void __launch_bounds__(1024) sample(const __grid_constant__ SampleArgs a) {
  __shared__ SampleRoom room;
  overlap_start();
  overlap_wait();
  if ((int)blockIdx.x >= *a.count) return;
  const DrawRow r = a.rows[blockIdx.x];
  float* row = a.logits + (size_t)blockIdx.x * a.ld;
  const int* history = a.history + r.history;
  float* saved = a.saved + (size_t)blockIdx.x * a.history_max;
  Drawn* others = a.alternatives + (size_t)blockIdx.x * most_alternatives;
  float mine, top;
  int first;
  largest_of(row, a.vocab, mine, top, first, room);
  float part = 0;
#pragma unroll 8
  for (int i = threadIdx.x; i < a.vocab; i += 1024) part += expf(row[i] - top);
  for (int o = 16; o > 0; o >>= 1) part += __shfl_xor_sync(~0u, part, o);
  if ((threadIdx.x & 31) == 0) room.doubles[threadIdx.x >> 5] = part;
  __syncthreads();
  double whole = 0;
  for (int i = 0; i < 32; i++) whole += room.doubles[i];
  float log_sum = top + (float)log(whole);

  int wanted = min(r.alternatives, (int)most_alternatives);
  for (int i = threadIdx.x; i < wanted; i += 1024) others[i].id = -1;
  if (wanted > 0) {
    View view = {row, &room, a.vocab, false};
    if (list_likeliest(row, a.vocab, room, mine, wanted)) view.list = true, view.n = room.listed;
    u64 cut = find_cut(view, room, rank_of(-INFINITY, 0) - 1, wanted, false, 0, 0);
    __syncthreads();
    // The chosen few stand at the list's end while their places are counted.
    if (threadIdx.x == 0) room.digit = 0;
    __syncthreads();
    view.each([&](float v, int id) {
      if (rank_of(v, id) <= cut && rank_of(v, id) < rank_of(-INFINITY, 0)) {
        int at = atomicAdd(&room.digit, 1);
        if (at < most_alternatives) room.masses[at] = rank_of(v, id);
      }
    });
    __syncthreads();
    int n = min(room.digit, wanted);
    if ((int)threadIdx.x < n) {
      int place = 0;
      for (int i = 0; i < n; i++) place += room.masses[i] < room.masses[threadIdx.x];
      int id = (int)(uint32_t)room.masses[threadIdx.x];
      others[place].id = id;
      others[place].log_prob = row[id] - log_sum;
    }
    __syncthreads();
  }

  bool penalties = r.history_count > 0 && (r.repeat != 1 || r.presence != 0 || r.frequency != 0);
  if (penalties) {
    penalize(row, r, history, saved, a.vocab, false);
    largest_of(row, a.vocab, mine, top, first, room);
  }
  float best = top;
  int id = first;
  u64 cut = rank_of(best, first), total = 1ull << 40;
  View view = {row, &room, a.vocab, false};
  float least = 0;
  bool min_p = r.flags & flag_min_p, greedy = r.temperature <= 0;
  if (!greedy) {
    cut = rank_of(-INFINITY, 0) - 1;
    least = __fadd_rn(__fmul_rn(best, r.filter_scale), r.min_p_log);
    if (r.top_k > 0 && r.top_k < a.vocab) {
      if (list_likeliest(row, a.vocab, room, mine, r.top_k)) view.list = true, view.n = room.listed;
      cut = find_cut(view, room, cut, r.top_k, false, 0, 0);
      __syncthreads();
    }
    if (r.top_p < 1) {
      u64 mass = 0;
      view.each([&](float v, int i) {
        if (rank_of(v, i) <= cut) mass += view.weight(v, best, r.filter_scale);
      });
      mass = block_total(mass, room);
      u64 want = (u64)ceil((double)r.top_p * (double)mass);
      cut = find_cut(view, room, cut, want > 0 ? want : 1, true, best, r.filter_scale);
      __syncthreads();
    }
    float loudest = 0, quietest = __fsub_rn(__fmul_rn(best, r.scale), 19.5f);
    int drawn = -1;
    u64 mass = 0;
    view.each([&](float v, int i) {
      if (rank_of(v, i) > cut) return;
      if (min_p && i != first && __fmul_rn(v, r.filter_scale) < least) return;
      mass += view.weight(v, best, r.scale);
      float scaled = __fmul_rn(v, r.scale);
      if (scaled < quietest) return;
      larger(loudest, drawn, __fadd_rn(scaled, gumbel(r, i)), i);
    });
    total = block_total(mass, room);
    block_largest(loudest, drawn, room);
    id = max(drawn, 0);
  }
  // What a token's chance was in the draw.
  auto chance = [&](int token) {
    float v = row[token];
    if (rank_of(v, token) > cut) return 0.f;
    if (!greedy && min_p && token != first && __fmul_rn(v, r.filter_scale) < least) return 0.f;
    return (float)(exp((double)(greedy ? 0.f : r.scale) * (double)(v - best)) * 1099511627776.0 / (double)total);
  };
  if ((int)threadIdx.x < wanted && others[threadIdx.x].id >= 0) others[threadIdx.x].prob = chance(others[threadIdx.x].id);
  if (threadIdx.x == 0) a.drawn[blockIdx.x] = {id, 0, chance(id)};
  __syncthreads();
  if (penalties) penalize(row, r, history, saved, a.vocab, true);
  if (threadIdx.x == 0) a.drawn[blockIdx.x].log_prob = row[id] - log_sum;
}
