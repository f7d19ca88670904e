#pragma once

// Caps scores, of which each is then multiplied by by. They move on by one, so that a short loop
// does for them all: few models do this.
template <int N> static __device__ __forceinline__ void soften(float (&s)[N], float cap, float by) {
#pragma unroll 1
  for (int i = 0; i < N; i++) {
    float v = cap * tanhf(s[0] / cap);
#pragma unroll
    for (int j = 0; j < N - 1; j++) s[j] = s[j + 1];
    s[N - 1] = v * by;
  }
}
