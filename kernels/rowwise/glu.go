package rowwise

import (
	"math"

	"github.com/confab-tui/confab/kernels"
)

// The gated activations: out = act(gate) * up. out may be gate or up.

// SwiGLU is out = gate * sigmoid(gate) * up.
func SwiGLU(out, gate, up []float32) {
	checkThree(out, gate, up)
	if !mapFast(mapSwiGLU, out, gate, up, 0, 0) {
		for i, g := range gate {
			out[i] = g * sigmoid(g) * up[i]
		}
	}
}

// GeGLU is out = gelu(gate) * up; see GELU.
func GeGLU(out, gate, up []float32) {
	checkThree(out, gate, up)
	if !mapFast(mapGeGLU, out, gate, up, 0, 0) {
		for i, g := range gate {
			out[i] = gelu(g) * up[i]
		}
	}
}

// SwiGLUClamped is gpt-oss's: with g = min(gate, limit) and u = up clamped to
// ±limit, out = g * sigmoid(alpha*g) * (u+1).
func SwiGLUClamped(out, gate, up []float32, alpha, limit float32) {
	checkThree(out, gate, up)
	if !mapFast(mapSwiGLUClamped, out, gate, up, alpha, limit) {
		for i, g := range gate {
			g = min(g, limit)
			u := max(min(up[i], limit), -limit)
			out[i] = g * sigmoid(alpha*g) * (u + 1)
		}
	}
}

// SigmoidGate is out = sigmoid(gate) * x.
func SigmoidGate(out, gate, x []float32) {
	checkThree(out, gate, x)
	if !mapFast(mapSigmoidGate, out, gate, x, 0, 0) {
		for i, g := range gate {
			out[i] = sigmoid(g) * x[i]
		}
	}
}

// The same activations without a gate. out may be x.

// SiLU is out = x * sigmoid(x).
func SiLU(out, x []float32) {
	checkTwo(out, x)
	if !mapFast(mapSiLU, out, x, x, 0, 0) {
		for i, v := range x {
			out[i] = v * sigmoid(v)
		}
	}
}

// ReLUSquared is out = max(x, 0)².
func ReLUSquared(out, x []float32) {
	checkTwo(out, x)
	for i, v := range x {
		v = max(v, 0)
		out[i] = v * v
	}
}

// GELU is the tanh approximation, out = x/2 * (1 + tanh(√(2/π)·(x + 0.044715x³))),
// in half precision: below 10, x and the result are rounded to it. Models are run
// with tables of such halves elsewhere, and their logits tell the difference.
func GELU(out, x []float32) {
	checkTwo(out, x)
	if !mapFast(mapGELU, out, x, x, 0, 0) {
		for i, v := range x {
			out[i] = gelu(v)
		}
	}
}

// Sigmoid is out = 1 / (1 + exp(-x)).
func Sigmoid(out, x []float32) {
	checkTwo(out, x)
	if !mapFast(mapSigmoid, out, x, x, 0, 0) {
		for i, v := range x {
			out[i] = sigmoid(v)
		}
	}
}

func sigmoid(x float32) float32 {
	return float32(1 / (1 + math.Exp(-float64(x))))
}

func gelu(x float32) float32 {
	if x >= 10 {
		return x
	}
	v := float64(kernels.F16ToF32(kernels.F32ToF16(max(x, -10))))
	return kernels.F16ToF32(kernels.F32ToF16(float32(v / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(v+0.044715*v*v*v))))))
}
