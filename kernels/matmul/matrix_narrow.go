package matmul

import (
	"math"
	"unsafe"

	"github.com/confab-tui/confab/kernels"
)

// Panels of the types with few bits. Of FormQ8K, in blocks of 256 values:
//
//   - IQ2: scales (F16), two words of 32 bits a row with 8 nibbles each, for the scales of
//     sub-blocks, which are twice that and 1, 8 lines of signs, 16 lines of 2-bit codes as
//     Q2_K has them; a code is one of three magnitudes, and a line of signs has those of two
//     lines of codes, a nibble a byte
//   - IQ3: scales (float32), 8 sub-blocks' scales (int8) of 32 rows, what the 16 nibbles
//     stand for plus 128, 32 lines of nibbles as IQ4_XS has them
//   - TQ: scales (F16), 16 lines of 2-bit codes, less 1
//   - IQ1: see matrix_iq1.go
//
// Of FormQ8, a scale (F16) a row and lines with several values' bits:
//
//   - Q2_0: a block is 64 values; line j has values 16g+4j.. at bit 2g, less 1
//   - Q1_0: a block is 128 values; line j has values 16g+4j.. at bit g: -1 or 1
//   - NVFP4: a block is 32 values with two scales a row; lines of nibbles as MXFP4's
var (
	layoutIQ2   = &layout{kindIQ2, kernels.FormQ8K, 256, 64 + 256 + 1024 + 2048, 53}
	layoutTQ    = &layout{kindTQ, kernels.FormQ8K, 256, 64 + 2048, 33}
	layoutIQ3   = &layout{kindIQ3, kernels.FormQ8K, 256, 128 + 256 + 64 + 4096, 72}
	layoutQ2_0  = &layout{kindQ2_0, kernels.FormQ8, 64, 64 + 512, 16}
	layoutQ1_0  = &layout{kindQ1_0, kernels.FormQ8, 128, 64 + 512, 32}
	layoutNVFP4 = &layout{kindNVFP4, kernels.FormQ8, 32, 128 + 512, 10}
)

// wide says what narrow types become where wantsWide: there are no kernels for the narrow
// layouts there, and unpacking would take longer than reading does.
var wide = map[Type]packing{
	Q1_0:    {layoutI8, packQ1_0Wide, 4},
	Q2_0:    {layoutI8, packQ2_0Wide, 2},
	TQ1_0:   {layoutI8K, packI8K(codesTQ1), 1},
	TQ2_0:   {layoutI8K, packI8K(codesTQ2), 1},
	IQ2_XXS: {layoutI8K, packI8K(codesIQ2XXS), 1},
	IQ2_XS:  {layoutI8K, packI8K(codesIQ2XS), 1},
	IQ2_S:   {layoutI8K, packI8K(codesIQ2S), 1},
	IQ3_XXS: {layoutI8K, packI8K(codesIQ3XXS), 1},
	IQ3_S:   {layoutI8K, packI8K(codesIQ3S), 1},
	IQ1_S:   {layoutI8K, packI8K(codesIQ1S), 1},
	IQ1_M:   {layoutI8K, packI8K(codesIQ1M), 1},
	NVFP4:   {layoutF16, packNVFP4Wide, 64},
}

// packingOf is how this processor wants a type.
func packingOf(t Type) packing {
	if p, ok := wide[t]; ok && wantsWide() {
		return p
	}
	return packings[t]
}

// packIQ2 makes the packer of a type with signs and 3 magnitudes.
func packIQ2(row coded) packer {
	return func(dst, src []byte, stride, n int) {
		clear(dst)
		var scales [16]int8
		var codes [256]int8
		for r := range n {
			packEighths(dst, r, row(src[r*stride:], &scales, &codes))
			for s, v := range scales {
				dst[64+128*(s/8)+4*r+s%8/2] |= byte(v>>1) << (s % 2 * 4)
			}
			storeIQ2(dst, r, &codes)
		}
	}
}

// packEighths stores row r's scale, an eighth of what was F16 in the file, as that.
func packEighths(dst []byte, r int, scale float32) {
	*(*uint16)(unsafe.Pointer(&dst[2*r])) = kernels.F32ToF16(8 * scale)
}

// readEighths reads such scales of a panel.
func readEighths(dst []float32, src []byte) {
	readF16(dst, src)
	for r := range dst {
		dst[r] /= 8
	}
}

// twoBitPlace is where the 2-bit code of row r's value i goes.
func twoBitPlace(r, i int) (at, shift int) {
	h, g, l := i/128, i/32%4, i%32
	return lineByte(8*h+l/4, r, l%4), 2 * g
}

// signIQ2 is where the sign of row r's value i goes: the four of a byte of codes into a nibble.
func signIQ2(r, i int) (at, shift int) {
	h, g, l := i/128, i/32%4, i%32
	return 320 + lineByte(4*h+l/8, r, l%4), l/4%2*4 + [4]int{2, 0, 3, 1}[g]
}

func storeIQ2(dst []byte, r int, codes *[256]int8) {
	for i, v := range codes {
		if v < 0 {
			v = -v
			at, shift := signIQ2(r, i)
			dst[at] |= 1 << shift
		}
		at, shift := twoBitPlace(r, i)
		dst[1344+at] |= byte(v/17) << shift // of 8, 25 and 43
	}
}

// packIQ3 makes the packer of a type with 8 magnitudes, whose sub-blocks have 32 values.
func packIQ3(row coded, magnitudes *[8]int8) packer {
	var code [256]byte
	var table [16]byte
	for i, m := range magnitudes {
		code[m], code[byte(-m)] = byte(i), byte(8+i)
		table[i], table[8+i] = byte(m)^128, byte(-m)^128
	}
	return func(dst, src []byte, stride, n int) {
		clear(dst)
		for i := range 64 {
			dst[384+i] = table[i%16]
		}
		var scales [16]int8
		var codes [256]int8
		for r := range n {
			*(*float32)(unsafe.Pointer(&dst[4*r])) = row(src[r*stride:], &scales, &codes)
			for s := range 8 {
				dst[128+32*s+r] = byte(scales[2*s])
			}
			for i, v := range codes {
				dst[448+lineByte(i/32*4+i%16/4, r, i%4)] |= code[byte(v)] << (i % 32 / 16 * 4)
			}
		}
	}
}

// packTQ makes the packer of a type with codes of -1 to 2 and a scale at that byte.
func packTQ(row coded, scaleAt int) packer {
	return func(dst, src []byte, stride, n int) {
		clear(dst)
		packHalves(dst, src[scaleAt:], stride, n)
		var scales [16]int8
		var codes [256]int8
		for r := range n {
			row(src[r*stride:], &scales, &codes)
			for i, v := range codes {
				at, shift := twoBitPlace(r, i)
				dst[64+at] |= byte(v+1) << shift
			}
		}
	}
}

func packQ2_0(dst, src []byte, stride, n int) {
	clear(dst)
	packHalves(dst, src, stride, n)
	for r := range n {
		for i := range 64 {
			code := src[r*stride+2+i/4] >> (i % 4 * 2) & 3
			dst[64+lineByte(i%16/4, r, i%4)] |= code << (2 * (i / 16))
		}
	}
}

func packQ1_0(dst, src []byte, stride, n int) {
	clear(dst)
	packHalves(dst, src, stride, n)
	for r := range n {
		for i := range 128 {
			bit := src[r*stride+2+i/8] >> (i % 8) & 1
			dst[64+lineByte(i%16/4, r, i%4)] |= bit << (i / 16)
		}
	}
}

// packNVFP4 makes 2 blocks of one. F16 holds every scale: up to 4 bits times a power of
// two from 2^-10 to 2^5.
func packNVFP4(dst, src []byte, stride, n int) {
	clear(dst)
	for r := range n {
		b := src[r*stride:]
		for s := range 4 {
			block := dst[s/2*layoutNVFP4.bytes:]
			*(*uint16)(unsafe.Pointer(&block[s%2*64+2*r])) = kernels.F32ToF16(ue4m3Half(b[s]))
			for i := range 16 {
				code := b[4+8*s+i%8] >> (i / 8 * 4) & 15
				block[128+lineByte(i/4, r, i%4)] |= code << (s % 2 * 4)
			}
		}
	}
}

func unpackIQ2(b *block256, src []byte) {
	readEighths(b.scale[:], src)
	for s := range b.sub {
		for r := range b.sub[s] {
			b.sub[s][r] = int8(src[64+128*(s/8)+4*r+s%8/2]>>(s%2*4)&15)*2 + 1
		}
	}
	b.twoBits(src[1344:])
	for j := range b.code {
		for i, q := range b.code[j] {
			b.code[j][i] = valuesIQ2[q]
			if at, shift := signIQ2(i/4, 4*j+i%4); src[at]>>shift&1 != 0 {
				b.code[j][i] = -valuesIQ2[q]
			}
		}
	}
}

func unpackTQ(b *block256, src []byte) {
	readF16(b.scale[:], src)
	b.twoBits(src[64:])
	for j := range b.code {
		for i := range b.code[j] {
			b.code[j][i]--
		}
		for r := range panelRows {
			b.sub[j/4][r] = 1
		}
	}
}

func unpackIQ3(b *block256, src []byte) {
	readF32(b.scale[:], src)
	for s := range 16 {
		for r := range panelRows {
			b.sub[s][r] = int8(src[128+s/2*32+r])
		}
	}
	for j := range 32 {
		at := j/4*8 + j%4
		for i, q := range src[448+128*j : 576+128*j] {
			b.code[at][i], b.code[at+4][i] = int8(src[384+int(q&15)]^128), int8(src[384+int(q>>4)]^128)
		}
	}
}

// plainBits is the definition for blocks of several input blocks, whose values have so
// many bits and stand for by times the code, less 1.
func plainBits(p *product, bits, by int) {
	var sums [groupRows][panelRows]float32
	var w block32
	panel := bytesAt(p.w, p.blocks*p.bytes)
	parts := 4 / bits
	for b := range p.blocks * parts {
		src := panel[b/parts*p.bytes:]
		readF16(w.scale[:], src)
		for j := range w.code {
			field := 2*(b%parts) + j/4
			for i, q := range src[64+128*(j%4) : 192+128*(j%4)] {
				w.code[j][i] = int8(by*int(q>>(field*bits)&(1<<bits-1)) - 1)
			}
		}
		w.addTo(p, b, &sums)
	}
	p.store(&sums)
}

// plainNVFP4 is the definition for blocks of two halves with scales of their own.
func plainNVFP4(p *product) {
	var sums [groupRows][panelRows]float32
	var all, w block32
	panel := bytesAt(p.w, p.blocks*p.bytes)
	for b := range p.blocks {
		src := panel[b*p.bytes:]
		all.nibbles(src[128:], &tableFP4)
		for half := range 2 {
			readF16(w.scale[:], src[64*half:])
			clear(w.code[:])
			copy(w.code[4*half:], all.code[4*half:4*half+4])
			w.addTo(p, b, &sums)
		}
	}
	p.store(&sums)
}

// addTo adds the products with input block b to the sums: scale times scale times the
// integer.
func (w *block32) addTo(p *product, b int, sums *[groupRows][panelRows]float32) {
	for i := range p.rows {
		x := bytesAt(p.x[i], (b+1)*q8Bytes)[b*q8Bytes:]
		scale := math.Float32frombits(le32(x[q8Scale:]))
		var dots [panelRows]int32
		for j := range w.code {
			w.code[j].dot(&dots, x[4*j:])
		}
		for r, dot := range dots {
			sums[i][r] += float32(dot) * (w.scale[r] * scale)
		}
	}
}
