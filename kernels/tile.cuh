// How weights and activations lie in device memory.
//
// Quantised weights come in tiles of 16 rows x 256 values, tile after tile along a
// row of tiles. A tile begins with its integers in the order in which the lanes of a
// warp feed them to mma.m16n8k32: for lane (g, t) = (lane / 4, lane % 4), register i
// and byte b, the value of row g + 8*(i & 1), at 32*s + 16*(i >> 1) + 4*t + b in
// sub-block s of 32. Low four bits: [s / 2][lane][i], even sub-blocks in the low
// nibble. A fifth bit: [lane][i], bit s of each byte. Two high bits (Q6_K):
// [s / 4][lane][i], bits 2*(s % 4). Q8_0: [s][lane][i], whole bytes. Then come 16
// bytes of scales for each row, as the type needs them. Signed types (Q4_0, Q5_0,
// Q6_K) are stored as two's complement, and are read into the top bits of a byte,
// which makes them 16, 8 or 4 times too large. MXFP4 has as low bits numbers that stand
// for values (mxfp4_number): [s / 2][lane][i], of even sub-blocks in the low half of a word,
// of odd ones in the high half. Its scales are BF16, half of the file's.
//
// Float weights come in tiles of 16 rows x 16 values: lane (g, t) holds values
// 4*t .. 4*t+3 of row g and then of row g + 8.
//
// Activations for quantised weights are rounded to bytes, 256 values at a time in the
// order [s / 2][t][s % 2][k / 16 % 2][4], and beside them stands a record for each
// 256: for K types (form 2) the sums of each 32 as 64*high + low, high[8], low[8],
// then the scale; for the others (form 1) the scales of each 32 and the scales times
// the sums.
#pragma once
#include "common.cuh"

enum { F32 = 0, F16 = 1, Q4_0 = 2, Q4_1 = 3, Q5_0 = 6, Q5_1 = 7, Q8_0 = 8, Q4_K = 12, Q5_K = 13, Q6_K = 14, BF16 = 30, MXFP4 = 39 };

enum { form_float = 0, form_q8 = 1, form_q8k = 2 };
enum { record_q8 = 64, record_q8k = 32, record_halves = 36 };

template <int T> struct Layout {
  static constexpr bool k = T == Q4_K || T == Q5_K || T == Q6_K;
  static constexpr bool fifth = T == Q5_0 || T == Q5_1 || T == Q5_K;
  static constexpr bool minimum = T == Q4_1 || T == Q5_1;
  static constexpr int low = T == Q8_0 ? 8 : 4;              // in 512 bytes
  static constexpr int high = fifth ? 1 : T == Q6_K ? 2 : 0;  // likewise
  static constexpr int scales = (low + high) * 512;           // where they begin
  static constexpr int bytes = scales + 256 + (minimum ? 256 : 0) + (T == Q6_K ? 32 : 0);
};

// The size of a tile, by number.
static __device__ __forceinline__ int tile_bytes(int type) {
  switch (type) {
    case F32: return 1024;
    case F16: case BF16: return 512;
    case Q4_0: return Layout<Q4_0>::bytes;
    case Q4_1: return Layout<Q4_1>::bytes;
    case Q5_0: return Layout<Q5_0>::bytes;
    case Q5_1: return Layout<Q5_1>::bytes;
    case Q8_0: return Layout<Q8_0>::bytes;
    case Q4_K: return Layout<Q4_K>::bytes;
    case Q5_K: return Layout<Q5_K>::bytes;
    case MXFP4: return Layout<MXFP4>::bytes;
    default: return Layout<Q6_K>::bytes;
  }
}

// MXFP4's codes are numbered anew: twice the values are 0 2 4 8 -1 -3 -6 -12 for 0 to 7 and
// 1 3 6 12 -2 -4 -8 for 8 to 14, so that n and n + 8 have the same sign. Four at once are
// looked up in two tables of eight, where a number of the other table's gives eight times the
// top bit at its place: nothing in the second, which has negative values' complements; in
// the first, what turns such a complement over. The exclusive or of both is the value.

// The number of a code in the file: a sign and three bits of magnitude.
static __device__ __forceinline__ int mxfp4_number(int code) {
  int negative = code >> 3, m = (code & 7) - negative;
  return m < 0 ? 0 : (m & 1) << 3 | negative << 2 | m >> 1;
}

// What the numbers in the low half of n stand for, as signed bytes.
static __device__ __forceinline__ uint32_t mxfp4_bytes(uint32_t n) {
  return bytes_or_signs(0x08040200, 0xf4fafdff, n) ^ bytes_or_signs(0x0c060301, 0x0b070301, n ^ 0x8888);
}

// The same as the high bytes of halves; their low bytes are 0.
static __device__ __forceinline__ uint32_t mxfp4_halves(uint32_t n) {
  return bytes_or_signs(0x48444000, 0xcac6c2bc, n) ^ bytes_or_signs(0x4a46423c, 0x35373b3f, n ^ 0x8888);
}

// A warp's 256 values, eight neighbours a lane, rounded the way the CPU's forms do. All
// lanes take part.
struct Bytes {
  int n[8];
  int sum;         // of the 32 values of four lanes
  float top, inverse;  // the largest of the 256, or of the 32; what the values were multiplied by

  __device__ __forceinline__ Bytes(const float v[8], bool all) {
    top = 0, sum = 0;
    for (int i = 0; i < 8; i++) top = fmaxf(top, fabsf(v[i]));
    for (int o = 1; o < (all ? 32 : 4); o <<= 1) top = fmaxf(top, __shfl_xor_sync(~0u, top, o));
    inverse = top > 0 ? __fdiv_rn(127.f, top) : 0.f;
    for (int i = 0; i < 8; i++) {
      n[i] = __float2int_rn(__fmul_rn(v[i], inverse));
      sum += n[i];
    }
    sum += __shfl_xor_sync(~0u, sum, 1);
    sum += __shfl_xor_sync(~0u, sum, 2);
  }
  // Of the K types' form, and of the other.
  __device__ __forceinline__ float scale() const { return top > 0 ? __fdiv_rn(1.f, inverse) : 0.f; }
  __device__ __forceinline__ float half_scale() const { return __half2float(__float2half_rn(__fdiv_rn(top, 127.f))); }
  __device__ __forceinline__ int high() const { return (sum + 32) >> 6; }
  __device__ __forceinline__ int low() const { return sum - 64 * high(); }
  // Four neighbours, the first in the lowest byte.
  __device__ __forceinline__ uint32_t word(int h) const {
    return (n[4 * h] & 255) | (n[4 * h + 1] & 255) << 8 | (n[4 * h + 2] & 255) << 16 | (uint32_t)n[4 * h + 3] << 24;
  }
};

// Writes them as bytes with their record.
static __device__ __forceinline__ void store_bytes(const Bytes& b, int form, int8_t* q, uint8_t* record) {
  int lane = threadIdx.x & 31, s = lane >> 2;
  uint32_t words[2] = {b.word(0), b.word(1)};
  // Values 8*(lane & 3) .. +7 of the sub-block: half (lane & 3) / 2, and two of its
  // four groups t.
  uint32_t* to = (uint32_t*)q + (s >> 1) * 16 + (s & 1) * 2 + ((lane >> 1) & 1) + (lane & 1) * 8;
  to[0] = words[0];
  to[4] = words[1];
  if (lane & 3) return;
  if (form == form_q8k) {
    record[s] = (uint8_t)b.high();
    record[8 + s] = (uint8_t)b.low();
    if (lane == 0) *(float*)(record + 16) = b.scale();
    return;
  }
  float scale = b.half_scale();
  ((float*)record)[s] = scale;
  ((float*)record)[8 + s] = __fmul_rn(scale, (float)b.sum);
}

static __device__ __forceinline__ uint32_t two_halves(int a, int b) {
  __half2 v = __halves2half2(__int2half_rn(a), __int2half_rn(b));
  return *(uint32_t*)&v;
}

// Where an operation leaves its result rounded for the products that read it next.
struct Rounded {
  int8_t* q;        // null: nowhere
  uint8_t* record;
  uint8_t* gathered;
  int form, chunks;  // 256 values each
  int padded, pad;   // rows gathered, or 0: none
};

// Writes the integers as halves too: [256 a chunk][64 of them][padded][64], then records
// [chunk][padded floats: scales][padded][8 pairs: the sums]. Of 64 values, those of 16 are
// two pieces of 16 bytes: word t of the first holds values 4t and 4t + 2, of the second
// 4t + 1 and 4t + 3; a row's pieces lie at (piece ^ row % 8). The sums of sub-blocks 2t and
// 2t + 1 are 64 times the first pair of two, and the second.
static __device__ __forceinline__ void store_halves(const Bytes& b, const Rounded& r, int row, int chunk) {
  int lane = threadIdx.x & 31, s = lane >> 2, piece = lane & 6, t = 2 * (lane & 1);
  uint8_t* to = r.gathered + ((size_t)(chunk * 4 + (lane >> 3)) * r.padded + row) * 128 + t * 4;
  *(uint2*)(to + (piece ^ (row & 7)) * 16) = make_uint2(two_halves(b.n[0], b.n[2]), two_halves(b.n[4], b.n[6]));
  *(uint2*)(to + ((piece + 1) ^ (row & 7)) * 16) = make_uint2(two_halves(b.n[1], b.n[3]), two_halves(b.n[5], b.n[7]));
  if (lane & 3) return;
  uint8_t* record = r.gathered + (size_t)r.chunks * r.padded * 512 + (size_t)chunk * r.padded * record_halves;
  __half* sums = (__half*)(record + r.padded * 4 + row * 32 + (s >> 1) * 8 + (s & 1) * 2);
  sums[0] = __int2half_rn(b.high());
  sums[2] = __int2half_rn(b.low());
  if (lane == 0) ((float*)record)[row] = b.scale();
}

// Writes the bytes again in the order in which a warp that has copied a chunk of all rows wants them: of each
// chunk [row / 8][s / 2][row % 8][t][s % 2][k / 16 % 2][4], scales [row / 8][s / 2][row % 8 / 2][s % 2][row % 2],
// and, likewise, scales times sums.
static __device__ __forceinline__ void store_ordered(const Bytes& b, const Rounded& r, int row, int chunk) {
  int lane = threadIdx.x & 31, s = lane >> 2, pair = (row >> 3) * 4 + (s >> 1);
  uint8_t* to = r.gathered + (size_t)chunk * r.padded * (256 + record_q8);
  uint32_t* values = (uint32_t*)(to + pair * 512 + (row & 7) * 64 + (lane & 1) * 32 + (s & 1) * 8 + ((lane >> 1) & 1) * 4);
  values[0] = b.word(0);
  values[4] = b.word(1);
  if (lane & 3) return;
  float scale = b.half_scale();
  float* scales = (float*)(to + r.padded * 256 + pair * 64 + ((row & 7) >> 1) * 16 + (s & 1) * 8 + (row & 1) * 4);
  scales[0] = scale;
  scales[r.padded * 8] = __fmul_rn(scale, (float)b.sum);
}

static __device__ __forceinline__ void emit(const Rounded& r, int row, int chunk, const float v[8]) {
  if (r.q == nullptr) return;
  Bytes b(v, r.form == form_q8k);
  size_t at = (size_t)row * r.chunks + chunk;
  store_bytes(b, r.form, r.q + at * 256, r.record + at * (r.form == form_q8k ? record_q8k : record_q8));
  if (r.padded == 0) return;
  if (r.form == form_q8k) store_halves(b, r, row, chunk);
  else store_ordered(b, r, row, chunk);
}
