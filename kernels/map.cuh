// What operations do to single values, by number; elementwise.go and glu.go are their definitions.
#pragma once
#include "common.cuh"

enum {
  map_add, map_scale, map_silu, map_gelu, map_sigmoid, map_relu_squared,  // out = op(a) or a + b
  map_gate_silu, map_gate_gelu, map_gate_sigmoid, map_gate_clamp, map_gate_plain,  // out = op(a) * b
  map_cap, map_sharpen, map_weigh, map_round
};

static __device__ __forceinline__ float sigmoid(float x) { return __fdiv_rn(1.f, 1.f + expf(-x)); }

// In half precision, as glu.go says.
static __device__ __forceinline__ float gelu(float x) {
  if (x >= 10.f) return x;
  float v = __half2float(__float2half_rn(fmaxf(x, -10.f)));
  v = 0.5f * v * (1.f + tanhf(0.797884560802865f * (v + 0.044715f * v * v * v)));
  return __half2float(__float2half_rn(v));
}

static __device__ __forceinline__ float map_value(int op, float a, float b, float by, float factor) {
  switch (op) {
    case map_add: return a + b;
    case map_scale: return a * by;
    case map_silu: return a * sigmoid(a);
    case map_gelu: return gelu(a);
    case map_sigmoid: return sigmoid(a);
    case map_relu_squared: return fmaxf(a, 0.f) * fmaxf(a, 0.f);
    case map_gate_silu: return a * sigmoid(a) * b;
    case map_gate_gelu: return gelu(a) * b;
    case map_gate_sigmoid: return sigmoid(a) * b;
    case map_gate_clamp: {
      float g = fminf(a, 7.f), u = fminf(fmaxf(b, -7.f), 7.f);
      return g * sigmoid(1.702f * g) * (u + 1.f);
    }
    case map_gate_plain: return a * b;
    case map_cap: return by * tanhf(a / by);
    case map_sharpen: return a * factor;
    case map_weigh: return sigmoid(factor) * b;
    default: return a;
  }
}
