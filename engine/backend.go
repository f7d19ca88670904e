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
	need := p.Inventory()
	r := room{free: freeMemory(), cellBytes: need.CellBytes, context: context, cells: c.Cells}
	if c.CellType == "f32" {
		r.cellBytes *= 2
	}
	for _, t := range need.Types {
		r.weights += t.Bytes
	}
	r.weights += need.StateBytes * cpu.MaxSlots
	cells, err := r.choose()
	if err != nil {
		return nil, err
	}
	return cpu.New(p, cpu.Options{
		Threads: c.Threads, Cells: cells + 1, F32Cells: c.CellType == "f32",
		Progress: func(done, total int64) { progress(Progress{Stage: "loading weights", Done: done, Total: total}) },
	})
}

// roomOnCPU is what is free of the machine's memory, a sixteenth left alone.
func roomOnCPU() (int64, bool) {
	free := freeMemory()
	return free - free/16, free != unknownMemory
}
