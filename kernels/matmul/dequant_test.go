package matmul

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/confab-tui/confab/kernels"
)

// quantFile is one type of the table beside the stored blocks.
type quantFile struct {
	Type       Type `json:"type"`
	Block      int  `json:"block"`
	BlockBytes int  `json:"block_bytes"`
}

func quantFiles(t testing.TB) (folder string, files map[string]quantFile) {
	t.Helper()
	folder = filepath.Join("..", "..", "testdata", "quants")
	raw, err := os.ReadFile(filepath.Join(folder, "types.json"))
	if err != nil {
		t.Fatal(err)
	}
	var table struct {
		Types map[string]quantFile `json:"types"`
	}
	if err := json.Unmarshal(raw, &table); err != nil {
		t.Fatal(err)
	}
	return folder, table.Types
}

func readFloats(t testing.TB, name string) []float32 {
	t.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]float32, len(raw)/4)
	readF32(out, raw)
	return out
}

// Reading back is exact but for the order of two multiplications, so one unit in
// the last place is allowed.
func TestDequantize(t *testing.T) {
	folder, files := quantFiles(t)
	for name, f := range files {
		t.Run(name, func(t *testing.T) {
			want := readFloats(t, filepath.Join(folder, name+".f32"))
			blocks, err := os.ReadFile(filepath.Join(folder, name+".bin"))
			if err != nil {
				t.Fatal(err)
			}
			have := formats[f.Type]
			if have.values != f.Block || have.bytes != f.BlockBytes {
				t.Fatalf("blocks are %d values in %d bytes, want %d in %d", have.values, have.bytes, f.Block, f.BlockBytes)
			}
			got := make([]float32, len(want))
			if err := Dequantize(f.Type, got, blocks); err != nil {
				t.Fatal(err)
			}
			for i := range want {
				if d := int32(math.Float32bits(got[i])) - int32(math.Float32bits(want[i])); got[i] != want[i] && (d < -1 || d > 1) {
					t.Fatalf("value %d is %v, want %v", i, got[i], want[i])
				}
			}
		})
	}
}

func TestDequantizeRefuses(t *testing.T) {
	if err := Dequantize(Type(9999), make([]float32, 32), make([]byte, 64)); err == nil {
		t.Error("an unknown type was read")
	}
	if err := Dequantize(Q8_0, make([]float32, 33), make([]byte, 68)); err == nil {
		t.Error("part of a block was read")
	}
	if err := Dequantize(Q8_0, make([]float32, 64), make([]byte, 67)); err == nil {
		t.Error("a short block was read")
	}
}

func TestHalf(t *testing.T) {
	for h := range 1 << 16 {
		f := kernels.F16ToF32(uint16(h))
		if f != f {
			continue
		}
		if got := kernels.F32ToF16(f); got != uint16(h) {
			t.Fatalf("%04x reads %v and is written %04x", h, f, got)
		}
	}
	// Half-way cases go to the even neighbour, everything else to the nearest.
	for h := range 0x7bff {
		a, b := kernels.F16ToF32(uint16(h)), kernels.F16ToF32(uint16(h+1))
		middle := a/2 + b/2
		if got, want := kernels.F32ToF16(middle), uint16(h+h&1); got != want {
			t.Fatalf("%v is written %04x, want %04x", middle, got, want)
		}
		if got := kernels.F32ToF16(math.Nextafter32(middle, a)); got != uint16(h) {
			t.Fatalf("below %v is written %04x, want %04x", middle, got, h)
		}
		if got := kernels.F32ToF16(math.Nextafter32(middle, b)); got != uint16(h+1) {
			t.Fatalf("above %v is written %04x, want %04x", middle, got, h+1)
		}
	}
	if got := kernels.F32ToF16(65520); got != 0x7c00 {
		t.Errorf("65520 is written %04x, want infinity", got)
	}
	for h := range 1 << 16 {
		if f := kernels.BF16ToF32(uint16(h)); f == f && kernels.F32ToBF16(f) != uint16(h) {
			t.Fatalf("%04x reads %v and is written %04x", h, f, kernels.F32ToBF16(f))
		}
	}
	if kernels.F32ToBF16(1+1.0/256) != 0x3f80 || kernels.F32ToBF16(1+3.0/256) != 0x3f82 {
		t.Error("half-way cases do not go to the even neighbour")
	}
}
