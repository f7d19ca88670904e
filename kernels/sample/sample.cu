// Draws the token that follows each row of logits, after sample.go and philox.go: the
// same order of tokens, the same filters, the same noise. Two kernels: many blocks a row
// find the largest logit of each segment of 128 tokens and sum exponentials; then a
// block takes a row, and where top-k is at most 512 it looks only into segments that
// can hold one of the k: the k-th largest of the segments' maxima bounds the k-th
// largest logit from below. What is at least that is listed, put in order, and filtered.
// Sums of probabilities are integers (2^-40 of the likeliest token's), so that they do
// not depend on the order of adding.
// Bound: the launches and the chain of steps; without a small top-k the row passes several
// times through one multiprocessor, from the cache.
#include "likeliest.cuh"

extern "C" __global__ void __launch_bounds__(256) sample_scan(const __grid_constant__ SampleArgs a) {
  __shared__ float room[8];
  overlap_start();
  overlap_wait();
  if ((int)blockIdx.y >= *a.count) return;
  const float* row = a.logits + (size_t)blockIdx.y * a.ld;
  int warp = threadIdx.x >> 5, lane = threadIdx.x & 31, first = blockIdx.x * share + warp * 4 * segment;
  float v[4][4], most = -INFINITY, sum = 0;
#pragma unroll
  for (int j = 0; j < 4; j++) load_segment(v[j], row, first + j * segment, a.vocab);
#pragma unroll
  for (int j = 0; j < 4; j++) {
    float largest = largest_of(v[j]);
    most = fmaxf(most, largest);
    if (lane == 0) a.maxima[(size_t)blockIdx.y * most_segments + first / segment + j] = largest;
  }
  if (lane == 0) room[warp] = most;
  __syncthreads();
  for (int i = 0; i < 8; i++) most = fmaxf(most, room[i]);
  if (most > -INFINITY) {
#pragma unroll
    for (int j = 0; j < 4; j++)
      for (int i = 0; i < 4; i++) sum += expf(v[j][i] - most);
  }
  sum = block_sum(sum, room);
  if (threadIdx.x == 0) a.shares[(size_t)blockIdx.y * most_shares + blockIdx.x] = make_float2(most, sum);
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


// Reads a row's maxima, and returns the logarithm of its exponentials' sum.
static __device__ float read_row(const SampleArgs& a, Row& row, SampleRoom& room) {
  const float* maxima = a.maxima + (size_t)blockIdx.x * most_segments;
  for (int i = threadIdx.x; i < row.segments; i += 1024) room.maxima[i] = maxima[i];
  __syncthreads();
  find_top(row, room);
  const float2* shares = a.shares + (size_t)blockIdx.x * most_shares;
  double sum = 0;
  for (int i = threadIdx.x & 31; i * share < row.vocab; i += 32) sum += shares[i].y * exp((double)(shares[i].x - row.top));
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(~0u, sum, o);
  return row.top + (float)log(sum);
}

// Finds the maxima of the segments anew in which the history's tokens are.
static __device__ void update_row(Row& row, const DrawRow& r, const int* history, SampleRoom& room) {
  for (int i = threadIdx.x >> 5; i < r.history_count; i += 32) {
    if (history[i] < 0 || history[i] >= row.vocab) continue;
    float v[4];
    load_segment(v, row.logits, history[i] / segment * segment, row.vocab);
    float largest = largest_of(v);
    if ((threadIdx.x & 31) == 0) room.maxima[history[i] / segment] = largest;
  }
  __syncthreads();
  find_top(row, room);
}

// What of a row can be drawn: the first `listed` of the list, or with 0 all tokens of the
// row, up to the rank cut and not below min-p.
struct Choice {
  int listed;
  u64 cut, total;  // the sum of the weights
  float least;
  bool min_p;
  __device__ __forceinline__ bool allows(const Row& row, const DrawRow& r, float v, int id) const {
    return rank_of(v, id) <= cut && !(min_p && id != row.first && __fmul_rn(v, r.filter_scale) < least);
  }
};

// Applies the filters.
static __device__ Choice filter(const Row& row, const DrawRow& r, SampleRoom& room) {
  Choice c = {0, rank_of(-INFINITY, 0) - 1, 1ull << 40};
  c.min_p = r.flags & flag_min_p;
  c.least = __fadd_rn(__fmul_rn(row.top, r.filter_scale), r.min_p_log);
  if (r.top_k > 0 && r.top_k < row.vocab) {
    if (r.top_k <= list_size) c.listed = list_likeliest(row, room, r.top_k);
    else c.cut = find_cut(row, room, c.cut, r.top_k, false, 0);
  }
  if (r.top_p < 1 && c.listed > 0) {
    c.listed = reach(row, room, c.listed, r.top_p, r.filter_scale);
  } else if (r.top_p < 1) {
    u64 mass = 0;
    for (int id = threadIdx.x; id < row.vocab; id += 1024)
      if (rank_of(row.logits[id], id) <= c.cut) mass += weight(row.logits[id], row.top, r.filter_scale);
    mass = block_total(mass, room);
    u64 want = max((u64)ceil((double)r.top_p * (double)mass), (u64)1);
    c.cut = find_cut(row, room, c.cut, want, true, r.filter_scale);
  }
  if (c.listed > 0) c.cut = rank_of(room.value[c.listed - 1], room.id[c.listed - 1]);
  return c;
}

// Draws from what is left and sets the sum of its weights.
static __device__ int draw(const Row& row, const DrawRow& r, Choice& c, SampleRoom& room) {
  float loudest = 0, quietest = __fsub_rn(__fmul_rn(row.top, r.scale), 19.5f);
  int drawn = -1;
  u64 mass = 0;
  for (int i = threadIdx.x; i < (c.listed > 0 ? c.listed : row.vocab); i += 1024) {
    float v = c.listed > 0 ? room.value[i] : row.logits[i];
    int id = c.listed > 0 ? room.id[i] : i;
    if (!c.allows(row, r, v, id)) continue;
    mass += c.listed > 0 ? fine_weight(v, row.top, r.scale) : weight(v, row.top, r.scale);
    float scaled = __fmul_rn(v, r.scale);
    if (scaled >= quietest) larger(loudest, drawn, __fadd_rn(scaled, gumbel(r, id)), id);
  }
  c.total = block_total(mass, room);
  block_largest(loudest, drawn, room);
  return max(drawn, 0);
}

extern "C" __global__ void __launch_bounds__(1024) sample(const __grid_constant__ SampleArgs a) {
  __shared__ SampleRoom room;
  overlap_start();
  overlap_wait();
  if ((int)blockIdx.x >= *a.count) return;
  const DrawRow r = a.rows[blockIdx.x];
  Row row = {a.logits + (size_t)blockIdx.x * a.ld, a.vocab, (a.vocab + segment - 1) / segment};
  const int* history = a.history + r.history;
  float* saved = a.saved + (size_t)blockIdx.x * a.history_max;
  Drawn* others = a.alternatives + (size_t)blockIdx.x * most_alternatives;
  float log_sum = read_row(a, row, room);

  int wanted = min(r.alternatives, (int)most_alternatives), other = -1;
  if (wanted > 0) {
    int n = list_likeliest(row, room, wanted);
    if ((int)threadIdx.x < n) {
      other = room.id[threadIdx.x];
      others[threadIdx.x].log_prob = room.value[threadIdx.x] - log_sum;
    }
    if ((int)threadIdx.x < wanted) others[threadIdx.x].id = other;
    __syncthreads();
  }
  bool penalties = r.history_count > 0 && (r.repeat != 1 || r.presence != 0 || r.frequency != 0);
  if (penalties) {
    penalize(row.logits, r, history, saved, a.vocab, false);
    update_row(row, r, history, room);
  }
  bool greedy = r.temperature <= 0;
  Choice c = {0, rank_of(row.top, row.first), 1ull << 40};
  int id = row.first;
  if (!greedy) {
    c = filter(row, r, room);
    id = draw(row, r, c, room);
  }
  // What a token's chance was in the draw.
  auto chance = [&](int token) {
    float v = row.logits[token];
    if (!c.allows(row, r, v, token)) return 0.f;
    return (float)(exp((double)(greedy ? 0.f : r.scale) * (double)(v - row.top)) * 1099511627776.0 / (double)c.total);
  };
  if (other >= 0) others[threadIdx.x].prob = chance(other);
  float prob = chance(id);
  __syncthreads();
  if (penalties) penalize(row.logits, r, history, saved, a.vocab, true);
  if (threadIdx.x == 0) a.drawn[blockIdx.x] = {id, row.logits[id] - log_sum, prob};
}
