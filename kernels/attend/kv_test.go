package attend

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/kerneltest"
)

// A stored cell holds its values, rounded to halves or not, and no other cell
// changes.
func TestKVStore(t *testing.T) {
	extremes := []float32{0, float32(math.Copysign(0, -1)), 1e-7, 6e-8, 1e-9, 65504, 65520, 1e9, float32(math.Inf(-1)), float32(math.NaN()), 0.1, 1 + 0x1p-11, 1 + 3*0x1p-11}
	kerneltest.EachForm(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 2))
		for _, dims := range [][2]int{{1, 1}, {13, 7}, {16, 24}, {64, 64}, {80, 96}, {256, 128}} {
			for _, f32 := range []bool{false, true} {
				const cells, heads, cell = 5, 3, 2
				kv := NewKV(cells, heads, dims[0], dims[1], f32)
				if dims[0] != 64 {
					inChunks(kv, 1)
				}
				k, v := make([]float32, heads*dims[0]), make([]float32, heads*dims[1])
				kerneltest.Normals(rng, k, 1)
				kerneltest.Normals(rng, v, 1)
				copy(k, extremes)
				copy(v[len(v)-1:], extremes[5:])
				kv.Store(cell, k, v)
				for c := range cells {
					for i := range heads {
						at := i<<kv.shift + int(kv.place(int32(c)))
						checkCell(t, kv.keyHalves, kv.keyFloats, at*kv.keyStride, k[i*dims[0]:][:dims[0]], c == cell)
						checkCell(t, kv.valueHalves, kv.valueFloats, at*kv.valueStride, v[i*dims[1]:][:dims[1]], c == cell)
					}
				}
				size := int64(2)
				if f32 {
					size = 4
				}
				if want := size * cells * heads * int64(kv.keyStride+kv.valueStride); kv.Bytes() != want {
					t.Errorf("%d bytes, want %d", kv.Bytes(), want)
				}
			}
		}
	})
}

// inChunks makes a small KV one of many chunks.
func inChunks(kv *KV, shift int) {
	kv.shift = shift
	kv.allocate(kv.keyFloats != nil)
}

// A chunk takes a huge page or less, but holds a block of attention.
func TestChunks(t *testing.T) {
	for _, c := range []struct{ cells, heads, dim, want int }{
		{1 << 20, 8, 128, 1024}, {1 << 20, 3, 64, 4096}, {1 << 20, 1, 576, 1024}, {1 << 20, 128, 256, 64}, {100, 8, 128, 128}, {1, 1, 1, 1},
	} {
		kv := KV{}
		if kv.shift = chunkShift(c.cells, kernels.HugePage/(2*c.heads*c.dim)); 1<<kv.shift != c.want {
			t.Errorf("%d cells of %d heads of %d come in chunks of %d, want %d", c.cells, c.heads, c.dim, 1<<kv.shift, c.want)
		}
	}
	for _, shift := range []int{2, 4, 7} {
		kv := KV{cells: 1000, heads: 3, shift: shift}
		chunks := int32(1000+1<<shift-1) >> shift
		seen := map[int32]bool{}
		for cell := range int32(1000) {
			for head := range int32(3) {
				at := head<<shift + kv.place(cell)
				if at < 0 || at >= 3*chunks<<shift || seen[at] {
					t.Fatalf("chunks of %d: head %d of cell %d is at place %d", 1<<shift, head, cell, at)
				}
				seen[at] = true
			}
		}
	}
}

// However many sequences take turns, few of one's cells stand at the same distance from a
// multiple of 16 cells.
func TestTurnsSpread(t *testing.T) {
	kv := KV{cells: 1 << 16, heads: 8, shift: 12}
	for _, sequences := range []int32{1, 2, 3, 4, 8, 16, 32, 64, 128} {
		var count [16]int
		for pos := range int32(64) {
			count[kv.place(5+pos*sequences)&15]++
		}
		if slices.Max(count[:]) > 8 {
			t.Errorf("%d sequences: 64 cells of one stand at distances %v", sequences, count)
		}
	}
}

// checkCell compares one head's part of a cell with what was stored, or with zeros.
func checkCell(t *testing.T, halves []uint16, floats []float32, at int, want []float32, stored bool) {
	t.Helper()
	for i, w := range want {
		if !stored {
			w = 0
		}
		var got float32
		if floats != nil {
			got = floats[at+i]
		} else {
			got, w = kernels.F16ToF32(halves[at+i]), kernels.F16ToF32(kernels.F32ToF16(w))
		}
		if math.Float32bits(got) != math.Float32bits(w) && (got == got || w == w) {
			t.Fatalf("value %d is %g, want %g", i, got, w)
		}
	}
}
