//go:build cuda

package cuda

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/confab-tui/confab/engine/gguf"
	"github.com/confab-tui/confab/engine/model"
	"github.com/confab-tui/confab/gpu"
	"github.com/confab-tui/confab/gpu/fake"
	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/matmul"
)

// Loads hold every row of every expert once, in runs of whole strips of 16 rows that do not overlap.
func TestLoads(t *testing.T) {
	for _, path := range []string{"../../testdata/models/tiny-qwen3moe-f32.gguf", "../../testdata/models/tiny-llama-q4_k_m.gguf", builtin} {
		p := load(t, path)
		all, todo := matricesOf(p)
		l := &loader{size: 40 << 10}
		for _, m := range todo {
			l.size = max(l.size, roundUp(16*staged(m, all[m]), 256))
		}
		for _, m := range todo {
			l.cut(m, all[m])
		}
		type place struct {
			m      *model.Matrix
			expert int
		}
		rows, total := map[place]int{}, int64(0)
		for _, load := range l.loads {
			end := 0
			for _, r := range load.runs {
				at := place{r.m, r.expert}
				if r.first != rows[at] || r.first%16 != 0 || r.at < end || r.at%256 != 0 || len(r.data)%r.rows != 0 {
					t.Fatalf("%s: %s: run of rows %d to %d of expert %d at byte %d, %d comes next, from byte %d on",
						path, r.m.Tensor.Name, r.first, r.first+r.rows, r.expert, r.at, rows[at], end)
				}
				rows[at] += r.rows
				end = r.at + r.rows*r.staged
				total += int64(len(r.data))
			}
			if end > l.size || load.used < end {
				t.Fatalf("%s: a load of %d bytes, said to be %d, in a stage of %d", path, end, load.used, l.size)
			}
		}
		for _, m := range todo {
			for expert := range m.Experts {
				if n := rows[place{m, expert}]; n != m.Rows {
					t.Errorf("%s: %s: %d rows of %d are loaded of expert %d", path, m.Tensor.Name, n, m.Rows, expert)
				}
			}
		}
		if total != l.total || len(l.loads) < 10 {
			t.Errorf("%s: %d bytes of %d in %d loads", path, total, l.total, len(l.loads))
		}
	}
}

// What goes through small stages, on all lanes, is what goes through one, experts too.
func TestStages(t *testing.T) {
	for _, path := range []string{"../../testdata/models/tiny-qwen3moe-f32.gguf", "../../testdata/models/tiny-qwen35-f32.gguf", builtin} {
		p := load(t, path)
		var last []float32
		for _, stage := range []int{64 << 20, 1} {
			e := start(t, p, Options{Cells: 64, stage: stage})
			res, err := e.Run(newSequence(10).step([]int32{1, 2, 3, 4, 5}, 4))
			if err != nil {
				t.Fatal(err)
			}
			if got := res.Outputs[0].Logits; last == nil {
				last = slices.Clone(got)
			} else if !slices.Equal(got, last) {
				t.Errorf("%s: stages of 16 rows change the logits", path)
			}
		}
	}
}

// Loading ends where whoever is told how far it is returns an error, and gives back what it had.
func TestLoadingStops(t *testing.T) {
	if !fake.IsChild(t) {
		fake.Run(t, fake.Driver(t, "../../gpu"))
		return
	}
	kernels.Fatbin = []byte("kernels")
	p := load(t, builtin)
	free, err := gpu.FreeMemory(0)
	if err != nil {
		t.Fatal(err)
	}
	enough, calls := errors.New("enough"), 0
	_, err = New(p, Options{Cells: 64, Progress: func(done, total int64) error {
		if calls++; calls >= 3 {
			return enough
		}
		return nil
	}})
	if !errors.Is(err, enough) || calls > 2+lanes {
		t.Errorf("error %v after %d calls", err, calls)
	}
	if err := leaks(free); err != nil {
		t.Error(err)
	}
}

// A file that is cut short while its weights go to the device is told of, on whichever thread.
func TestFileCutShortWhileLoading(t *testing.T) {
	if !fake.IsChild(t) {
		fake.Run(t, fake.Driver(t, "../../gpu"))
		return
	}
	kernels.Fatbin = []byte("kernels")
	data, err := os.ReadFile(builtin)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model.gguf")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	p := load(t, path)
	_, err = New(p, Options{Cells: 64, Progress: func(done, total int64) error { return os.Truncate(path, int64(len(data)/4)) }})
	if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "cut short") {
		t.Errorf("error is %v, want one about %s", err, path)
	}
}

// Rows of a type that the device has no kernel for are in a stage as F16, where they belong.
func TestFillRounds(t *testing.T) {
	const rows, k, at, block = 3, 512, 256, 84 // bytes of 256 values of Q2_K
	data := make([]byte, rows*k/256*block)
	for i := range data {
		data[i] = byte(i*7 + i>>3)
	}
	for i := block - 4; i < len(data); i += block {
		copy(data[i:], []byte{0x00, 0x2c, 0x00, 0x28}) // scales of 1/16 and 1/32
	}
	want := make([]float32, rows*k)
	if err := matmul.Dequantize(matmul.Q2_K, want, data); err != nil {
		t.Fatal(err)
	}
	run := rowRun{m: &model.Matrix{Tensor: &gguf.Tensor{Name: "w", Type: gguf.Type(matmul.Q2_K)}}, to: &matmul.DeviceMatrix{Type: matmul.F16},
		rows: rows, data: data, at: at, staged: 2 * k}
	stage := make([]byte, at+rows*2*k)
	if err := (&stageLoad{runs: []rowRun{run}}).fill(stage); err != nil {
		t.Fatal(err)
	}
	for i, w := range want {
		if got := kernels.F16ToF32(binary.LittleEndian.Uint16(stage[at+2*i:])); got != kernels.F16ToF32(kernels.F32ToF16(w)) {
			t.Fatalf("value %d is %g, want %g", i, got, w)
		}
	}
}
