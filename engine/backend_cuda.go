//go:build cuda

package engine

import (
	"errors"
	"fmt"

	"github.com/confab-tui/confab/engine/cuda"
	"github.com/confab-tui/confab/engine/model"
)

// Backends says what this build can run models on, for people.
func Backends() string {
	if err := cuda.Available(); err != nil {
		return "CPU; CUDA: " + err.Error()
	}
	return "CPU; CUDA"
}

// Room is how many bytes Open could use for weights and cells now; false where the
// machine does not tell.
func Room(c Config) (bytes int64, ok bool) {
	if c.Backend != "cpu" {
		if n, err := cuda.Room(c.Device); err == nil {
			return n, true
		}
	}
	return roomOnCPU()
}

// place makes the executor that the configuration asks for. The notices say what
// else a person should know about the choice.
func place(p *model.Program, c Config, context int, report report) (executor, []string, error) {
	var notices []string
	switch c.Backend {
	case "", "auto":
		exec, notice, err := placeCUDA(p, c, context, report)
		if err == nil {
			return exec, notice, nil
		}
		if err := report(Progress{Stage: "loading weights"}); err != nil {
			return nil, nil, err
		}
		notices = []string{"The CPU is used: " + err.Error() + "."}
	case "cuda":
		return placeCUDA(p, c, context, report)
	case "cpu":
	default:
		return nil, nil, fmt.Errorf("engine: backend %q is not known: auto, cpu and cuda are", c.Backend)
	}
	exec, err := placeCPU(p, c, context, report)
	if err != nil {
		return nil, nil, err
	}
	return exec, notices, nil
}

// placeCUDA makes an executor on the GPU, or one there and on the CPU.
func placeCUDA(p *model.Program, c Config, context int, report report) (executor, []string, error) {
	if c.CellType == "f32" {
		return nil, nil, errors.New("cells of f32 are for the CPU alone: the GPU keeps f16")
	}
	release, err := cuda.Hold(c.Device)
	if err != nil {
		return nil, nil, err
	}
	defer release()
	at, err := division(p, c, context)
	if err != nil {
		return nil, nil, err
	}
	if !whole(at, p.Spec.Layers) {
		exec, err := placeHalves(p, at, c, context, report)
		return exec, []string{"Not all of the model is on the GPU: " + placed(at, p.Spec.Layers) + "."}, err
	}
	cells := 0
	if c.Cells > 0 {
		cells = c.Cells + 1
	}
	exec, err := newCUDA(p, c, cells, context, report)
	return exec, nil, err
}

func newCUDA(p *model.Program, c Config, cells, context int, report report) (half, error) {
	exec, err := cuda.New(p, cuda.Options{
		Device: c.Device, Cells: cells, Context: context,
		Progress: report.weights,
	})
	if err != nil {
		return nil, err
	}
	return exec, nil
}

// leastCells is how many cells a pool should have before layers go to the GPU that would
// take the room for them, where nobody chose and one conversation may be as long.
const leastCells = 8192

// division says what of a program the GPU is to have.
func division(p *model.Program, c Config, context int) (model.Placement, error) {
	wish, err := GPULayers(c.GPULayers)
	if err != nil {
		return model.Placement{}, err
	}
	if err := cuda.Available(); err != nil {
		return model.Placement{}, err
	}
	free, err := cuda.Room(c.Device)
	if err != nil {
		return model.Placement{}, err
	}
	cells := c.Cells
	if cells == 0 {
		cells = min(context, leastCells)
	}
	d := dividing{free: free, layers: p.MayPlace(), experts: p.MostHostExperts, wish: wish}
	d.need = func(at model.Placement) int64 {
		device, _ := p.Split(at)
		return cuda.Need(device, cells+1)
	}
	return d.choose()
}

// placedNow says what of a program Open would place on the GPU now, nothing where there is
// none.
func placedNow(p *model.Program) string {
	if cuda.Available() != nil {
		return ""
	}
	at, err := division(p, Config{}, p.Spec.Context)
	if err != nil {
		return "nothing of it: " + err.Error()
	}
	return placed(at, p.Spec.Layers)
}

// placeHalves makes an executor of which the GPU has one half and the CPU the other.
func placeHalves(p *model.Program, at model.Placement, c Config, context int, report report) (executor, error) {
	device, host := p.Split(at)
	cells, err := hostRoom(host, c, context).choose()
	if err != nil {
		return nil, err
	}
	if c.Cells == 0 {
		free, err := cuda.Room(c.Device)
		if err != nil {
			return nil, err
		}
		first := cuda.Need(device, 1)
		cells = min(cells, int((free-first)/max(1, cuda.Need(device, 2)-first)))
	}
	onDevice, err := newCUDA(device, c, cells+1, context, report)
	if err != nil {
		return nil, err
	}
	onHost, err := newCPU(host, c, cells+1, report)
	if err != nil {
		return nil, errors.Join(err, onDevice.Close())
	}
	return newChain(onDevice, onHost, device, host, placed(at, p.Spec.Layers)), nil
}
