package matmul

// Blocks of 256 values in 8 sub-blocks of 32 or 16 of 16, each with an integer
// scale (and minimum) beside the block's float ones.

// coded reads a block of a type whose values are scale times sub-block's scale times
// code: it returns the scale, and sets those of 16 sub-blocks of 16 and the codes.
type coded func(b []byte, scales *[16]int8, codes *[256]int8) float32

// read is the reader of such a type.
func (c coded) read(dst []float32, b []byte) {
	var scales [16]int8
	var codes [256]int8
	d := c(b, &scales, &codes)
	for i, q := range codes {
		dst[i] = float32(d*float32(scales[i/16])) * float32(q)
	}
}

// scaleMinK unpacks sub-block j's scale and minimum, 6 bits each, of Q4_K and Q5_K.
func scaleMinK(s []byte, j int) (scale, minimum byte) {
	if j < 4 {
		return s[j] & 63, s[j+4] & 63
	}
	return s[j+4]&15 | s[j-4]>>6<<4, s[j+4]>>4 | s[j]>>6<<4
}

func readQ4K(dst []float32, b []byte) {
	d, m := half(b), half(b[2:])
	for j := range 8 {
		sc, mn := scaleMinK(b[4:16], j)
		scale, minimum := d*float32(sc), m*float32(mn)
		for i, q := range b[16+j/2*32 : 48+j/2*32] {
			dst[32*j+i] = float32(scale*float32(q>>(j%2*4)&15)) - minimum
		}
	}
}

func readQ5K(dst []float32, b []byte) {
	d, m := half(b), half(b[2:])
	high := b[16:48]
	for j := range 8 {
		sc, mn := scaleMinK(b[4:16], j)
		scale, minimum := d*float32(sc), m*float32(mn)
		for i, q := range b[48+j/2*32 : 80+j/2*32] {
			v := q>>(j%2*4)&15 | high[i]>>j&1<<4
			dst[32*j+i] = float32(scale*float32(v)) - minimum
		}
	}
}

// codeQ6K is value i of a Q6_K block before its offset of 32 is taken off.
func codeQ6K(b []byte, i int) byte {
	h, g, l := i/128, i/32%4, i%32
	low := b[64*h+g%2*32+l] >> (g / 2 * 4) & 15
	return low | b[128+32*h+l]>>(2*g)&3<<4
}

func codesQ6K(b []byte, scales *[16]int8, codes *[256]int8) float32 {
	for j := range scales {
		scales[j] = int8(b[192+j])
	}
	for i := range codes {
		codes[i] = int8(codeQ6K(b, i)) - 32
	}
	return half(b[208:])
}

// scaleQ3K is the scale of sub-block j (16 values).
func scaleQ3K(s []byte, j int) int8 {
	return int8(s[j%8]>>(j/8*4)&15|s[8+j%4]>>(j/4*2)&3<<4) - 32
}

// codeQ3K is value i of a Q3_K block, -4 to 3.
func codeQ3K(b []byte, i int) int8 {
	h, g, l := i/128, i/32%4, i%32
	return int8(b[32+32*h+l]>>(2*g)&3) - int8(^b[l]>>(i/32)&1)*4
}

func codesQ3K(b []byte, scales *[16]int8, codes *[256]int8) float32 {
	for j := range scales {
		scales[j] = scaleQ3K(b[96:108], j)
	}
	for i := range codes {
		codes[i] = codeQ3K(b, i)
	}
	return half(b[108:])
}

func readQ2K(dst []float32, b []byte) {
	d, m := half(b[80:]), half(b[82:])
	for i := range 256 {
		h, g, l := i/128, i/32%4, i%32
		s := b[i/16]
		scale, minimum := d*float32(s&15), m*float32(s>>4)
		dst[i] = float32(scale*float32(b[16+32*h+l]>>(2*g)&3)) - minimum
	}
}

// scaleIQ4XS is the scale of sub-block j (32 values).
func scaleIQ4XS(b []byte, j int) int8 {
	return int8(b[4+j/2]>>(j%2*4)&15|byte(le16(b[2:])>>(2*j)&3<<4)) - 32
}

func codesIQ4XS(b []byte, scales *[16]int8, codes *[256]int8) float32 {
	for j := range 8 {
		scales[2*j] = scaleIQ4XS(b, j)
		scales[2*j+1] = scales[2*j]
		for i, q := range b[8+16*j : 24+16*j] {
			codes[32*j+i], codes[32*j+16+i] = tableIQ4[q&15], tableIQ4[q>>4]
		}
	}
	return half(b)
}

// codeTQ1 is value i of a TQ1_0 block, -1 to 1. A byte holds five ternary digits as
// a fraction of 256, the first one on top.
func codeTQ1(b []byte, i int) int8 {
	powers := [5]byte{1, 3, 9, 27, 81}
	var q byte
	switch {
	case i < 160:
		q = b[i%32] * powers[i/32]
	case i < 240:
		q = b[32+(i-160)%16] * powers[(i-160)/16]
	default:
		q = b[48+(i-240)%4] * powers[(i-240)/4]
	}
	return int8(uint16(q)*3>>8) - 1
}

func codesTQ1(b []byte, scales *[16]int8, codes *[256]int8) float32 {
	for i := range codes {
		scales[i/16], codes[i] = 1, codeTQ1(b, i)
	}
	return half(b[52:])
}

// codeTQ2 is value i of a TQ2_0 block, -1 to 1 (2 where a file is odd).
func codeTQ2(b []byte, i int) int8 {
	return int8(b[i/128*32+i%32]>>(i/32%4*2)&3) - 1
}

func codesTQ2(b []byte, scales *[16]int8, codes *[256]int8) float32 {
	for i := range codes {
		scales[i/16], codes[i] = 1, codeTQ2(b, i)
	}
	return half(b[64:])
}
