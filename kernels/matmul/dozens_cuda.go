//go:build cuda

package matmul

import (
	"fmt"

	"github.com/confab-tui/confab/gpu"
	"github.com/confab-tui/confab/kernels"
)

// tallHigh is how many rows of weights a block of the kernels for 17 to 64 rows takes (tall.cuh).
const tallHigh = 128

// GatheredBytes is the room for an input of k values once more, for the kernels for 17 to 64 rows, or 0
// where the device has none.
func GatheredBytes(d *gpu.Device, form kernels.Form, k int) int64 {
	if !d.Hopper() || form == kernels.FormF32 {
		return 0
	}
	return kernels.GatheredBytes(form, k)
}

// dozensForm is how the kernel for 17 to 64 rows of FormQ8 on Hopper (dozens.cuh) runs: room for rows of x,
// and how many blocks share the chunks of a tile.
type dozensForm struct{ rows, split int }

// chooseDozens returns the form for rows of x and tiles of weights, or false where other kernels are
// as fast: where there are few tiles, whose chunks make no eighths or, with many rows, too few blocks. Of MXFP4
// there are only experts.
func chooseDozens(d *gpu.Device, w *DeviceMatrix, rows, tiles int) (dozensForm, bool) {
	f := dozensForm{rows: kernels.GatheredRows(rows), split: 1}
	if !d.Hopper() || f.rows == 0 || w.Form() != kernels.FormQ8 || w.Type == MXFP4 {
		return f, false
	}
	if tiles >= d.SMs {
		return f, true
	}
	f.split = 4
	if 8*tiles <= 2*d.SMs {
		f.split = 8
	}
	return f, w.chunks() >= 8 && tiles >= f.rows/2
}

// room is a block's shared memory, and how many chunks find a place there; see DozenPlace. Two blocks share a
// multiprocessor.
func (f dozensForm) room(most int, t Type) (shared, places int) {
	shared = (most+1024)/2 - 1024
	row := 256 + 32
	if t == Q4_1 || t == Q5_1 {
		row += 32
	}
	place := (f.rows*row + tallHigh/16*tileBytes(t) + 127) &^ 127
	return shared, min(8, (shared-1024)/place)
}

// queueDozens queues those of the products that have the type of w.
func queueDozens(q *kernels.Queue, products []Product, w *DeviceMatrix, a mulArgs, x kernels.Rounded, f dozensForm) {
	shared, places := f.room(q.Device.SharedMax, w.Type)
	tiles := fillJobs(&a.jobs, products, w.Type, tallHigh)
	if f.split == 1 {
		tiles = min(tiles, 2*q.Device.SMs)
	}
	a.x, a.slots = x.Gathered, int32(places)
	kernels.Launch(q, fmt.Sprintf("mul_%d_dozens_%d", w.Type, f.rows), gpu.Config{
		Grid: [3]int{f.split, tiles}, Threads: 256, Cluster: f.split, Shared: shared}, a)
}
