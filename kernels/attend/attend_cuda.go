//go:build cuda

package attend

import (
	"fmt"

	"github.com/confab-tui/confab/gpu"
	"github.com/confab-tui/confab/kernels"
)

// AttendItem is one block's work: some rows of one sequence over a run of positions;
// see attend.cu.
type AttendItem struct {
	Row, Rows int32
	Pos       int32 // of the first row
	Cells     int32 // where the sequence's cells begin in the list
	From, To  int32 // positions; From is a multiple of 64
	Part      int32 // record of the first row
	_         int32
}

// AttendParts says where a row's records are: First, First+Distance, ... They are of
// neighbouring chunks of positions, numbered from Chunk on.
type AttendParts struct{ First, Count, Distance, Chunk int32 }

// AttendShape is what picks the kernel for a layer's attention on a device.
type AttendShape struct {
	Dim   int // 64, 128, 256 or 512
	Tiles int // of 16 rows times heads
}

// Rows is how many rows of a sequence one item takes.
func (s AttendShape) Rows(group int) int { return 16 * s.Tiles / group }

// shared is the kernel's shared memory: queries and weights twice, keys and values.
func (s AttendShape) shared() int {
	rows, ld, ldp := 16*s.Tiles, s.Dim+8, 64+8
	return 2*(2*rows*ld+2*64*ld+2*rows*ldp) + 2*4*4*rows
}

// DeviceShape chooses the kernel for heads of a width, group query heads a key head, in
// steps where a sequence has up to rows rows. It is an error where there is none.
func DeviceShape(q *kernels.Queue, dim, group, rows int) (AttendShape, error) {
	for _, s := range []AttendShape{{64, 1}, {64, 4}, {128, 1}, {128, 4}, {256, 1}, {256, 2}, {512, 1}} {
		if s.Dim < dim || s.Rows(group) < 1 || s.shared() > q.Device.SharedMax {
			continue
		}
		if s.Rows(group) >= rows || s.widest(group, q.Device.SharedMax) {
			return s, nil
		}
	}
	return AttendShape{}, fmt.Errorf("attend: no attention for heads of %d values, %d query heads a key head", dim, group)
}

// widest says that no other kernel for this width takes more rows.
func (s AttendShape) widest(group, sharedMax int) bool {
	for _, o := range []AttendShape{{64, 4}, {128, 4}, {256, 2}} {
		if o.Dim == s.Dim && o.Tiles > s.Tiles && o.shared() <= sharedMax {
			return false
		}
	}
	return true
}

// DeviceAttend is one layer's attention over cells: [cell][KVHeads][KeyWidth] halves,
// likewise values.
type DeviceAttend struct {
	AttendArgs
	Q                    kernels.Place
	Keys, Values         gpu.Ptr
	KeyWidth, ValueWidth int
	// Step is where the step's inputs begin, Plan three int32 in them: how many
	// items there are, and where the items and the lists of cells begin, in bytes.
	Step, Plan gpu.Ptr
	Parts      gpu.Ptr // room for records
	Items      int     // about how many items there will be
}

type attendArgs struct {
	q, keys, values, step, plan, parts                          gpu.Ptr
	heads, kvHeads, keyDim, valueDim, keyWidth, valueWidth, ldq int32
	window                                                      int32
	scale, softCap                                              float32
}

// PartFloats is the size of a record: a row's part of attention.
func (a *AttendArgs) PartFloats() int { return a.Heads * (a.ValueDim + 2) }

// QueueAttend queues the items of a layer; AttendJoin ends it.
func QueueAttend(q *kernels.Queue, s AttendShape, a *DeviceAttend) {
	c := gpu.Config{Grid: [3]int{max(1, min(a.Items, 8*q.Device.SMs)), a.KVHeads}, Threads: 128, Shared: s.shared()}
	kernels.Launch(q, fmt.Sprintf("attend_%d_%d", s.Dim, s.Tiles), c, attendArgs{
		q: a.Q.Ptr, keys: a.Keys, values: a.Values, step: a.Step, plan: a.Plan, parts: a.Parts, heads: int32(a.Heads),
		kvHeads: int32(a.KVHeads), keyDim: int32(a.KeyDim), valueDim: int32(a.ValueDim), keyWidth: int32(a.KeyWidth),
		valueWidth: int32(a.ValueWidth), ldq: int32(a.Q.Stride), window: int32(a.Window), scale: a.Scale, softCap: a.SoftCap})
}

type joinArgs struct {
	out, parts, of, sinks gpu.Ptr
	rounded               kernels.RoundedArgs
	rows, heads, dim, ldo int32
}

// QueueAttendJoin queues the end of a layer's attention: of names the AttendParts of each
// row, sinks has one score a head or is 0. out may be none.
func QueueAttendJoin(q *kernels.Queue, a *AttendArgs, out kernels.Place, rounded kernels.Rounded, parts, of, sinks gpu.Ptr, rows int) {
	chunks := (a.Heads*a.ValueDim + 255) / 256
	kernels.Launch(q, "attend_join", gpu.Config{Grid: [3]int{rows, chunks}, Threads: 256}, joinArgs{
		out: out.Ptr, parts: parts, of: of, sinks: sinks, rounded: rounded.Args(), rows: int32(rows),
		heads: int32(a.Heads), dim: int32(a.ValueDim), ldo: int32(out.Stride)})
}
