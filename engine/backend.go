package engine

import (
	"fmt"

	"github.com/confab-tui/confab/engine/cpu"
	"github.com/confab-tui/confab/engine/model"
)

// placeCPU makes an executor on the processor.
func placeCPU(p *model.Program, c Config, context int, progress func(Progress)) (executor, error) {
	if c.CellType != "" && c.CellType != "f16" && c.CellType != "f32" {
		return nil, fmt.Errorf("engine: cell type %q is not known: f16 and f32 are", c.CellType)
	}
	cells, err := hostRoom(p, c, context).choose()
	if err != nil {
		return nil, err
	}
	return newCPU(p, c, cells+1, progress)
}

// hostRoom is what the size of a pool depends on in the machine's memory.
func hostRoom(p *model.Program, c Config, context int) room {
	r := room{free: freeMemory(), cellBytes: p.CellBytes(c.CellType == "f32"), context: context, cells: c.Cells}
	r.weights = p.WeightBytes() + p.StateBytes()*cpu.MaxSlots
	return r
}

func newCPU(p *model.Program, c Config, cells int, progress func(Progress)) (half, error) {
	exec, err := cpu.New(p, cpu.Options{
		Threads: c.Threads, Cells: cells, F32Cells: c.CellType == "f32",
		Progress: func(done, total int64) { progress(Progress{Stage: "loading weights", Done: done, Total: total}) },
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
