//go:build cuda

package engine

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/confab-tui/confab/engine/cpu"
	"github.com/confab-tui/confab/engine/cuda"
	"github.com/confab-tui/confab/engine/model"
	"github.com/confab-tui/confab/gpu/fake"
)

// Divided between GPU and CPU, a program gives what it gives on the GPU alone, but for the
// other rounding of one half, in graphs and in wide steps. Where the two differ in a last
// bit, a key or a value may go to the cells as the next half: no output of a program of
// floats may be further off for that than the cells' rounding moves the worst, were it 2e-2.
func TestDeviceHalves(t *testing.T) {
	if err := cuda.Available(); err != nil {
		t.Skip(err)
	}
	paths, _ := filepath.Glob("../testdata/models/*.gguf")
	if len(paths) == 0 {
		t.Fatal("no models in testdata")
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".gguf"), func(t *testing.T) {
			p := loadProgram(t, path)
			near := 4e-2 // an activation may round the other way
			if strings.HasSuffix(path, "-f32.gguf") {
				near = min(max(2e-3, cellRounding(t, p)), 2e-2)
			}
			want := answersTo(t, onGPU(t, p), p)
			for _, at := range some(placements(p)) {
				device, host := p.Split(at)
				exec := newChain(onGPU(t, device), onCPU(t, host, chainCells), device, host, "")
				far, worst := 0, 0.0
				for i, got := range answersTo(t, exec, p) {
					d := apart(got.Logits, want[i].Logits)
					if worst = max(worst, d); !(d <= near) {
						far++
					}
				}
				t.Logf("%+v: worst %.2g", at, worst)
				if far > 0 && (p.Spec.Experts == 0 || far*20 > len(want)) { // another expert may be chosen now and then
					t.Errorf("%+v: %d of %d outputs are up to %.2g from those of the whole, at most %.2g", at, far, len(want), worst, near)
				}
				wideStep(t, exec, p)
			}
		})
	}
}

// cellRounding is how far it moves an output at most that cells keep halves, and not floats,
// on the CPU.
func cellRounding(t *testing.T, p *model.Program) float64 {
	t.Helper()
	floats, err := cpu.New(p, cpu.Options{Threads: 2, Cells: chainCells, F32Cells: true})
	if err != nil {
		t.Fatal(err)
	}
	defer floats.Close()
	worst, want := 0.0, answersTo(t, floats, p)
	for i, got := range answersTo(t, onCPU(t, p, chainCells), p) {
		worst = max(worst, apart(got.Logits, want[i].Logits))
	}
	return worst
}

func onGPU(t *testing.T, p *model.Program) half {
	t.Helper()
	e, err := cuda.New(p, cuda.Options{Cells: chainCells})
	if err != nil && strings.Contains(err.Error(), "not supported") {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// wideStep runs a prompt in one step and token by token: the last logits are the same.
func wideStep(t *testing.T, exec executor, p *model.Program) {
	t.Helper()
	const length = 150
	step := &model.Step{Seqs: []model.Seq{{Count: length}}}
	for pos := range int32(length) {
		step.Seqs[0].Cells = append(step.Seqs[0].Cells, length+1-pos)
		step.Rows = append(step.Rows, model.Row{Token: pos * 37 % int32(p.Spec.Vocab), Pos: pos, Cell: length + 1 - pos})
	}
	step.Outputs = []model.Output{{Row: length - 1, Logits: true}}
	at := func(s *model.Step) []float32 {
		result, err := exec.Run(s)
		if err != nil {
			t.Fatal(err)
		}
		return kept(result.Outputs[0]).Logits
	}
	wide := at(step)
	var last []float32
	for pos := range length {
		one := rowsOf(step, pos, pos+1)
		one.Outputs = []model.Output{{Logits: true}}
		last = at(one)
	}
	if d := apart(wide, last); !(d <= 6e-2) && (p.Spec.Experts == 0 || math.IsNaN(d)) {
		t.Errorf("a prompt at once is %.2g from it token by token", d)
	}
}

// apart is the root of the squared differences over the squared reference.
func apart(a, b []float32) float64 {
	var diff, sum float64
	for i := range a {
		d := float64(a[i]) - float64(b[i])
		diff += d * d
		sum += float64(b[i]) * float64(b[i])
	}
	return math.Sqrt(diff / sum)
}

// A model that does not fit is divided by itself, experts first, and says so; a wish for
// more layers than fit is refused with the numbers.
func TestDeviceDivides(t *testing.T) {
	if !fake.IsChild(t) {
		fake.Run(t, fake.Driver(t, "../gpu"))
		return
	}
	const cells, plenty = 300, 4 << 30
	t.Setenv("FAKE_FREE", fmt.Sprint(plenty))
	room, err := cuda.Room(0)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		model, layers string
		fits          model.Placement // what there is room for
		want          string
	}{
		{"tiny-llama-f32", "", model.Placement{Layers: 2}, "Fake GPU"},
		{"tiny-llama-f32", "", model.Placement{Layers: 1}, "1 of 2 layers on the GPU; CPU"},
		{"tiny-llama-f32", "1", model.Placement{Layers: 2}, "1 of 2 layers on the GPU; CPU"},
		{"tiny-llama-f32", "all", model.Placement{Layers: 1}, "2 layers need"},
		{"tiny-llama-f32", "0", model.Placement{Layers: 2}, "engine.gpu-layers is 0"},
		{"tiny-qwen3moe-f32", "", model.Placement{Layers: 2, HostExperts: 1}, "2 of 2 layers on the GPU, experts of 1 on the host; CPU"},
		{"tiny-qwen35-f32", "", model.Placement{Layers: 3}, "3 of 4 layers on the GPU; CPU"},
	} {
		path := "../testdata/models/" + c.model + ".gguf"
		p := loadProgram(t, path)
		device, _ := p.Split(c.fits)
		t.Setenv("FAKE_FREE", fmt.Sprint(plenty-room+cuda.Need(device, cells+1)))
		e, err := Open(context.Background(), Config{Model: path, Backend: "cuda", GPULayers: c.layers, Cells: cells, Threads: 1}, nil)
		got := fmt.Sprint(err)
		if err == nil {
			answers(t, e)
			got = e.Info().Backend
			if divided := strings.Contains(got, "layers"); divided != strings.Contains(strings.Join(e.Info().Notices, " "), "Not all of the model is on the GPU") {
				t.Errorf("%+v: on %q there are the notices %q", c, got, e.Info().Notices)
			}
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%+v: %s; want %q", c, got, c.want)
		}
		in, err := Inspect(path)
		if err != nil {
			t.Fatal(err)
		}
		if want := placed(c.fits, p.Spec.Layers); in.Placed != want {
			t.Errorf("%+v: inspect says %q, want %q", c, in.Placed, want)
		}
	}
}
