// What recurrent layers do to the rows of sequences, one token after the other: the
// causal convolution and the gated delta rule, as conv.go and deltarule.go say. Each
// sequence has a slot with its state, which a row at position 0 starts from zero. The
// sums of a row do not depend on how its sequence was cut into steps.
// Bound: for few rows the state, read and written once (memory); for a long piece
// of one sequence the chain from token to token.
#include "common.cuh"

// Some neighbouring rows of one sequence.
struct Piece {
  int first, count;  // count is 0 where there is none
  int slot, fresh;   // fresh: the sequence begins here
};

static __device__ __forceinline__ float silu(float x) { return __fdiv_rn(x, 1.f + expf(-x)); }

struct ConvArgs {
  float* out;
  const float* in;
  const float* weight;  // [channels][taps]
  float* state;         // [slots][taps - 1][channels], the oldest row first
  const Piece* pieces;  // one each blockIdx.y
  int channels, taps, silu, ldo, ldi, pad;
};

enum { most_taps = 4 };

// A thread takes a channel of a piece; out may be in.
extern "C" __global__ void __launch_bounds__(128) conv_rows(const __grid_constant__ ConvArgs a) {
  overlap_start();
  int c = blockIdx.x * blockDim.x + threadIdx.x, none = most_taps - a.taps;
  if (c >= a.channels) return;
  float w[most_taps], past[most_taps - 1];
  for (int i = 0; i < most_taps; i++) w[i] = i < none ? 0.f : a.weight[c * a.taps + i - none];
  overlap_wait();
  Piece p = a.pieces[blockIdx.y];
  if (p.count == 0) return;
  float* state = a.state + (size_t)p.slot * (a.taps - 1) * a.channels + c;
  for (int i = 0; i < most_taps - 1; i++)
    past[i] = i < none || p.fresh ? 0.f : state[(i - none) * a.channels];
  const float* in = a.in + (size_t)p.first * a.ldi + c;
  float* out = a.out + (size_t)p.first * a.ldo + c;
  enum { ahead = 16 };  // rows that are on their way at a time
  for (int r = 0; r < p.count; r += ahead) {
    float x[ahead];
#pragma unroll
    for (int i = 0; i < ahead; i++) x[i] = r + i < p.count ? in[(size_t)(r + i) * a.ldi] : 0.f;
#pragma unroll
    for (int i = 0; i < ahead; i++) {
      if (r + i >= p.count) break;
      float sum = w[0] * past[0] + w[1] * past[1] + w[2] * past[2] + w[3] * x[i];
      out[(size_t)(r + i) * a.ldo] = a.silu ? silu(sum) : sum;
      past[0] = past[1], past[1] = past[2], past[2] = x[i];
    }
  }
  for (int i = 0; i < most_taps - 1; i++)
    if (i >= none) state[(i - none) * a.channels] = past[i];
}

struct DeltaArgs {
  float* out;
  const float *q, *k, *v, *alpha, *beta;
  const float *decay, *bias;  // of each head
  float* state;               // [slots][heads][value_dim][keys], keys being key_dim rounded up to 32
  const Piece* pieces;        // one each blockIdx.z
  int key_heads, key_dim, value_dim, heads;
  int ldo, ldq, ldk, ldv, lda, ldb;
  float eps;
  int pad;
};

enum { most_keys = 128, delta_rows = 32, delta_columns = 32 };

// What a block knows of delta_rows rows: keys and queries of unit length, the queries
// also over the root of their number.
struct DeltaRows {
  float q[delta_rows][most_keys], k[delta_rows][most_keys], v[delta_rows][delta_columns];
  float decay[delta_rows], beta[delta_rows], both[delta_rows];  // both: k·q
};

// A warp prepares one row: what no column has for itself.
static __device__ __forceinline__ void delta_prepare(DeltaRows& s, const DeltaArgs& a, int i, int row, int head, int column) {
  int lane = threadIdx.x & 31;
  const float* q = a.q + (size_t)row * a.ldq + head % a.key_heads * a.key_dim;
  const float* k = a.k + (size_t)row * a.ldk + head % a.key_heads * a.key_dim;
  float x[4], y[4], xx = 0, yy = 0, xy = 0;
  for (int j = 0; j < 4; j++) {
    int at = lane + 32 * j;
    x[j] = at < a.key_dim ? q[at] : 0.f;
    y[j] = at < a.key_dim ? k[at] : 0.f;
    xx += x[j] * x[j];
    yy += y[j] * y[j];
    xy += x[j] * y[j];
  }
  if (column + lane < a.value_dim) s.v[i][lane] = a.v[(size_t)row * a.ldv + head * a.value_dim + column + lane];
  xx = __fdiv_rn(rsqrtf((float)a.key_dim), fmaxf(sqrtf(warp_sum(xx)), a.eps));
  yy = __fdiv_rn(1.f, fmaxf(sqrtf(warp_sum(yy)), a.eps));
  xy = warp_sum(xy) * xx * yy;
  for (int j = 0; j < 4; j++) {
    s.q[i][lane + 32 * j] = x[j] * xx;
    s.k[i][lane + 32 * j] = y[j] * yy;
  }
  if (lane) return;
  float alpha = a.alpha[(size_t)row * a.lda + head] + a.bias[head];
  float soft = alpha < 20.f ? log1pf(expf(alpha)) : alpha;
  s.decay[i] = expf(a.decay[head] * soft);
  s.beta[i] = __fdiv_rn(1.f, 1.f + expf(-a.beta[(size_t)row * a.ldb + head]));
  s.both[i] = xy;
}

static __device__ __forceinline__ float sum_of_eight(float v) {
  for (int o = 4; o > 0; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
  return v;
}

// A block takes 32 columns of a head's state, which do not meet, for all rows of a
// piece; eight lanes a column, lane p the keys 32*m + 4*p .. +3. With S decayed,
// Sᵀq after the change is Sᵀq before it and the change times k·q.
extern "C" __global__ void __launch_bounds__(256) delta_rule(const __grid_constant__ DeltaArgs a) {
  __shared__ __align__(16) DeltaRows s;
  overlap_start();
  overlap_wait();
  Piece p = a.pieces[blockIdx.z];
  if (p.count == 0) return;
  int head = blockIdx.y, columns = blockIdx.x * delta_columns, mine = threadIdx.x >> 3, part = (threadIdx.x & 7) * 4;
  int keys = (a.key_dim + 31) / 32 * 32;
  bool there = columns + mine < a.value_dim;
  float* state = a.state + (((size_t)p.slot * a.heads + head) * a.value_dim + columns + mine) * keys + part;
  float S[4][4] = {};
#pragma unroll
  for (int m = 0; m < 4; m++)
    if (there && !p.fresh && 32 * m < keys) *(float4*)S[m] = *(const float4*)(state + 32 * m);
  for (int r = 0; r < p.count; r += delta_rows) {
    int rows = min(delta_rows, p.count - r);
    __syncthreads();
    for (int i = threadIdx.x >> 5; i < rows; i += 8) delta_prepare(s, a, i, p.first + r + i, head, columns);
    __syncthreads();
    for (int i = 0; i < rows; i++) {
      float decay = s.decay[i], held = 0, out = 0, k[4][4];
#pragma unroll
      for (int m = 0; m < 4; m++) {
        float q[4];
        *(float4*)k[m] = *(const float4*)&s.k[i][32 * m + part];
        *(float4*)q = *(const float4*)&s.q[i][32 * m + part];
        for (int j = 0; j < 4; j++) {
          S[m][j] *= decay;
          held += S[m][j] * k[m][j];
          out += S[m][j] * q[j];
        }
      }
      held = sum_of_eight(held);
      out = sum_of_eight(out);
      float change = s.beta[i] * (s.v[i][mine] - held);
#pragma unroll
      for (int m = 0; m < 4; m++)
        for (int j = 0; j < 4; j++) S[m][j] += change * k[m][j];
      if (part == 0 && there)
        a.out[(size_t)(p.first + r + i) * a.ldo + head * a.value_dim + columns + mine] = out + change * s.both[i];
    }
  }
#pragma unroll
  for (int m = 0; m < 4; m++)
    if (there && 32 * m < keys) *(float4*)(state + 32 * m) = *(float4*)S[m];
}
