// Weights as the file has them become tiles (tile.cuh), once, while loading. A block
// writes one tile. Bound: reading the file's bytes; it does not matter.
#include "tile.cuh"

struct RepackArgs {
  const uint8_t* src;  // some rows of the file
  uint8_t* dst;        // the tiles that they become
  long long stride;    // bytes of a row in src
  int type, rows, k, chunks;
};

// Row r of the file, or null.
static __device__ const uint8_t* source_row(const RepackArgs& a, int r) {
  return r < a.rows ? a.src + r * a.stride : nullptr;
}

// The integer of value k, in the form that a tile keeps.
static __device__ int integer(int type, const uint8_t* row, int k) {
  int j = k & 31;
  switch (type) {
    case Q4_0: {
      const uint8_t* b = row + (k >> 5) * 18 + 2;
      return (j < 16 ? b[j] & 15 : b[j - 16] >> 4) ^ 8;
    }
    case Q4_1: {
      const uint8_t* b = row + (k >> 5) * 20 + 4;
      return j < 16 ? b[j] & 15 : b[j - 16] >> 4;
    }
    case Q5_0:
    case Q5_1: {
      const uint8_t* b = type == Q5_0 ? row + (k >> 5) * 22 + 2 : row + (k >> 5) * 24 + 4;
      int fifth = (b[j >> 3] >> (j & 7)) & 1;
      int n = (j < 16 ? b[4 + j] & 15 : b[4 + j - 16] >> 4) | fifth << 4;
      return type == Q5_0 ? n ^ 16 : n;
    }
    case Q8_0: return row[(k >> 5) * 34 + 2 + j];
    case MXFP4: {
      const uint8_t* b = row + (k >> 5) * 17 + 1;
      return mxfp4_number(j < 16 ? b[j] & 15 : b[j - 16] >> 4);
    }
    case Q4_K: {
      const uint8_t* b = row + (k >> 8) * 144 + 16 + ((k >> 6) & 3) * 32;
      return k & 32 ? b[j] >> 4 : b[j] & 15;
    }
    case Q5_K: {
      const uint8_t* b = row + (k >> 8) * 176;
      int s = (k >> 5) & 7, q = b[48 + (s >> 1) * 32 + j];
      return (s & 1 ? q >> 4 : q & 15) | ((b[16 + j] >> s) & 1) << 4;
    }
    default: {  // Q6_K
      const uint8_t* b = row + (k >> 8) * 210;
      int half = (k >> 7) & 1, quarter = (k >> 5) & 3;
      int q = b[64 * half + 32 * (quarter & 1) + j];
      int high = (b[128 + 32 * half + j] >> (2 * quarter)) & 3;
      return ((quarter < 2 ? q & 15 : q >> 4) | high << 4) ^ 32;
    }
  }
}

// Byte i of the 16 (32 with minima) bytes of scales of a row and chunk.
static __device__ int scale_byte(int type, const uint8_t* row, int chunk, int i, int k) {
  switch (type) {
    case Q4_K: return row[chunk * 144 + i];
    case Q5_K: return row[chunk * 176 + i];
    case Q6_K: return row[chunk * 210 + 192 + i];
  }
  int block = chunk * 8 + ((i & 15) >> 1), size = type == Q4_0 ? 18 : type == Q4_1 ? 20 : type == Q5_0 ? 22 : type == Q5_1 ? 24 : 34;
  if (block * 32 >= k) return 0;
  if (type == MXFP4) {
    // 2^(e - 128) as BF16, where the least two are no normal numbers.
    int e = row[block * 17];
    return (e < 2 ? 32 << e : (e - 1) << 7) >> (8 * (i & 1)) & 255;
  }
  return row[block * size + (i >= 16 ? 2 : 0) + (i & 1)];
}

extern "C" __global__ void repack_quant(const __grid_constant__ RepackArgs a) {
  int chunk = blockIdx.x, tile = blockIdx.y, type = a.type;
  int size = tile_bytes(type);
  uint8_t* dst = a.dst + ((size_t)tile * a.chunks + chunk) * size;
  int low = type == Q8_0 ? 8 : 4;
  bool fifth = type == Q5_0 || type == Q5_1 || type == Q5_K, minimum = type == Q4_1 || type == Q5_1;
  int high = fifth ? 1 : type == Q6_K ? 2 : 0;
  for (int w = threadIdx.x; w < (low + high) * 128; w += blockDim.x) {
    int part = w >> 7, lane = (w >> 2) & 31, i = w & 3, g = lane >> 2, t = lane & 3;
    const uint8_t* row = source_row(a, tile * 16 + g + 8 * (i & 1));
    uint32_t word = 0;
    for (int b = 0; b < 4 && row; b++) {
      int at = chunk * 256 + 16 * (i >> 1) + 4 * t + b;
      auto value = [&](int s) { return at + 32 * s < a.k ? integer(type, row, at + 32 * s) : 0; };
      int byte = 0;
      if (part < low) {
        byte = type == Q8_0 ? value(part) : (value(2 * part) & 15) | (value(2 * part + 1) & 15) << 4;
      } else if (fifth) {
        for (int s = 0; s < 8; s++) byte |= ((value(s) >> 4) & 1) << s;
      } else {
        for (int s = 0; s < 4; s++) byte |= ((value(4 * (part - low) + s) >> 4) & 3) << (2 * s);
      }
      if (type == MXFP4) word |= (uint32_t)(byte & 15) << (4 * b) | (uint32_t)(byte >> 4) << (16 + 4 * b);
      else word |= (uint32_t)(byte & 255) << (8 * b);
    }
    ((uint32_t*)dst)[w] = word;
  }
  dst += (low + high) * 512;
  int per = minimum ? 32 : 16;
  for (int i = threadIdx.x; i < 16 * per; i += blockDim.x) {
    // The minima of all rows follow the scales of all rows.
    int r = (i >> 4) & 15, at = (i & 15) + (i >> 8) * 16;
    const uint8_t* row = source_row(a, tile * 16 + r);
    dst[i] = row ? scale_byte(type, row, chunk, at, a.k) : 0;
  }
  if (type == Q6_K) {
    for (int i = threadIdx.x; i < 32; i += blockDim.x) {
      const uint8_t* row = source_row(a, tile * 16 + (i >> 1));
      dst[256 + i] = row ? row[chunk * 210 + 208 + (i & 1)] : 0;
    }
  }
}

extern "C" __global__ void repack_float(const __grid_constant__ RepackArgs a) {
  int chunk = blockIdx.x, tile = blockIdx.y, r = threadIdx.x >> 4, k = threadIdx.x & 15;
  int size = tile_bytes(a.type), width = a.type == F32 ? 4 : 2;
  uint8_t* dst = a.dst + ((size_t)tile * a.chunks + chunk) * size;
  const uint8_t* row = source_row(a, tile * 16 + r);
  int lane = (r & 7) * 4 + (k >> 2), second = r >> 3, c = k & 3, at = chunk * 16 + k;
  uint8_t* to = width == 4 ? dst + second * 512 + lane * 16 + c * 4 : dst + lane * 16 + second * 8 + c * 2;
  for (int i = 0; i < width; i++) to[i] = row && at < a.k ? row[(size_t)at * width + i] : 0;
}

// out[m] = scale * row ids[m] of a table in tiles.
struct EmbedArgs {
  const uint8_t* table;
  const int* ids;
  float* out;
  int type, rows, k, chunks, ldo, limit;  // ids below limit
  float scale;
  int pad;
};

static __device__ float tile_value(int type, const uint8_t* table, int chunks, int row, int k) {
  int r = row & 15, g = r & 7, second = r >> 3;
  if (type == F32 || type == F16 || type == BF16) {
    const uint8_t* p = table + ((size_t)(row >> 4) * chunks + (k >> 4)) * tile_bytes(type);
    int lane = g * 4 + ((k & 15) >> 2), c = k & 3;
    if (type == F32) return *(const float*)(p + second * 512 + lane * 16 + c * 4);
    uint16_t v = *(const uint16_t*)(p + lane * 16 + second * 8 + c * 2);
    return type == BF16 ? __uint_as_float((uint32_t)v << 16) : __half2float(__ushort_as_half(v));
  }
  const uint8_t* p = table + ((size_t)(row >> 4) * chunks + (k >> 8)) * tile_bytes(type);
  int s = (k >> 5) & 7, t = (k & 15) >> 2, i = second + 2 * ((k >> 4) & 1), b = k & 3, lane = g * 4 + t;
  int at = lane * 16 + i * 4 + b;
  if (type == Q8_0) return __fmul_rn(__half2float(*(const __half*)(p + 4096 + r * 16 + s * 2)), (float)(int8_t)p[s * 512 + at]);
  if (type == MXFP4) {
    uint32_t four = *(const uint16_t*)(p + (s >> 1) * 512 + at - b + 2 * (s & 1));
    float d = __uint_as_float((uint32_t)*(const uint16_t*)(p + 2048 + r * 16 + s * 2) << 16);
    return __fmul_rn(d, (float)(int8_t)(mxfp4_bytes(four) >> (8 * b)));
  }
  int n = (p[(s >> 1) * 512 + at] >> (4 * (s & 1))) & 15;
  bool fifth = type == Q5_0 || type == Q5_1 || type == Q5_K;
  if (fifth) n |= ((p[2048 + at] >> s) & 1) << 4;
  if (type == Q6_K) n |= ((p[2048 + (s >> 2) * 512 + at] >> (2 * (s & 3))) & 3) << 4;
  const uint8_t* h = p + 2048 + (fifth ? 512 : type == Q6_K ? 1024 : 0);
  const uint8_t* mine = h + r * 16;
  if (type == Q6_K) {
    float d = __half2float(*(const __half*)(h + 256 + r * 2));
    return __fmul_rn(__fmul_rn(d, (float)((const int8_t*)mine)[(k >> 4) & 15]), (float)((n ^ 32) - 32));
  }
  if (type == Q4_K || type == Q5_K) {
    const uint8_t* sc = mine + 4;
    int scale = s < 4 ? sc[s] & 63 : (sc[s + 4] & 15) | (sc[s - 4] >> 6) << 4;
    int least = s < 4 ? sc[s + 4] & 63 : (sc[s + 4] >> 4) | (sc[s] >> 6) << 4;
    float d = __fmul_rn(__half2float(*(const __half*)mine), (float)scale);
    float m = __fmul_rn(__half2float(*(const __half*)(mine + 2)), (float)least);
    return __fsub_rn(__fmul_rn(d, (float)n), m);
  }
  float d = __half2float(*(const __half*)(mine + s * 2));
  if (type == Q4_0) return __fmul_rn(d, (float)((n ^ 8) - 8));
  if (type == Q5_0) return __fmul_rn(d, (float)((n ^ 16) - 16));
  return __fadd_rn(__fmul_rn(d, (float)n), __half2float(*(const __half*)(mine + 256 + s * 2)));
}

extern "C" __global__ void embed(const __grid_constant__ EmbedArgs a) {
  overlap_start();
  overlap_wait();
  for (int m = blockIdx.y; m < a.rows; m += gridDim.y) {
    int id = min(max(a.ids[m], 0), a.limit - 1);
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < a.k; k += gridDim.x * blockDim.x)
      a.out[(size_t)m * a.ldo + k] = a.scale * tile_value(a.type, a.table, a.chunks, id, k);
  }
}
