package sample

import (
	"math"
	"testing"

	"github.com/confab-tui/confab/kernels/rowwise"
)

// The known answers of the generator's authors.
func TestPhilox(t *testing.T) {
	const f = 0xffffffff
	for _, c := range []struct {
		counter [4]uint32
		key     [2]uint32
		want    [4]uint32
	}{
		{[4]uint32{}, [2]uint32{}, [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{[4]uint32{f, f, f, f}, [2]uint32{f, f}, [4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
		{[4]uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, [2]uint32{0xa4093822, 0x299f31d0},
			[4]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
	} {
		if got := philox(c.counter, c.key); got != c.want {
			t.Errorf("philox(%x, %x) = %x, want %x", c.counter, c.key, got, c.want)
		}
	}
}

func TestLogFloat(t *testing.T) {
	worst := 0.0
	for bits := uint32(0x00800000); bits < 0x7f800000; bits += 9973 {
		x := math.Float32frombits(bits)
		got, want := float64(logFloat(x)), math.Log(float64(x))
		if want != 0 {
			worst = max(worst, math.Abs(got-want)/math.Abs(want))
		}
	}
	if worst > 2*0x1p-23 {
		t.Errorf("relative error %g", worst)
	}
}

// The extremes of the noise must fit their bounds, or a token that could be drawn
// would be left out.
func TestGumbelRange(t *testing.T) {
	low, high := gumbel(0), gumbel(math.MaxUint32)
	if low <= -quietest || low > -2.81 || high < 16.63 || high >= loudestNoise {
		t.Errorf("noise from %g to %g", low, high)
	}
	last := low
	for w := uint32(0); w < 0xfff00000; w += 0x00100000 {
		g := gumbel(w)
		if g < last {
			t.Fatalf("noise falls at %x", w)
		}
		u := float64(w>>8|1) / (1 << 24)
		if want := -math.Log(-math.Log(u)); math.Abs(float64(g)-want) > 1e-6*(1+math.Abs(want)) {
			t.Fatalf("noise of %g is %g, want %g", u, g, want)
		}
		last = g
	}
}

// The golden values pin the definition, which other devices share.
func TestGumbelNoise(t *testing.T) {
	for _, c := range []struct {
		seed    uint64
		pos, id int32
		want    uint32
	}{
		{0, 0, 0, 0x3dadb63f}, {0, 0, 3, 0x3f308fa0}, {0x123456789abcdef0, 1000, 151642, 0xbf14211e}, {math.MaxUint64, math.MaxInt32, 7, 0x3f14041c},
	} {
		if got := math.Float32bits(GumbelNoise(c.seed, c.pos, c.id)); got != c.want {
			t.Errorf("noise of seed %d, position %d, id %d has bits %#x, want %#x", c.seed, c.pos, c.id, got, c.want)
		}
	}
}

// A block of noise has the very bits of its definition, but for what is too quiet.
func TestNoiseBlock(t *testing.T) {
	for _, block := range []int{0, 1, 777, 1 << 20} {
		for _, pos := range []int32{0, 5, math.MaxInt32} {
			for _, seed := range []uint64{0, 42, 0x123456789abcdef0, math.MaxUint64} {
				var fast, plain [rowwise.MaximaBlock]float32
				const bound = 0.5
				noiseBlock(&plain, seed, pos, block, bound)
				vectors := noiseBlockFast(&fast, seed, pos, block)
				for i := range fast {
					want := GumbelNoise(seed, pos, int32(block*rowwise.MaximaBlock+i))
					if vectors && math.Float32bits(fast[i]) != math.Float32bits(want) {
						t.Fatalf("seed %d, position %d, token %d: %g, want %g", seed, pos, block*rowwise.MaximaBlock+i, fast[i], want)
					}
					if plain[i] != want && (want > bound || plain[i] > want) {
						t.Fatalf("seed %d, position %d, token %d: %g above %g, want %g", seed, pos, block*rowwise.MaximaBlock+i, plain[i], bound, want)
					}
				}
			}
		}
	}
}
