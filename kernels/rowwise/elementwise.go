package rowwise

import (
	"math"
)

// Add is out = a + b. out may be a or b.
func Add(out, a, b []float32) {
	checkThree(out, a, b)
	if !mapFast(mapAdd, out, a, b, 0, 0) {
		for i, v := range a {
			out[i] = v + b[i]
		}
	}
}

// Mul is out = a * b. out may be a or b.
func Mul(out, a, b []float32) {
	checkThree(out, a, b)
	if !mapFast(mapMul, out, a, b, 0, 0) {
		for i, v := range a {
			out[i] = v * b[i]
		}
	}
}

// Scale is out = x * by. out may be x.
func Scale(out, x []float32, by float32) {
	checkTwo(out, x)
	if !mapFast(mapScale, out, x, x, by, 0) {
		for i, v := range x {
			out[i] = v * by
		}
	}
}

// AddScaled is out += x * by.
func AddScaled(out, x []float32, by float32) {
	checkTwo(out, x)
	if !mapFast(mapAddScaled, out, x, out, by, 0) {
		for i, v := range x {
			out[i] += v * by
		}
	}
}

// SoftCap is out = cap * tanh(x/cap). out may be x.
func SoftCap(out, x []float32, cap float32) {
	checkTwo(out, x)
	if !mapFast(mapSoftCap, out, x, x, 1/cap, cap) {
		for i, v := range x {
			out[i] = SoftCapOf(v, cap)
		}
	}
}

// SoftCapOf is SoftCap of one value.
func SoftCapOf(x, cap float32) float32 {
	return cap * float32(math.Tanh(float64(x/cap)))
}

// Centre is out = (x - mean) * by. out may be x.
func Centre(out, x []float32, mean, by float32) {
	checkTwo(out, x)
	if !mapFast(mapCentre, out, x, x, mean, by) {
		for i, v := range x {
			out[i] = (v - mean) * by
		}
	}
}

func checkTwo(out, x []float32) {
	if len(out) != len(x) {
		panic("rowwise: operands of unequal lengths")
	}
}

func checkThree(out, a, b []float32) {
	if len(out) != len(a) || len(out) != len(b) {
		panic("rowwise: operands of unequal lengths")
	}
}
