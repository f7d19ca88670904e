package matmul

import (
	"github.com/confab-tui/confab/kernels"
)

// The IQ types: entries of a codebook times signs, with a small odd scale for each
// 16 or 32 values. Their fractions of a half, a quarter or an eighth go into the
// block's float scale, so that scales and codes are integers.

func codesIQ2XXS(b []byte, scales *[16]int8, codes *[256]int8) float32 {
	for j := range 8 {
		entries, rest := b[2+8*j:], le32(b[6+8*j:])
		scales[2*j] = int8(rest>>28)*2 + 1
		scales[2*j+1] = scales[2*j]
		for i := range 4 {
			eight(codes[32*j+8*i:], bookIQ2XXS+int(entries[i]), &valuesIQ2, evenSigns(rest>>(7*i)))
		}
	}
	return half(b) / 8
}

func codesIQ2XS(b []byte, scales *[16]int8, codes *[256]int8) float32 {
	for j := range scales {
		scales[j] = int8(b[66+j/2]>>(j%2*4)&15)*2 + 1
	}
	for i := range 32 {
		q := le16(b[2+2*i:])
		eight(codes[8*i:], bookIQ2XS+int(q&511), &valuesIQ2, evenSigns(uint32(q>>9)))
	}
	return half(b) / 8
}

func codesIQ2S(b []byte, scales *[16]int8, codes *[256]int8) float32 {
	for j := range scales {
		scales[j] = int8(b[74+j/2]>>(j%2*4)&15)*2 + 1
	}
	for i := range 32 {
		entry := int(b[2+i]) | int(b[66+i/4]>>(i%4*2)&3)<<8
		eight(codes[8*i:], bookIQ2S+entry, &valuesIQ2, b[34+i])
	}
	return half(b) / 8
}

func codesIQ3XXS(b []byte, scales *[16]int8, codes *[256]int8) float32 {
	for j := range 8 {
		rest := le32(b[66+4*j:])
		scales[2*j] = int8(rest>>28)*2 + 1
		scales[2*j+1] = scales[2*j]
		for i := range 8 {
			signs := evenSigns(rest>>(i/2*7)) >> (i % 2 * 4)
			four(codes[32*j+4*i:], bookIQ3XXS+int(b[2+8*j+i]), &valuesIQ3XXS, signs)
		}
	}
	return half(b) / 4
}

func codesIQ3S(b []byte, scales *[16]int8, codes *[256]int8) float32 {
	for j := range 8 {
		scales[2*j] = int8(b[106+j/2]>>(j%2*4)&15)*2 + 1
		scales[2*j+1] = scales[2*j]
	}
	for i := range 64 {
		entry := int(b[2+i]) | int(b[66+i/8]>>(i%8)&1)<<8
		four(codes[4*i:], bookIQ3S+entry, &valuesIQ3S, b[74+i/2]>>(i%2*4))
	}
	return half(b)
}

// shiftIQ1 turns entries of -1, 0, 1 into eighths, moved up or down by one.
func shiftIQ1(codes []int8, down bool) {
	shift := int8(1)
	if down {
		shift = -1
	}
	for i, v := range codes {
		codes[i] = 8*v + shift
	}
}

func codesIQ1S(b []byte, scales *[16]int8, codes *[256]int8) float32 {
	for j := range 8 {
		h := le16(b[34+2*j:])
		scales[2*j] = int8(h>>12&7)*2 + 1
		scales[2*j+1] = scales[2*j]
		for i := range 4 {
			entry := int(b[2+4*j+i]) | int(h>>(3*i)&7)<<8
			eight(codes[32*j+8*i:], bookIQ1+entry, &valuesIQ1, 0)
		}
		shiftIQ1(codes[32*j:32*j+32], h&0x8000 != 0)
	}
	return half(b) / 8
}

// codesIQ1M: the four top nibbles of the last 8 bytes make up the block's scale.
func codesIQ1M(b []byte, scales *[16]int8, codes *[256]int8) float32 {
	var d uint16
	for i := range 4 {
		d |= le16(b[48+2*i:]) >> 12 << (4 * i)
	}
	for j := range scales {
		scales[j] = int8(le16(b[48+j/4*2:])>>(j%4*3)&7)*2 + 1
	}
	for i := range 32 {
		h := b[32+i/2] >> (i % 2 * 4)
		eight(codes[8*i:], bookIQ1+(int(b[i])|int(h&7)<<8), &valuesIQ1, 0)
		shiftIQ1(codes[8*i:8*i+8], h&8 != 0)
	}
	return kernels.F16ToF32(d) / 8
}
