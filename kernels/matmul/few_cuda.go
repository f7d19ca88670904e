//go:build cuda

package matmul

import (
	"fmt"

	"github.com/confab-tui/confab/gpu"
	"github.com/confab-tui/confab/kernels"
)

// fewForm is how the kernel for 17 to 64 rows on Hopper (few.cuh) runs: room for rows of x,
// and how many blocks share the chunks of a tile of tallHigh rows of weights.
type fewForm struct{ rows, split int }

// chooseFew returns the form for rows of x and tiles of weights, or false where other kernels are
// as fast.
func chooseFew(d *gpu.Device, w *DeviceMatrix, rows, tiles int) (fewForm, bool) {
	f := fewForm{rows: kernels.GatheredRows(rows), split: 1}
	if !d.Hopper() || f.rows == 0 || w.Type != Q4_K && w.Type != Q5_K {
		return f, false
	}
	// An eighth of the chunks is the least that a block takes.
	if tiles < d.SMs*3/4 && w.chunks() >= 8 {
		f.split = 4
		if tiles*4 <= d.SMs && w.chunks() >= 32 {
			f.split = 8
		}
		// With one place the copies would wait for the products.
		if _, places := f.room(d.SharedMax, w.Type); places < 2 {
			f.split = 8
		}
	}
	least := d.SMs / 6
	if f.rows == 32 {
		least = d.SMs / 3
	}
	return f, tiles >= least
}

// blocks is how many run at once on a multiprocessor.
func (f fewForm) blocks() int { return 64 / f.rows }

// room is a block's shared memory, and how many chunks find a place there beside the
// eighths that a cluster adds up; see FewPlace and Eighths.
func (f fewForm) room(most int, t Type) (shared, places int) {
	shared = (most+1024)/f.blocks() - 1024
	left, place := shared-1024, (f.rows*(512+36)+tallHigh/16*tileBytes(t)+1023)&^1023
	if f.split > 1 {
		left -= 8 / f.split * f.rows * (tallHigh + 4) * 4
	}
	return shared, min(8, left/place)
}

// queueFew queues those of the products that have the type of w, with x in halves.
func queueFew(q *kernels.Queue, products []Product, w *DeviceMatrix, a mulArgs, x kernels.Rounded, f fewForm) {
	shared, places := f.room(q.Device.SharedMax, w.Type)
	tiles := fillJobs(&a.jobs, products, w.Type, tallHigh)
	if f.split == 1 {
		tiles = min(tiles, f.blocks()*q.Device.SMs)
	}
	a.x, a.record = x.Gathered, x.Gathered+gpu.Ptr(int(a.columns)*f.rows*512)
	a.slots = int32(places)
	kernels.Launch(q, fmt.Sprintf("mul_%d_few_%d", w.Type, f.rows), gpu.Config{
		Grid: [3]int{f.split, tiles}, Threads: 288, Cluster: f.split, Shared: shared}, a)
}
