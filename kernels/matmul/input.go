package matmul

import (
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/confab-tui/confab/kernels"
)

// A block of FormQ8 is 32 values, then the scale, then -128 times the sum of the
// values (int32), which takes the offset of weights stored as value + 128 back,
// then the scale times the sum, which goes with a block's minimum.
const (
	q8Scale  = 32
	q8Offset = 36
	q8Sum    = 40
	q8Bytes  = 44
)

// A block of FormQ8K is 256 values, then -32 times the sums of each 16 (int32),
// the sums of each 32 (int16), and the scale.
const (
	q8kOffsets = 256
	q8kSums    = 320
	q8kScale   = 336
	q8kBytes   = 352
)

// smallSum is what 16 magnitudes add up to at most where 16 products with Q6_K's codes (-32 to 31) and
// 32 with Q4_K's (0 to 15) are 16-bit numbers.
const smallSum = 1023

// inputGap is how many bytes behind a step's rows nobody writes: a processor that sees rows read at
// equal distances fetches a few more, and takes them away from the core that is writing there.
const inputGap = 64 << 10

// Input is the rows of a step prepared for products: rounded to 8 bits with the
// reference implementation's rules where the weights are quantised. It may be
// used again and again, and be read by many goroutines at once.
type Input struct {
	form    kernels.Form
	rows, k int
	// stride is the bytes of a row, a multiple of 64.
	stride int
	data   []byte
	// at is where each row begins.
	at []*byte
	// small says of a row of FormQ8K that each 16 neighbours' magnitudes add up to smallSum at
	// most: products of a sub-block fit in 16 bits then. It may be false of such rows.
	small []bool
}

// Reset makes room for rows of k values, which Fill must write.
func (in *Input) Reset(f kernels.Form, rows, k int) {
	in.form, in.rows, in.k = f, rows, k
	bytes := 4 * k
	switch f {
	case kernels.FormQ8:
		bytes = k / 32 * q8Bytes
	case kernels.FormQ8K:
		bytes = k / 256 * q8kBytes
	case kernels.FormBF16:
		bytes = (k + 1) / 2 * 4
	}
	in.small = kernels.Grow(in.small, rows)
	in.stride = (bytes + 63) &^ 63
	if need := rows * in.stride; cap(in.data) < need+inputGap {
		in.data = alignedBytes(need + inputGap)[:need]
	} else {
		in.data = in.data[:need]
	}
	in.at = kernels.Grow(in.at, rows)
	for r := range in.at {
		in.at[r] = &in.data[r*in.stride]
	}
}

// listed are the addresses of some rows, and whether all of them are small.
func (in *Input) listed(rows []int32) (at [manyRows]*byte, small bool) {
	small = true
	for j, r := range rows {
		at[j] = in.at[r]
		small = small && in.small[r]
	}
	return at, small
}

// Fill prepares rows r0 to r1 of x, whose rows are ld values apart. Different rows
// may be filled by different goroutines.
func (in *Input) Fill(x []float32, ld, r0, r1 int) {
	for r := r0; r < r1; r++ {
		src := x[r*ld:][:in.k]
		dst := in.data[r*in.stride:][:in.stride]
		switch in.form {
		case kernels.FormF32:
			copy(unsafe.Slice((*float32)(unsafe.Pointer(&dst[0])), in.k), src)
		case kernels.FormQ8:
			fillQ8(dst, src)
		case kernels.FormQ8K:
			fillQ8K(dst, src)
			in.small[r] = isSmall(dst, in.k/256)
		case kernels.FormBF16:
			fillBF16(dst, src)
		}
	}
}

// roundBF16 rounds to the nearest; an odd number of values is followed by a zero.
// Numbers below 2^-126 become zero, as the processors' instruction has it.
func roundBF16(dst []byte, src []float32) {
	for i, v := range src {
		if float32(math.Abs(float64(v))) < 0x1p-126 {
			v = float32(math.Copysign(0, float64(v)))
		}
		binary.LittleEndian.PutUint16(dst[2*i:], kernels.F32ToBF16(v))
	}
	if i := len(src); i%2 != 0 {
		dst[2*i], dst[2*i+1] = 0, 0
	}
}

// roundQ8 rounds blocks of 32 the way Q8_0 does: the largest magnitude becomes 127;
// the integers are found with the exact scale, products use its F16 rounding.
func roundQ8(dst []byte, src []float32) {
	for b := range len(src) / 32 {
		x, q := src[32*b:][:32], dst[q8Bytes*b:][:q8Bytes]
		var top float32
		for _, v := range x {
			top = max(top, float32(math.Abs(float64(v))))
		}
		var inverse float32
		if top != 0 {
			inverse = 127 / top
		}
		sum := int32(0)
		for i, v := range x {
			n := int32(math.RoundToEven(float64(v * inverse)))
			q[i] = byte(n)
			sum += n
		}
		scale := kernels.F16ToF32(kernels.F32ToF16(top / 127))
		binary.LittleEndian.PutUint32(q[q8Scale:], math.Float32bits(scale))
		binary.LittleEndian.PutUint32(q[q8Offset:], uint32(-128*sum))
		binary.LittleEndian.PutUint32(q[q8Sum:], math.Float32bits(scale*float32(sum)))
	}
}

// roundQ8K rounds blocks of 256 the way Q8_K does: the value of the largest
// magnitude becomes -127, whatever its sign.
func roundQ8K(dst []byte, src []float32) {
	for b := range len(src) / 256 {
		x, q := src[256*b:][:256], dst[q8kBytes*b:][:q8kBytes]
		var top, magnitude float32
		for _, v := range x {
			if a := float32(math.Abs(float64(v))); a > magnitude {
				top, magnitude = v, a
			}
		}
		var inverse, scale float32
		if magnitude != 0 {
			inverse = -127 / top
			scale = 1 / inverse
		}
		for s := range 16 {
			sum := int32(0)
			for i, v := range x[16*s : 16*s+16] {
				n := min(int32(math.RoundToEven(float64(v*inverse))), 127)
				q[16*s+i] = byte(n)
				sum += n
			}
			binary.LittleEndian.PutUint32(q[q8kOffsets+4*s:], uint32(-32*sum))
		}
		sumsQ8K(q)
		binary.LittleEndian.PutUint32(q[q8kScale:], math.Float32bits(scale))
	}
}

// sumsQ8K derives the sums of 32 values from those of 16.
func sumsQ8K(q []byte) {
	for s := range 8 {
		sum := int32(le32(q[q8kOffsets+8*s:])) + int32(le32(q[q8kOffsets+8*s+4:]))
		binary.LittleEndian.PutUint16(q[q8kSums+2*s:], uint16(sum/-32))
	}
}

// alignedBytes allocates n bytes on a cache line.
func alignedBytes(n int) []byte {
	b := make([]byte, n+63)
	skip := int(-uintptr(unsafe.Pointer(&b[0])) & 63)
	return b[skip : skip+n : skip+n]
}
