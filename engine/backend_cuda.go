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
func place(p *model.Program, c Config, context int, progress func(Progress)) (executor, []string, error) {
	var notices []string
	switch c.Backend {
	case "", "auto":
		exec, err := placeCUDA(p, c, context, progress)
		if err == nil {
			return exec, nil, nil
		}
		notices = []string{"The CPU is used: " + err.Error() + "."}
	case "cuda":
		exec, err := placeCUDA(p, c, context, progress)
		return exec, nil, err
	case "cpu":
	default:
		return nil, nil, fmt.Errorf("engine: backend %q is not known: auto, cpu and cuda are", c.Backend)
	}
	exec, err := placeCPU(p, c, context, progress)
	if err != nil {
		return nil, nil, err
	}
	return exec, notices, nil
}

// placeCUDA makes an executor on the GPU.
func placeCUDA(p *model.Program, c Config, context int, progress func(Progress)) (executor, error) {
	if err := cuda.Available(); err != nil {
		return nil, err
	}
	if c.CellType == "f32" {
		return nil, errors.New("cells of f32 are for the CPU alone: the GPU keeps f16")
	}
	cells := 0
	if c.Cells > 0 {
		cells = c.Cells + 1
	}
	exec, err := cuda.New(p, cuda.Options{
		Device: c.Device, Cells: cells, Context: context,
		Progress: func(done, total int64) { progress(Progress{Stage: "loading weights", Done: done, Total: total}) },
	})
	if err != nil {
		return nil, err
	}
	return exec, nil
}
