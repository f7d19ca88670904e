//go:build cuda

package attend

import (
	"math"
	"testing"

	"github.com/confab-tui/confab/gpu"
	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/kerneltest"
)

// deviceCase runs a case of the CPU's tests on the device: cells scattered over a pool
// whose other cells are NaN, positions cut into chunks.
func deviceCase(t *testing.T, q *kernels.Queue, d *attendData, chunk, padding int) []float32 {
	a, n := d.args, d.depth+d.rows
	keyWidth, valueWidth := roundUp(a.KeyDim, 8), roundUp(a.ValueDim, 8)
	cells := n + 50
	group := a.Heads / a.KVHeads
	shape, err := DeviceShape(q, max(a.KeyDim, a.ValueDim), group, d.rows)
	if err != nil {
		t.Fatal(err)
	}
	store := func(x []float32, dim, width int) gpu.Ptr {
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
		return kerneltest.Put(t, q, halves)
	}
	var items []AttendItem
	rows := d.rows + padding
	parts := make([]AttendParts, rows)
	records := 0
	for at := 0; at < d.rows; at += shape.Rows(group) {
		many := min(shape.Rows(group), d.rows-at)
		pos := d.depth + at
		first, last := 0, pos+many
		if a.Window > 0 {
			first = max(0, pos+1-a.Window)
		}
		for i := range many {
			parts[at+i] = AttendParts{First: int32(records + i), Count: int32((last-1)/chunk - first/chunk + 1), Distance: int32(many), Chunk: int32(first / chunk)}
		}
		for c := first / chunk; c*chunk < last; c++ {
			items = append(items, AttendItem{Row: int32(at), Rows: int32(many), Pos: int32(pos),
				From: int32(max(c*chunk, first&^63)), To: int32(min(last, (c+1)*chunk)), Part: int32(records)})
			records += many
		}
	}
	// One block: the plan, the items, the cells.
	block := append([]int32{int32(len(items)), 16, int32(16 + 32*len(items)), 0}, intsOf(items)...)
	step := kerneltest.Put(t, q, append(block, d.cells...))
	in := kerneltest.NewRows(t, q, rows, a.Heads*a.KeyDim, a.Heads*a.KeyDim+4).Set(append(d.q, make([]float32, padding*a.Heads*a.KeyDim)...))
	room := kerneltest.Put(t, q, make([]float32, records*a.PartFloats()))
	if err := q.Device.Fill(room, 0xff, int64(4*records*a.PartFloats())); err != nil {
		t.Fatal(err)
	}
	QueueAttend(q, shape, &DeviceAttend{AttendArgs: a, Q: in.Place(), Keys: store(d.k, a.KeyDim, keyWidth), Values: store(d.v, a.ValueDim, valueWidth),
		KeyWidth: keyWidth, ValueWidth: valueWidth, Step: step, Plan: step, Parts: room, Items: 3})
	var sinks gpu.Ptr
	if d.s != nil {
		sinks = kerneltest.Put(t, q, d.s)
	}
	out := kerneltest.NewRows(t, q, rows, a.Heads*a.ValueDim, a.Heads*a.ValueDim+8)
	QueueAttendJoin(q, &a, out.Place(), kernels.Rounded{}, room, kerneltest.Put(t, q, parts), sinks, rows)
	return out.Get()
}

func intsOf(items []AttendItem) []int32 {
	var ints []int32
	for _, i := range items {
		ints = append(ints, i.Row, i.Rows, i.Pos, i.Cells, i.From, i.To, i.Part, 0)
	}
	return ints
}

// Attention agrees with the CPU's over the same cells, rows that see nothing give 0,
// and the cut into items makes no difference beyond rounding.
func TestDeviceAttend(t *testing.T) {
	q := kerneltest.OnDevice(t)
	for _, c := range attendCases() {
		a := c.args
		if c.f32 || a.Full || a.ValueDim%8 != 0 || a.Heads/a.KVHeads > 64 {
			continue
		}
		t.Run(c.String(), func(t *testing.T) {
			kerneltest.Use(t, q)
			d := newAttendData(c)
			want := d.want()
			for _, chunk := range []int{128, 64, 1 << 20} {
				got := deviceCase(t, q, d, chunk, 2)
				n := len(want)
				kerneltest.Near(t, "attention", got[:n], want, 1e-5)
				for i, v := range got[n:] {
					if math.Float32bits(v) != 0 {
						t.Fatalf("value %d of a row of padding is %g", i, v)
					}
				}
			}
		})
	}
}
