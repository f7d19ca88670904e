//go:build cuda

package cuda

import (
	"fmt"
	"testing"

	"github.com/confab-tui/confab/engine/model"
	"github.com/confab-tui/confab/gpu/fake"
	"github.com/confab-tui/confab/kernels"
)

// Left to itself the pool takes what memory there is, leaves the reserve, and works.
func TestRoom(t *testing.T) {
	p := load(t, builtin)
	e := start(t, p, Options{Context: 4096})
	free, total, err := e.device.Memory()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d cells of %d bytes; %.1f GiB free of %.1f", e.Cells(), e.CellBytes(), gib(free), gib(total))
	if e.Cells() < 1000 || free < reserveBytes/2 {
		t.Errorf("%d cells leave %d bytes free", e.Cells(), free)
	}
	s := newSequence(10)
	s.cells[0] = int32(e.Cells() - 1)
	if _, err := e.Run(s.step([]int32{1, 2, 3}, 2)); err != nil {
		t.Fatal(err)
	}
	if _, err := New(p, Options{Cells: 1 << 40}); err == nil {
		t.Error("a pool of 2^40 cells was made")
	} else {
		t.Log(err)
	}
}

// A wrong step is refused and does no harm.
func TestRefusesWrongSteps(t *testing.T) {
	p := load(t, builtin)
	e := start(t, p, Options{Cells: 64})
	for what, change := range map[string]func(s *sequence){
		"cell":  func(s *sequence) { s.cells[1] = 64 },
		"token": func(s *sequence) { s.tokens = nil },
	} {
		s := newSequence(10)
		change(s)
		tokens := []int32{1, 2, 3}
		if what == "token" {
			tokens[1] = int32(p.Spec.Vocab)
		}
		if _, err := e.Run(s.step(tokens, 2)); err == nil {
			t.Errorf("a step with a wrong %s was run", what)
		}
	}
	if _, err := e.Run(newSequence(10).step([]int32{1, 2, 3}, 2)); err != nil {
		t.Fatal(err)
	}
}

// With as much memory as Need says an executor is made, with half of it none: of whole
// programs and of halves.
func TestNeed(t *testing.T) {
	if !fake.IsChild(t) {
		fake.Run(t, fake.Driver(t, "../../gpu"))
		return
	}
	kernels.Fatbin = []byte("kernels")
	const cells = 300000
	for _, name := range []string{"tiny-llama-f32", "tiny-llama-q4_k_m", "tiny-qwen3moe-f32", "tiny-qwen35-f32", "tiny-gemma3-f32"} {
		p := load(t, "../../testdata/models/"+name+".gguf")
		for _, layers := range []int{p.Spec.Layers, 1} {
			device, _ := p.Split(model.Placement{Layers: layers, HostExperts: p.MostHostExperts(layers)})
			need := Need(device, cells)
			t.Setenv("FAKE_FREE", fmt.Sprint(reserveBytes+need))
			e, err := New(device, Options{Cells: cells})
			if err != nil {
				t.Errorf("%s, %d layers: %v", name, layers, err)
				continue
			}
			if err := e.Close(); err != nil {
				t.Error(err)
			}
			t.Setenv("FAKE_FREE", fmt.Sprint(reserveBytes+need/2))
			if _, err := New(device, Options{Cells: cells}); err == nil {
				t.Errorf("%s, %d layers: half of the %d bytes are enough", name, layers, need)
			}
		}
	}
}
