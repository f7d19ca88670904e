//go:build cuda

package attend

import (
	"math"
	"slices"
	"testing"

	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/kerneltest"
	"github.com/confab-tui/confab/kernels/rowwise"
)

// deviceCase runs a case of the CPU's tests on the device: cells scattered over a pool
// whose other cells are NaN, positions cut into chunks, items of up to each rows or as many
// as the kernel takes. With fresh the rows' own keys and values are given beside the cells,
// and are to be in them afterwards.
func deviceCase(t *testing.T, q *kernels.Queue, shape AttendShape, d *attendData, chunk, each, padding int, fresh bool) []float32 {
	a, n := d.args, d.depth+d.rows
	keyWidth, valueWidth := roundUp(a.KeyDim, 8), roundUp(a.ValueDim, 8)
	cells := n + 50
	stored := func(x []float32, dim, width, n int) []uint16 {
		halves := make([]uint16, cells*a.KVHeads*width)
		for i := range halves {
			halves[i] = 0x7e00
		}
		for p := range n {
			for h := range a.KVHeads {
				to := halves[(int(d.cells[p])*a.KVHeads+h)*width:][:width]
				clear(to)
				for j, v := range x[(p*a.KVHeads+h)*dim:][:dim] {
					to[j] = kernels.F32ToF16(v)
				}
			}
		}
		return halves
	}
	items, parts, records := cutRows(d, min(each, shape.Rows()), chunk)
	rows := d.rows + padding
	parts = append(parts, make([]AttendParts, padding)...)
	list, positions := make([]int32, rows), make([]int32, rows)
	for i := range rows {
		list[i], positions[i] = int32(i), int32(d.depth+i)
	}
	// One block: the plan, the items, the cells, the list of rows.
	block := append([]int32{int32(len(items)), 16, int32(16 + 32*len(items)), int32(16 + 32*len(items) + 4*len(d.cells))}, intsOf(items)...)
	step := kerneltest.Put(t, q, append(append(block, d.cells...), list...))
	in := kerneltest.NewRows(t, q, rows, a.Heads*a.KeyDim, a.Heads*a.KeyDim+4).Set(append(d.q, make([]float32, padding*a.Heads*a.KeyDim)...))
	room := kerneltest.Put(t, q, make([]float32, records*a.PartFloats()))
	if err := q.Device.Fill(room, 0xff, int64(4*records*a.PartFloats())); err != nil {
		t.Fatal(err)
	}
	out := kerneltest.NewRows(t, q, rows, a.Heads*a.ValueDim, a.Heads*a.ValueDim+8)
	attend := DeviceAttend{AttendArgs: a, Q: rowwise.HeadPart{X: in.Place(), Heads: a.Heads, Dim: a.KeyDim},
		K:    rowwise.HeadPart{Heads: a.KVHeads, Dim: a.KeyDim, CellWidth: keyWidth},
		V:    rowwise.HeadPart{Heads: a.KVHeads, Dim: a.ValueDim, CellWidth: valueWidth},
		Step: step, Plan: step, Positions: kerneltest.Put(t, q, positions), PartsOf: kerneltest.Put(t, q, parts),
		Parts: room, Items: 3}
	there := n
	if fresh {
		there = d.depth
	}
	var caches [2][]uint16 // as they are to be afterwards
	for i, h := range []struct {
		part  *rowwise.HeadPart
		x     []float32
		width int
	}{{&attend.K, d.k, keyWidth}, {&attend.V, d.v, valueWidth}} {
		dim := h.part.Dim
		h.part.Cache, caches[i] = kerneltest.Put(t, q, stored(h.x, dim, h.width, there)), stored(h.x, dim, h.width, n)
		if fresh {
			h.part.X = kerneltest.NewRows(t, q, d.rows, a.KVHeads*dim, a.KVHeads*dim+5).Set(h.x[d.depth*a.KVHeads*dim:]).Place()
		}
	}
	to := AttendResult{Out: out.Place()}
	if d.s != nil {
		to.Sinks = kerneltest.Put(t, q, d.s)
	}
	QueueAttend(q, shape, &attend)
	QueueAttendJoin(q, &attend, &to, rows)
	for i, part := range []rowwise.HeadPart{attend.K, attend.V} {
		if !slices.Equal(kerneltest.Fetch[uint16](t, q, part.Cache, len(caches[i])), caches[i]) {
			t.Errorf("cells hold something else than keys and values (cache %d)", i)
		}
	}
	return out.Get()
}

// cutRows cuts the positions of a case's rows into chunks, and the rows into items of
// each rows.
func cutRows(d *attendData, each, chunk int) (items []AttendItem, parts []AttendParts, records int) {
	first := func(pos int) int {
		if d.args.Window == 0 {
			return 0
		}
		return max(0, pos+1-d.args.Window)
	}
	for at := 0; at < d.rows; at += each {
		many := min(each, d.rows-at)
		low, high := d.depth+at, d.depth+at+many-1
		for pos := low; pos <= high; pos++ {
			count := pos/chunk - first(pos)/chunk + 1
			parts = append(parts, AttendParts{First: int32(records), Count: int32(count), Chunk: int32(first(pos) / chunk)})
			records += count
		}
		for c := first(low) / chunk; c*chunk <= high; c++ {
			begin, last := max(low, c*chunk), high
			for first(last) >= (c+1)*chunk {
				last--
			}
			items = append(items, AttendItem{List: int32(begin - d.depth), Rows: int32(last - begin + 1), From: int32(max(c*chunk, first(begin)&^63)),
				To: int32(min(last+1, (c+1)*chunk)), Fresh: int32(d.depth), Chunk: int32(c)})
		}
	}
	return items, parts, records
}

func bitsOf(x []float32) []uint32 {
	bits := make([]uint32, len(x))
	for i, v := range x {
		bits[i] = math.Float32bits(v)
	}
	return bits
}

func intsOf(items []AttendItem) []int32 {
	var ints []int32
	for _, i := range items {
		ints = append(ints, i.List, i.Rows, i.From, i.To, i.Cells, i.Fresh, i.FreshRow, i.Chunk)
	}
	return ints
}

// Attention agrees with the CPU's over the same cells, rows of padding give 0,
// and the cut into items makes no difference beyond rounding; how many rows an item has
// makes none at all.
func TestDeviceAttend(t *testing.T) {
	q := kerneltest.OnDevice(t)
	for _, c := range attendCases() {
		a := c.args
		if c.f32 || a.Full || a.ValueDim%2 != 0 {
			continue
		}
		for _, choose := range []func(*kernels.Queue, int, int, int) (AttendShape, error){DeviceShape, plainShape} {
			shape, err := choose(q, max(a.KeyDim, a.ValueDim), a.Heads/a.KVHeads, c.rows)
			if err != nil {
				t.Fatal(err)
			}
			t.Run(shape.kernel()+" "+c.String(), func(t *testing.T) {
				kerneltest.Use(t, q)
				d := newAttendData(c)
				want := d.want()
				cuts := []struct {
					chunk int
					fresh bool
				}{{128, false}, {64, false}, {1 << 20, false}, {64, !shape.Wide}}
				if testing.Short() {
					cuts = cuts[2:]
				}
				for _, cut := range cuts {
					got := deviceCase(t, q, shape, d, cut.chunk, d.rows, 2, cut.fresh)
					alone := deviceCase(t, q, shape, d, cut.chunk, 1, 2, cut.fresh)
					if !slices.Equal(bitsOf(got), bitsOf(alone)) {
						t.Errorf("in chunks of %d, rows with an item of their own give other bits", cut.chunk)
					}
					n := len(want)
					kerneltest.Near(t, "attention", got[:n], want, 1e-5)
					for i, v := range got[n:] {
						if math.Float32bits(v) != 0 {
							t.Fatalf("value %d of a row of padding is %g", i, v)
						}
					}
				}
			})
			if !shape.Wide {
				break
			}
		}
	}
}
