// Scores, weights and sums of a block: what it makes of a tile of keys and values that
// stands in shared memory.
#pragma once
#include "feed.cuh"
#include "soften.cuh"

// A block's sums over the tiles of an item. In scores and sums lane (g, t) has of rows
// mt * 16 + g (h = 0) and + 8 (h = 1) two neighbours each; a warp scores 16 of a tile's
// positions and adds up a quarter of the dimensions.
//
// Up to 8 rows leave half of a product's 16 rows empty: then those below take the low
// halves (folded), and one product does what else takes two. So that both ways give the
// same bits, kernels that fold keep what the low halves come to apart to the end.
template <int D, int MT, bool folds> struct HeadSums {
  static constexpr int ld = D + 8, ldp = positions + 8, NT = D / 32;
  Room<D, MT>& room;
  int rows, group, of_group, lane, warp, g, t;
  bool folded;
  int pos[MT][2];  // of the lane's rows
  float out[MT][NT][4], low[folds ? NT : 1][4], top[MT][2], sum[MT][2], s[MT][2][4];

  __device__ __forceinline__ HeadSums(Room<D, MT>& room, const AttendArgs& a) : room(room), group(a.group), of_group(a.of_group) {
    lane = threadIdx.x & 31, warp = threadIdx.x >> 5, g = lane >> 2, t = lane & 3;
  }

  __device__ __forceinline__ void begin(int count) {
    rows = count;
    folded = folds && rows <= 8;
#pragma unroll
    for (int mt = 0; mt < MT; mt++)
#pragma unroll
      for (int h = 0; h < 2; h++) {
        top[mt][h] = no_score, sum[mt][h] = 0;
        pos[mt][h] = room.pos[divided(min(mt * 16 + g + 8 * h, rows - 1), of_group)];
#pragma unroll
        for (int i = 0; i < NT; i++) {
          out[mt][i][2 * h] = out[mt][i][2 * h + 1] = 0;
          if (folds) low[i][2 * h] = low[i][2 * h + 1] = 0;
        }
      }
  }

  // Queries times keys, where the low halves are rows of the same products.
  __device__ __forceinline__ void multiply_folded(const __half* keys) {
#pragma unroll
    for (int i = 0; i < 4; i++) s[0][0][i] = s[0][1][i] = 0;
#pragma unroll 4
    for (int k = 0; k < D; k += 16) {
      uint32_t b[4], x[4];
      load_matrices(b, shared_address(keys + (warp * 16 + (lane & 7) + (lane >> 4) * 8) * ld + k + ((lane >> 3) & 1) * 8));
      load_matrices(x, shared_address(room.q_high + (lane & 15) * ld + k + (lane >> 4) * 8));
#pragma unroll
      for (int n = 0; n < 2; n++) mma_f16(s[0][n], x, b[2 * n], b[2 * n + 1]);
    }
#pragma unroll
    for (int n = 0; n < 2; n++) s[0][n][0] += s[0][n][2], s[0][n][1] += s[0][n][3];
  }

  // Queries times keys.
  __device__ __forceinline__ void multiply(const __half* keys) {
    if (folds && folded) {
      multiply_folded(keys);
      return;
    }
    float rest[MT][2][4] = {};
#pragma unroll
    for (int mt = 0; mt < MT; mt++)
#pragma unroll
      for (int i = 0; i < 4; i++) s[mt][0][i] = s[mt][1][i] = 0;
#pragma unroll 4
    for (int k = 0; k < D; k += 16) {
      uint32_t b[4];
      load_matrices(b, shared_address(keys + (warp * 16 + (lane & 7) + (lane >> 4) * 8) * ld + k + ((lane >> 3) & 1) * 8));
#pragma unroll
      for (int mt = 0; mt < MT; mt++) {
        if (mt > 0 && mt * 16 >= rows) break;
        uint32_t x[4], y[4];
        int at = (mt * 16 + (lane & 15)) * ld + k + (lane >> 4) * 8;
        load_matrices(x, shared_address(room.q_high + at));
        load_matrices(y, shared_address(room.q_low + at));
#pragma unroll
        for (int n = 0; n < 2; n++) {
          mma_f16(s[mt][n], x, b[2 * n], b[2 * n + 1]);
          mma_f16(rest[mt][n], y, b[2 * n], b[2 * n + 1]);
        }
      }
    }
#pragma unroll
    for (int mt = 0; mt < MT; mt++)
#pragma unroll
      for (int i = 0; i < 4; i++) s[mt][0][i] += rest[mt][0][i], s[mt][1][i] += rest[mt][1][i];
  }

  // Hides what a row must not see; the warp's largest scores go to room.tops.
  __device__ __forceinline__ void mask(const AttendArgs& a, int base, int to) {
#pragma unroll
    for (int mt = 0; mt < MT; mt++) {
      if (mt > 0 && mt * 16 >= rows) break;
      if (__builtin_expect(a.cap != 0, 0)) soften(*(float(*)[8])&s[mt], a.cap, 1.f);
#pragma unroll
      for (int h = 0; h < 2; h++) {
        if (folds && folded && h) break;
        int m = mt * 16 + g + 8 * h;
        float largest = no_score;
#pragma unroll
        for (int i = 0; i < 4; i++) {
          int p = base + warp * 16 + (i >> 1) * 8 + 2 * t + (i & 1);
          float& v = s[mt][i >> 1][2 * h + (i & 1)];
          bool seen = m < rows && p < to && p <= pos[mt][h] && (a.window == 0 || p > pos[mt][h] - a.window);
          v = seen ? v * log2_e : -INFINITY;
          largest = fmaxf(largest, v);
        }
        largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, 1));
        largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, 2));
        if (t == 0) room.tops[m * 4 + warp] = largest;
      }
    }
  }

  // Turns scores into weights of the largest so far, for all warps to read.
  __device__ __forceinline__ void weigh() {
#pragma unroll
    for (int mt = 0; mt < MT; mt++) {
      if (mt > 0 && mt * 16 >= rows) break;
#pragma unroll
      for (int h = 0; h < 2; h++) {
        if (folds && folded && h) break;
        int m = mt * 16 + g + 8 * h;
        float4 four = *(const float4*)(room.tops + m * 4);
        float now = fmaxf(fmaxf(fmaxf(four.x, four.y), fmaxf(four.z, four.w)), top[mt][h]);
        float shrink = exp2f(top[mt][h] - now), added = 0;
        top[mt][h] = now;
        sum[mt][h] *= shrink;
#pragma unroll
        for (int i = 0; i < NT; i++) {
          out[mt][i][2 * h] *= shrink, out[mt][i][2 * h + 1] *= shrink;
          if (folds && folded) out[mt][i][2] *= shrink, out[mt][i][3] *= shrink;
          else if (folds) low[i][2 * h] *= shrink, low[i][2 * h + 1] *= shrink;
        }
#pragma unroll
        for (int n = 0; n < 2; n++) {
          float u = exp2f(s[mt][n][2 * h] - now), v = exp2f(s[mt][n][2 * h + 1] - now);
          added += u + v;
          __half2 high = __floats2half2_rn(u, v);
          int at = m * ldp + warp * 16 + n * 8 + 2 * t;
          *(__half2*)(room.p_high + at) = high;
          __half* low = folds && folded ? room.p_high + 8 * ldp : room.p_low;
          *(__half2*)(low + at) = __floats2half2_rn(u - __low2float(high), v - __high2float(high));
        }
        added += __shfl_xor_sync(~0u, added, 1);
        added += __shfl_xor_sync(~0u, added, 2);
        if (t == 0) room.sums[m * 4 + warp] = added;
      }
    }
  }

  // Adds the weighted values, where the low halves are rows of the same products.
  __device__ __forceinline__ void add_folded(const __half* values) {
#pragma unroll 2
    for (int k = 0; k < positions; k += 16) {
      uint32_t b[4], x[4];
      load_matrices(x, shared_address(room.p_high + (lane & 15) * ldp + k + (lane >> 4) * 8));
#pragma unroll
      for (int n = 0; n < NT; n += 2) {
        load_matrices_turned(b, shared_address(values + (k + (lane & 15)) * ld + warp * (D / 4) + n * 8 + (lane >> 4) * 8));
        mma_f16(out[0][n], x, b[0], b[1]);
        mma_f16(out[0][n + 1], x, b[2], b[3]);
      }
    }
  }

  // Adds the weighted values.
  __device__ __forceinline__ void add(const __half* values) {
#pragma unroll
    for (int mt = 0; mt < MT; mt++) {
      if (mt > 0 && mt * 16 >= rows) break;
#pragma unroll
      for (int h = 0; h < 2; h++) {
        if (folds && folded && h) break;
        float4 four = *(const float4*)(room.sums + (mt * 16 + g + 8 * h) * 4);
        sum[mt][h] += ((four.x + four.y) + four.z) + four.w;
      }
    }
    if (folds && folded) {
      add_folded(values);
      return;
    }
#pragma unroll
    for (int k = 0; k < positions; k += 16) {
      uint32_t b[NT / 2][4];
#pragma unroll
      for (int n = 0; n < NT / 2; n++)
        load_matrices_turned(b[n], shared_address(values + (k + (lane & 15)) * ld + warp * (D / 4) + n * 16 + (lane >> 4) * 8));
#pragma unroll
      for (int mt = 0; mt < MT; mt++) {
        if (mt > 0 && mt * 16 >= rows) break;
        uint32_t x[4], y[4];
        int at = (mt * 16 + (lane & 15)) * ldp + k + (lane >> 4) * 8;
        load_matrices(x, shared_address(room.p_high + at));
        load_matrices(y, shared_address(room.p_low + at));
#pragma unroll
        for (int n = 0; n < NT; n++) {
          mma_f16(out[mt][n], x, b[n / 2][n % 2 * 2], b[n / 2][n % 2 * 2 + 1]);
          mma_f16(folds ? low[n] : out[mt][n], y, b[n / 2][n % 2 * 2], b[n / 2][n % 2 * 2 + 1]);
        }
      }
    }
  }

  // Writes the parts.
  __device__ __forceinline__ void put(const AttendArgs& a) const {
    int dv = a.v.dim, heads = a.q.heads;
#pragma unroll
    for (int mt = 0; mt < MT; mt++)
#pragma unroll
      for (int h = 0; h < 2; h++) {
        int m = mt * 16 + g + 8 * h, r = divided(m, of_group), head = blockIdx.x * group + m - r * group;
        if (m >= rows) continue;
        float* to = a.parts + room.record[r] * record_of(heads, dv);
#pragma unroll
        for (int n = 0; n < NT; n++) {
          int d = warp * (D / 4) + n * 8 + 2 * t;
          float u = out[mt][n][2 * h], v = out[mt][n][2 * h + 1];
          if (folds && folded) u += out[mt][n][2], v += out[mt][n][3];
          else if (folds) u += low[n][2 * h], v += low[n][2 * h + 1];
          if (d < dv) *(float2*)(to + head * dv + d) = make_float2(u, v);
        }
        if (warp == 0 && t == 0) to[heads * dv + head] = top[mt][h], to[heads * dv + heads + head] = sum[mt][h];
      }
  }
};
