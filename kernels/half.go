package kernels

import (
	"math"
)

// F16ToF32 is exact.
func F16ToF32(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	exp := uint32(h>>10) & 31
	frac := uint32(h & 0x3ff)
	switch {
	case exp == 31:
		return math.Float32frombits(sign | 0x7f800000 | frac<<13)
	case exp == 0:
		// Zero and subnormals: frac units of 2^-24.
		v := float32(frac) * 0x1p-24
		return math.Float32frombits(sign | math.Float32bits(v))
	}
	return math.Float32frombits(sign | (exp+112)<<23 | frac<<13)
}

// F32ToF16 rounds to the nearest, ties to even; what is too large becomes infinite.
func F32ToF16(f float32) uint16 {
	b := math.Float32bits(f)
	sign := uint16(b >> 16 & 0x8000)
	b &= 0x7fffffff
	switch {
	case b > 0x7f800000:
		return sign | 0x7e00
	case b >= 0x477ff000: // 65520 and above
		return sign | 0x7c00
	case b < 0x38800000: // below 2^-14: a subnormal half
		// Adding 0.5 leaves the value's multiple of 2^-24 in the low bits, rounded
		// by the addition.
		return sign | uint16(math.Float32bits(math.Float32frombits(b)+0.5)-0x3f000000)
	}
	b += 0xfff + b>>13&1
	return sign | uint16((b-0x38000000)>>13)
}

// BF16ToF32 is exact.
func BF16ToF32(h uint16) float32 { return math.Float32frombits(uint32(h) << 16) }

// F32ToBF16 rounds to the nearest, ties to even.
func F32ToBF16(f float32) uint16 {
	b := math.Float32bits(f)
	if b&0x7fffffff > 0x7f800000 {
		return uint16(b>>16) | 0x40
	}
	return uint16((b + 0x7fff + b>>16&1) >> 16)
}
