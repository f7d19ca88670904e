package cpu

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/confab-tui/confab/engine/gguf"
	"github.com/confab-tui/confab/kernels/matmul"
)

// quant is one tensor type: two rows of 512 values as stored, and read back by the
// reference.
type quant struct {
	of    gguf.Type
	bytes []byte
	back  []float32
}

const quantRows, quantValues = 2, 512

// readQuants lists the types of the test data, by their numbers, and F32.
func readQuants(t *testing.T) []quant {
	t.Helper()
	const folder = "../../testdata/quants"
	read := func(name string) []byte {
		raw, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	var types struct {
		Types map[string]struct {
			Type gguf.Type `json:"type"`
		} `json:"types"`
	}
	if err := json.Unmarshal(read("types.json"), &types); err != nil {
		t.Fatal(err)
	}
	source := read("source.f32")
	all := []quant{{gguf.F32, source, floats(source)}}
	for _, name := range slices.Sorted(maps.Keys(types.Types)) {
		all = append(all, quant{types.Types[name].Type, read(name + ".bin"), floats(read(name + ".f32"))})
	}
	slices.SortFunc(all, func(a, b quant) int { return int(a.of) - int(b.of) })
	return all
}

func floats(raw []byte) []float32 {
	out := make([]float32, len(raw)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return out
}

// typeTable measures reading back, products and their speed.
func typeTable(t *testing.T) string {
	all := readQuants(t)
	speeds := measureSpeeds(t, all)
	var reference float64
	for i, q := range all {
		if q.of == gguf.Q4_K {
			reference = speeds[i]
		}
	}
	var b strings.Builder
	b.WriteString("| type | bits | read back | products | bandwidth, Q4_K's = 1 | on the GPU |\n| --- | --- | --- | --- | --- | --- |\n")
	for i, q := range all {
		values, size := q.of.Block()
		fmt.Fprintf(&b, "| `%s` | %.4g | %s | %.1e | %.2f | %s |\n", q.of, 8*float64(size)/float64(values), q.readBack(t), q.productError(t),
			speeds[i]/reference, q.onDevice())
	}
	return b.String()
}

// readBack counts the values that are not the reference's to the last bit.
func (q quant) readBack(t *testing.T) string {
	got := make([]float32, len(q.back))
	if err := matmul.Dequantize(matmul.Type(q.of), got, q.bytes); err != nil {
		t.Fatal(err)
	}
	wrong := 0
	for i, v := range got {
		if math.Float32bits(v) != math.Float32bits(q.back[i]) {
			wrong++
		}
	}
	if wrong == 0 {
		return "exact"
	}
	return fmt.Sprintf("%d of %d differ", wrong, len(got))
}

func (q quant) onDevice() string {
	if gpuType == nil {
		return ""
	}
	if as := gguf.Type(gpuType(uint32(q.of))); as != q.of {
		return "as " + as.String()
	}
	return "own kernel"
}

// wide is the type's matrix of n rows, in which the two rows of the test data take turns,
// each repeated times along the row.
func (q quant) wide(t *testing.T, n, times int) *matmul.Matrix {
	row := len(q.bytes) / quantRows
	var data []byte
	for i := range n {
		from := i % quantRows * row
		data = append(data, slices.Repeat(q.bytes[from:from+row], times)...)
	}
	m, err := matmul.NewMatrix(matmul.Type(q.of), n, times*quantValues)
	if err != nil {
		t.Fatal(err)
	}
	m.Pack(data, 0, m.Panels())
	return m
}

func inputFor(m *matmul.Matrix) (*matmul.Input, []float32) {
	x := make([]float32, m.K)
	for i := range x {
		x[i] = float32(math.Sin(float64(i)*1.7) * (1 + 0.5*math.Cos(float64(i)*0.3)))
	}
	in := &matmul.Input{}
	in.Reset(m.Form(), 1, m.K)
	in.Fill(x, m.K, 0, 1)
	return in, x
}

// productError is how far products are from those of the values read back in float64.
// Where the type wants activations of 8 bits, their rounding is most of it.
func (q quant) productError(t *testing.T) float64 {
	const n, times = 16, 4
	m := q.wide(t, n, times)
	in, x := inputFor(m)
	got, want := make([]float32, n), make([]float32, n)
	m.Mul(got, n, in, nil, 0, m.Panels())
	for r := range want {
		var sum float64
		for i, v := range x {
			sum += float64(v) * float64(q.back[r%quantRows*quantValues+i%quantValues])
		}
		want[r] = float32(sum)
	}
	return distance(got, want)
}

// measureSpeeds returns the bytes of the file's weights a second at one row on one core, out
// of matrices that no cache holds: the best of many stretches, so short that some of them
// nobody disturbs. The types take turns, so that none has the quiet moments for itself.
func measureSpeeds(t *testing.T, all []quant) []float64 {
	const bytes, times, stretches, rounds = 80 << 20, 8, 40, 6
	best := make([]float64, len(all))
	matrices := make([]*matmul.Matrix, len(all))
	for i, q := range all {
		one := q.wide(t, 32, times).Bytes()
		matrices[i] = q.wide(t, int(bytes/one)*32, times)
	}
	for turn := range stretches * rounds {
		for i, m := range matrices {
			in, _ := inputFor(m)
			out := make([]float32, m.N)
			panels := m.Panels() / stretches
			from := turn % stretches * panels
			size := float64(len(all[i].bytes)) / quantRows * times * 32 * float64(panels)
			began := time.Now()
			m.Mul(out, m.N, in, nil, from, from+panels)
			best[i] = max(best[i], size/time.Since(began).Seconds())
		}
	}
	return best
}
