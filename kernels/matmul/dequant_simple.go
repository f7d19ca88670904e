package matmul

import (
	"math"

	"github.com/confab-tui/confab/kernels"
)

// The unblocked types read any number of values; the others one block.

func readF32(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = math.Float32frombits(le32(src[4*i:]))
	}
}

func readF16(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = half(src[2*i:])
	}
}

func readBF16(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = kernels.BF16ToF32(le16(src[2*i:]))
	}
}

func readQ8_0(dst []float32, b []byte) {
	d := half(b)
	for i := range 32 {
		dst[i] = d * float32(int8(b[2+i]))
	}
}

func readQ4_0(dst []float32, b []byte) {
	d := half(b)
	for i, q := range b[2:18] {
		dst[i] = d * float32(int(q&15)-8)
		dst[i+16] = d * float32(int(q>>4)-8)
	}
}

func readQ4_1(dst []float32, b []byte) {
	d, m := half(b), half(b[2:])
	for i, q := range b[4:20] {
		dst[i] = float32(d*float32(q&15)) + m
		dst[i+16] = float32(d*float32(q>>4)) + m
	}
}

// fifth gives the top bits of values i and i+16 of a 5-bit block, in place.
func fifth(high uint32, i int) (lo, hi byte) {
	return byte(high>>i&1) << 4, byte(high>>(i+16)&1) << 4
}

func readQ5_0(dst []float32, b []byte) {
	d, high := half(b), le32(b[2:])
	for i, q := range b[6:22] {
		lo, hi := fifth(high, i)
		dst[i] = d * float32(int(q&15|lo)-16)
		dst[i+16] = d * float32(int(q>>4|hi)-16)
	}
}

func readQ5_1(dst []float32, b []byte) {
	d, m, high := half(b), half(b[2:]), le32(b[4:])
	for i, q := range b[8:24] {
		lo, hi := fifth(high, i)
		dst[i] = float32(d*float32(q&15|lo)) + m
		dst[i+16] = float32(d*float32(q>>4|hi)) + m
	}
}

// tableIQ4 and tableFP4 are what the 16 codes of IQ4_NL, IQ4_XS and of MXFP4,
// NVFP4 stand for; the latter are twice the E2M1 numbers.
var (
	tableIQ4 = [16]int8{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113}
	tableFP4 = [16]int8{0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12}
)

func readIQ4NL(dst []float32, b []byte) {
	d := half(b)
	for i, q := range b[2:18] {
		dst[i] = d * float32(tableIQ4[q&15])
		dst[i+16] = d * float32(tableIQ4[q>>4])
	}
}

// e8m0Half is half of 2^(e-127), the scale that goes with doubled E2M1 numbers.
func e8m0Half(e byte) float32 {
	if e < 2 {
		return math.Float32frombits(0x00200000 << e)
	}
	return math.Float32frombits(uint32(e-1) << 23)
}

func readMXFP4(dst []float32, b []byte) {
	d := e8m0Half(b[0])
	for i, q := range b[1:17] {
		dst[i] = d * float32(tableFP4[q&15])
		dst[i+16] = d * float32(tableFP4[q>>4])
	}
}

// ue4m3Half is half of the unsigned 8-bit float: 4 bits exponent (bias 7), 3 bits
// fraction; 127 stands for zero as well.
func ue4m3Half(x byte) float32 {
	exp, frac := int(x>>3&15), float64(x&7)
	switch {
	case x == 0 || x == 127:
		return 0
	case exp == 0:
		return float32(math.Ldexp(frac, -10))
	}
	return float32(math.Ldexp(8+frac, exp-11))
}

func readNVFP4(dst []float32, b []byte) {
	for s := range 4 {
		d := ue4m3Half(b[s])
		for i, q := range b[4+8*s : 12+8*s] {
			dst[16*s+i] = d * float32(tableFP4[q&15])
			dst[16*s+8+i] = d * float32(tableFP4[q>>4])
		}
	}
}

func readQ1_0(dst []float32, b []byte) {
	d := half(b)
	for i := range 128 {
		dst[i] = d * float32(2*int(b[2+i/8]>>(i%8)&1)-1)
	}
}

func readQ2_0(dst []float32, b []byte) {
	d := half(b)
	for i := range 64 {
		dst[i] = d * float32(int(b[2+i/4]>>(i%4*2)&3)-1)
	}
}
