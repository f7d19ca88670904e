//go:build cuda

package matmul

import (
	"fmt"

	"github.com/confab-tui/confab/gpu"
	"github.com/confab-tui/confab/kernels"
)

// streamForm is how the kernel for few rows on Hopper (stream.cuh) runs: rows of x at a
// time, blocks that share them, pieces of weights on their way for each of a block's 16
// warps.
type streamForm struct{ rows, cluster, slots int }

// mostSlots is enough: more of them fill later than they help.
const mostSlots = 3

// chooseStream returns the form for rows of x and strips of 16 rows of weights, or false
// where the plain kernels are as fast or faster: the smallest cluster that leaves room for
// enough pieces, or half of the rows at a time.
func chooseStream(d *gpu.Device, w *DeviceMatrix, rows, strips int) (streamForm, bool) {
	// Of quantised weights a piece is enough, and clusters of eight are slower than reading
	// the weights twice.
	f, clusters, least := streamForm{rows: 8}, 4, 1
	switch w.Form() {
	case kernels.FormQ8K:
		f.rows = 2
	case kernels.FormF32:
		clusters, least = 8, 2
	}
	// What holds more rows of F32 and F16 is turning the weights into tf32.
	if !d.Hopper() || rows > narrowRows || rows > 8 && (w.Type == F32 || w.Type == F16) {
		return streamForm{}, false
	}
	for f.rows < min(rows, 32) {
		f.rows *= 2
	}
	for ; f.rows >= min(rows, 8); f.rows /= 2 {
		for f.cluster = 1; f.cluster <= clusters; f.cluster *= 2 {
			if f.slots = min(mostSlots, f.fit(d.SharedMax, w, rows)); f.slots >= least {
				return f, f.pays(d, w, rows, strips)
			}
		}
	}
	return streamForm{}, false
}

// pays says that the form is faster than the plain kernel: where blocks take several turns
// and, with few rows, where one turn is long or the weights are floats.
func (f streamForm) pays(d *gpu.Device, w *DeviceMatrix, rows, strips int) bool {
	switch {
	case f.groups(strips) > f.most(d):
		return true
	case w.Form() == kernels.FormF32:
		return rows <= 8
	}
	return rows <= 4 && w.stripBytes() > 160<<10
}

// groups is how many times some cluster takes strips: two a block.
func (f streamForm) groups(strips int) int { return (strips + 2*f.cluster - 1) / (2 * f.cluster) }

// most is how many clusters run at once. Those of more than two do not fill the
// processor's parts evenly.
func (f streamForm) most(d *gpu.Device) int {
	if f.cluster > 2 {
		return d.SMs * 15 / 16 / f.cluster
	}
	return d.SMs / f.cluster
}

// fit is how many pieces a warp find room in a block's shared memory, beside the rows of x
// and, twice, the parts of two strips.
func (f streamForm) fit(shared int, w *DeviceMatrix, rows int) int {
	chunks := (w.chunks() + f.cluster - 1) / f.cluster
	row, piece := (chunks|1)*64, 2048
	if w.Form() != kernels.FormF32 {
		record := 64
		if w.Form() == kernels.FormQ8K {
			record = 32
		}
		row, piece = chunks*(256+record)+80, (tileBytes(w.Type)+127)&^127
	}
	held := f.rows
	if held <= 8 {
		held = min(held, rows)
	}
	shared -= (held*row+127)&^127 + 4*8*16*(max(8, f.rows)+4)*4
	return max(0, shared) / (16 * (piece + 8))
}

// queueStream queues what a holds, of w's type, with as many blocks as run at once.
func queueStream(q *kernels.Queue, w *DeviceMatrix, a mulArgs, f streamForm) {
	a.slots = int32(f.slots)
	clusters := min(f.groups(int(a.jobs[MaxProducts-1].blocks)), f.most(q.Device))
	kernels.Launch(q, fmt.Sprintf("mul_%d_stream_%d", w.Type, f.rows), gpu.Config{
		Grid:    [3]int{clusters * f.cluster, (int(a.rows) + f.rows - 1) / f.rows},
		Threads: 512, Cluster: f.cluster, Shared: q.Device.SharedMax}, a)
}
