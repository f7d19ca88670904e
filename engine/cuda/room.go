//go:build cuda

package cuda

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/confab-tui/confab/engine/model"
	"github.com/confab-tui/confab/gpu"
	"github.com/confab-tui/confab/kernels/attend"
)

// reserveBytes is what stays free on the device: for the driver, other programs and
// the graphs.
const reserveBytes = 512 << 20

// fewestRows is how few rows the buffers have room for at least.
const fewestRows = 512

// mostCells bounds a pool that takes what memory is left.
const mostCells = 1 << 20

func cellBytes(p *model.Program) int64 {
	var n int64
	for _, c := range p.Caches {
		n += 2 * int64(c.KVHeads) * int64(roundUp(c.KeyDim, 8)+roundUp(c.ValueDim, 8))
	}
	return n
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }

// allocate makes room for the buffers, attention's parts and the cells.
func (e *Executor) allocate() error {
	free, _, err := e.device.Memory()
	if err != nil {
		return err
	}
	e.rows = MaxRows
	if len(e.program.States) > 0 {
		e.slots = fewestSlots
	}
	for e.rows > fewestRows && (e.workBytes() > free/4 || e.besides() > free) {
		e.rows /= 2
	}
	e.partRows = e.mostParts()
	for _, b := range e.program.Buffers {
		p, err := e.alloc(4 * int64(b.Width) * int64(e.rowsOf(b)))
		if err != nil {
			return err
		}
		e.buffers = append(e.buffers, p)
	}
	if e.parts, err = e.alloc(4 * int64(e.partRows) * int64(e.partFloats())); err != nil {
		return err
	}
	if err := errors.Join(e.allocateWide(), e.allocateHanded()); err != nil {
		return err
	}
	if err := e.allocateStates(free); err != nil {
		return err
	}
	return e.allocateCells()
}

// mostParts is how many records of attention a step of e.rows rows has at most.
func (e *Executor) mostParts() int { return max(e.rows, graphRows*(mostChunks+1)) + graphRows }

// rowsOf is how many rows a buffer has room for.
func (e *Executor) rowsOf(b model.Buffer) int {
	if b.Outputs {
		return graphRows
	}
	return e.rows
}

// workBytes is about what e.rows rows need beside weights and cells.
func (e *Executor) workBytes() int64 {
	n := int64(e.partFloats())
	for _, b := range e.program.Buffers {
		if !b.Outputs {
			n += 2 * int64(b.Width)
		}
	}
	for _, op := range e.program.Ops {
		if x, ok := op.(*model.Experts); ok {
			n = max(n, int64(x.IDs.Width)*int64(3*x.Gate.Rows+x.Down.Rows))
		}
	}
	return 4 * n * int64(e.rows)
}

// partFloats is the size of the largest layer's record of attention.
func (e *Executor) partFloats() int {
	n := 0
	for _, op := range e.program.Ops {
		if a, ok := op.(*model.Attend); ok {
			args := attend.AttendArgs{Heads: a.Heads, ValueDim: e.program.Caches[a.Cache].ValueDim}
			n = max(n, args.PartFloats())
		}
	}
	return n
}

func (e *Executor) allocateCells() error {
	free, _, err := e.device.Memory()
	if err != nil {
		return err
	}
	each := max(1, cellBytes(e.program))
	// Room for inputs, rounded activations and experts is taken after this.
	room := free - reserveBytes - e.workBytes()
	if e.options.Cells == 0 {
		e.options.Cells = int(min(mostCells, room/each))
	}
	need := int64(e.options.Cells) * each
	if e.options.Cells < 2 || need > room {
		return fmt.Errorf("cuda: %d cells need %.1f GiB, %s has %.1f GiB left for them: lower engine.cells to %d",
			e.options.Cells, gib(need), e.device.Name, gib(max(0, room)), max(0, room/each))
	}
	for _, c := range e.program.Caches {
		k := cache{keyWidth: roundUp(c.KeyDim, 8), valueWidth: roundUp(c.ValueDim, 8)}
		if k.keys, err = e.alloc(2 * int64(e.options.Cells) * int64(c.KVHeads*k.keyWidth)); err != nil {
			return err
		}
		if k.values, err = e.alloc(2 * int64(e.options.Cells) * int64(c.KVHeads*k.valueWidth)); err != nil {
			return err
		}
		e.caches = append(e.caches, k)
	}
	return nil
}

// Poison spoils a cell that nobody may read any more.
func (e *Executor) Poison(cell int32) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := e.device.Use(); err != nil {
		return err
	}
	for i, c := range e.program.Caches {
		k := e.caches[i]
		for at, width := range map[gpu.Ptr]int{k.keys: c.KVHeads * k.keyWidth, k.values: c.KVHeads * k.valueWidth} {
			if err := e.queue.Fill(at+gpu.Ptr(2*int(cell)*width), 0xff, int64(2*width)); err != nil {
				return err
			}
		}
	}
	return e.queue.Sync()
}

// pieceWaste is what is lost of a piece of memory on average: the driver gives it in pages
// of 2 MiB.
const pieceWaste = 1 << 20

// Need is about how many of the bytes that Room tells of an executor with so many cells takes.
func Need(p *model.Program, cells int) int64 {
	hopper := &gpu.Device{Major: 9} // needs the most
	e := &Executor{program: p, device: hopper, options: Options{Cells: cells}, rows: fewestRows, slots: fewestSlots}
	matrices, once := matricesOf(p)
	n := e.besides() - reserveBytes + pieceWaste*int64(len(once)+len(p.Buffers)+2*len(p.Caches)+len(p.States))
	for _, m := range once {
		n += matrices[m].Bytes()
	}
	return n
}

// besides is about what the executor takes beside weights, with what stays free.
func (e *Executor) besides() int64 {
	p := e.program
	n := reserveBytes + e.workBytes() + int64(e.options.Cells)*cellBytes(p) + 4*int64(e.mostParts())*int64(e.partFloats()) +
		e.wideBytes() + 4*int64(e.rows)*int64(handedWidth(p))
	for _, b := range p.Buffers {
		n += 4 * int64(b.Width) * int64(e.rowsOf(b))
	}
	for _, w := range stateWidths(p) {
		n += 4 * int64(w) * int64(e.slots)
	}
	return n
}

// Room returns how many bytes there are for weights and cells on a device now.
func Room(device int) (int64, error) {
	free, err := gpu.FreeMemory(device)
	return max(0, free-reserveBytes), err
}

// Hold keeps a device ready until release is called, for who asks for its room before New.
func Hold(device int) (release func() error, err error) { return gpu.Hold(device) }
