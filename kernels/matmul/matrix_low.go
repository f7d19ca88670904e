package matmul

// Packing and the plain definitions of the layouts of low-bit types with blocks of
// 256 values.

func packQ2K(dst, src []byte, stride, n int) {
	packHalves(dst, src[80:], stride, n)
	packHalves(dst[64:], src[82:], stride, n)
	packSub(dst[128:], src, stride, n)
	packLines(dst[640:], src[16:], stride, n, 16, 0)
}

// packSub copies one byte for each of a row's 16 sub-blocks.
func packSub(dst, src []byte, stride, n int) {
	if packSubFast(dst, src, stride, n) {
		return
	}
	for r := range n {
		for s, b := range src[r*stride:][:16] {
			dst[32*s+r] = b
		}
	}
}

func packQ3K(dst, src []byte, stride, n int) {
	packHalves(dst, src[108:], stride, n)
	for r := range n {
		for s := range 16 {
			dst[64+32*s+r] = byte(scaleQ3K(src[r*stride+96:], s))
		}
	}
	packFifthK(dst[576:1600], src, stride, n)
	packLines(dst[1600:], src[32:], stride, n, 16, 0)
}

func packIQ4XS(dst, src []byte, stride, n int) {
	packHalves(dst, src, stride, n)
	for r := range n {
		for s := range 8 {
			dst[64+32*s+r] = byte(scaleIQ4XS(src[r*stride:], s))
		}
	}
	packLines(dst[320:], src[8:], stride, n, 32, 0)
}

// twoBits reads lines of 2-bit codes: line 8h+j has values 128h+32g+4j.. at bit 2g.
func (b *block256) twoBits(lines []byte) {
	for j := range b.code {
		h, g, l := j/32, j/8%4, j%8
		line := lines[128*(8*h+l):]
		for i := range b.code[j] {
			b.code[j][i] = int8(line[i] >> (2 * g) & 3)
		}
	}
}

func unpackQ2K(b *block256, src []byte) {
	readF16(b.scale[:], src)
	readF16(b.minimum[:], src[64:])
	for s := range 16 {
		for r := range panelRows {
			b.sub[s][r] = int8(src[128+32*s+r] & 15)
			b.subMin[s][r] = int32(src[128+32*s+r] >> 4)
		}
	}
	b.twoBits(src[640:])
}

func unpackQ3K(b *block256, src []byte) {
	readF16(b.scale[:], src)
	b.subScales(src[64:])
	b.twoBits(src[1600:])
	b.topBits(src[576:], 2)
	for j := range b.code {
		for i := range b.code[j] {
			b.code[j][i] -= 4
		}
	}
}

func unpackIQ4K(b *block256, src []byte) {
	readF16(b.scale[:], src)
	for s := range 16 {
		for r := range panelRows {
			b.sub[s][r] = int8(src[64+s/2*32+r])
		}
	}
	for j := range 32 {
		at := j/4*8 + j%4
		for i, q := range src[320+128*j : 448+128*j] {
			b.code[at][i], b.code[at+4][i] = tableIQ4[q&15], tableIQ4[q>>4]
		}
	}
}
