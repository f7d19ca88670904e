package engine

import (
	"fmt"

	"github.com/confab-tui/confab/engine/cpu"
	"github.com/confab-tui/confab/engine/model"
)

// report tells whoever opens a model how far it is, and returns why to stop, if there is a reason.
type report func(Progress) error

func (r report) weights(done, total int64) error {
	return r(Progress{Stage: "loading weights", Done: done, Total: total})
}

// placeCPU makes an executor on the processor.
func placeCPU(p *model.Program, c Config, context int, report report) (executor, error) {
	if c.CellType != "" && c.CellType != "f16" && c.CellType != "f32" {
		return nil, fmt.Errorf("engine: cell type %q is not known: f16 and f32 are", c.CellType)
	}
	cells, err := hostRoom(p, c, context).choose()
	if err != nil {
		return nil, err
	}
	return newCPU(p, c, cells+1, report)
}

// hostRoom is what the size of a pool depends on in the machine's memory.
func hostRoom(p *model.Program, c Config, context int) room {
	r := room{free: freeMemory(), cellBytes: p.CellBytes(c.CellType == "f32"), context: context, cells: c.Cells}
	r.weights = p.WeightBytes() + p.StateBytes()*cpu.MaxSlots
	return r
}

func newCPU(p *model.Program, c Config, cells int, report report) (half, error) {
	exec, err := cpu.New(p, cpu.Options{
		Threads: c.Threads, Cells: cells, F32Cells: c.CellType == "f32",
		Progress: report.weights,
	})
	if err != nil {
		return nil, err
	}
	return exec, nil
}

// roomOnCPU is what is free of the machine's memory, a sixteenth left alone.
func roomOnCPU() (int64, bool) {
	free := freeMemory()
	return free - free/16, free != unknownMemory
}
