//go:build cuda

package matmul

import (
	"fmt"

	"github.com/confab-tui/confab/gpu"
	"github.com/confab-tui/confab/kernels"
)

// wideForm is a form of the kernel for many rows on Hopper (mul_wgmma.cu): blocks of rows
// of x by 64*groups rows of W, of which up to split share the chunks of a tile. On an H200
// a block takes base nanoseconds, and step for each 64 values of K.
type wideForm struct{ rows, groups, split, step, base int }

// Threads of four groups have too few registers to add each other's sums fast.
var wideForms = []wideForm{{96, 2, 4, 362, 3500}, {128, 2, 4, 397, 4900}, {128, 4, 1, 688, 6500}, {256, 2, 4, 588, 8000}}

// WideError bounds the error of products in half precision, the root of its square over
// that of the results: rounding weights and activations to 11 bits leaves 2e-4 to 5e-4.
// Weights in BF16 take activations in BF16, whose 8 bits leave 2e-3.
func WideError(t Type) float64 {
	if t == BF16 {
		return 3e-3
	}
	return 1e-3
}

// WideBytes is the room that QueueMul can use for products of so many rows of k values; 0
// where the device has no use for it.
func WideBytes(d *gpu.Device, rows, k int) int64 {
	if !d.Hopper() || rows <= narrowRows {
		return 0
	}
	padded, chunks := int64(widePadded(rows)), int64((k+255)/256)
	return padded*chunks*512 + padded*4
}

// widePadded is how many rows of x there is room for, so that every block's are there.
func widePadded(rows int) int { return (rows + 255) &^ 7 }

type widenArgs struct {
	x, record, out, scale, count                      gpu.Ptr
	rows, padded, chunks, form, ldx, k, bfloat16, pad int32
}

type wideArgs struct {
	jobs                        [MaxProducts]mulJob
	x, scale, count             gpu.Ptr
	rows, padded, chunks, tiles int32
}

// queueWiden turns the input of products of w's type into halves, or into BF16 for
// weights in BF16, and returns what the products' arguments say of it.
func queueWiden(q *kernels.Queue, w *DeviceMatrix, x kernels.Place, rounded kernels.Rounded, rows MulRows) wideArgs {
	a := wideArgs{x: rows.Wide, count: rows.Count, rows: int32(rows.Rows), padded: int32(widePadded(rows.Rows)),
		chunks: int32((w.K + 255) / 256), tiles: int32(w.chunks())}
	a.scale = a.x + gpu.Ptr(int64(a.padded)*int64(a.chunks)*512)
	from := widenArgs{x: x.Ptr, out: a.x, scale: a.scale, count: a.count, rows: a.rows, padded: a.padded, chunks: a.chunks,
		form: int32(w.Form()), ldx: int32(x.Stride), k: int32(w.K)}
	if w.Form() != kernels.FormF32 {
		from.x, from.record = rounded.Values, rounded.Records
	}
	if w.Type == BF16 {
		from.bfloat16 = 1
	}
	kernels.Launch(q, "widen", gpu.Config{Grid: [3]int{rows.Rows}, Threads: 256}, from)
	return a
}

// queueWide queues those of the products that have the type of w, with the input that
// queueWiden made.
func queueWide(q *kernels.Queue, products []Product, w *DeviceMatrix, a wideArgs) {
	f, split := chooseWide(q.Device.SMs, products, w.Type, int(a.rows), int(a.chunks))
	blocks := fillJobs(&a.jobs, products, w.Type, 64*f.groups)
	kernels.Launch(q, fmt.Sprintf("mul_%d_wgmma_%d_%d", w.Type, f.rows, f.groups), gpu.Config{
		Grid:    [3]int{(int(a.rows) + f.rows - 1) / f.rows * split, blocks},
		Threads: 128*f.groups + 128, Cluster: split, Shared: f.shared(w.Type)}, a)
}

// shared is a block's shared memory: barriers, four quarters of rows and weights, the
// weights' scales twice; the results lie in the same place.
func (f wideForm) shared(t Type) int {
	strips, quarter, rest := 4*f.groups, 512, 0
	switch t {
	case F16, BF16:
		quarter = 2048
	case Q8_0:
		quarter = 1024
		rest = tileBytes(t) - 4*quarter
	default:
		rest = tileBytes(t) - 4*quarter
	}
	return max(1024+4*f.rows*128+4*strips*quarter+2*strips*rest, f.rows*(64*f.groups+4)*4)
}

// chooseWide returns the form, and how many blocks share a tile's chunks, that are done
// first.
func chooseWide(sms int, products []Product, t Type, rows, chunks int) (form wideForm, split int) {
	best := 0
	for _, f := range wideForms {
		tiles := 0
		for _, p := range products {
			if p.W.Type == t {
				tiles += (p.W.N + 64*f.groups - 1) / (64 * f.groups)
			}
		}
		tiles *= (rows + f.rows - 1) / f.rows
		for s := 1; s <= min(f.split, chunks); s++ {
			// Clusters of more than two do not fill the processor's parts evenly.
			at := sms / s
			if s > 2 {
				at = sms * 7 / 8 / s
			}
			took := (tiles + at - 1) / at * (f.base + (chunks+s-1)/s*4*f.step)
			if best == 0 || took < best {
				best, form, split = took, f, s
			}
		}
	}
	return form, split
}
