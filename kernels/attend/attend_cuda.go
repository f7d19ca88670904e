//go:build cuda

package attend

import (
	"fmt"

	"github.com/confab-tui/confab/gpu"
	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/rowwise"
)

// AttendItem is one block's work: rows that see the same cells over a run of positions;
// see feed.cuh.
type AttendItem struct {
	List, Rows int32 // which rows: that many in the list of rows from there on
	From, To   int32 // positions; From is a multiple of 64
	Cells      int32 // where the sequence's cells begin in the lists of cells
	// Fresh is the first position of the sequence that is one of the step's rows, and
	// FreshRow that row; past To where the item has none, MaxInt32 where its rows are of several
	// sequences. The others' rows stand in the list at their own numbers.
	Fresh, FreshRow int32
	Chunk           int32 // number of the run, counted from position 0
}

// AttendParts says which records are a row's: Count from First on, of the chunks from
// Chunk on.
type AttendParts struct {
	First, Count, Chunk int32
	_                   int32
}

// AttendShape is what picks the kernel for a layer's attention on a device.
type AttendShape struct {
	Dim   int // 64, 128, 256, 512 or 576
	Tiles int // of 16 rows times heads
	Group int // query heads that a block takes, all that a key head has or an equal part
	// Wide is the kernel for many rows on Hopper: an item's rows are neighbours of one
	// sequence, and their keys and values in cells.
	Wide bool
}

// Rows is how many rows one item takes.
func (s AttendShape) Rows() int { return 16 * s.Tiles / s.Group }

// kernel is its name.
func (s AttendShape) kernel() string {
	if s.Wide {
		return fmt.Sprintf("attend_wide_%d", s.Dim)
	}
	return fmt.Sprintf("attend_%d_%d", s.Dim, s.Tiles)
}

// shared is the kernel's shared memory: queries and weights twice, a tile of keys and of
// values (Room in feed.cuh); of the wide one 12 tiles, or 3 and queries twice (CellRing
// in ring.cuh, Queries in wide.cuh).
func (s AttendShape) shared() int {
	if s.Wide {
		tiles, queries := 12, 0
		if s.Dim > 128 {
			tiles, queries = 3, 2*16*s.Tiles
		}
		return 1024 + 2*s.Dim*(64*tiles+queries)
	}
	rows, ld, ldp := 16*s.Tiles, s.Dim+8, 64+8
	return 2*(2*rows*ld+2*rows*ldp+2*64*ld) + 4*(8*rows+3*rows+8)
}

// wideTiles is what a block of the wide kernel takes, tiles of 16 rows times heads.
const wideTiles = 8

// narrowRows is the most rows of steps that take the smallest kernel, of which most fit
// on a multiprocessor: their items have few rows, however many rows there are.
const narrowRows = 64

// DeviceShape chooses the kernel for heads of a width, group query heads a key head, in
// steps of up to rows rows. It is an error where there is none.
func DeviceShape(q *kernels.Queue, dim, group, rows int) (AttendShape, error) {
	if rows > narrowRows && q.Device.Hopper() && dim <= 256 && group <= 16*wideTiles {
		s := AttendShape{Dim: 64, Tiles: wideTiles, Group: group, Wide: true}
		for s.Dim < dim {
			s.Dim *= 2
		}
		return s, nil
	}
	return plainShape(q, dim, group, rows)
}

// plainShape chooses among the kernels that every device has.
func plainShape(q *kernels.Queue, dim, group, rows int) (AttendShape, error) {
	for each := group; each > 0; each-- {
		if s := shapeFor(q, dim, each, rows); group%each == 0 && s.Dim != 0 {
			return s, nil
		}
	}
	return AttendShape{}, fmt.Errorf("attend: no attention for heads of %d values, %d query heads a key head", dim, group)
}

// shapeFor chooses among those whose blocks hold group query heads; the zero value is none.
func shapeFor(q *kernels.Queue, dim, group, rows int) (best AttendShape) {
	for _, each := range [][2]int{{64, 1}, {64, 4}, {128, 1}, {128, 4}, {256, 1}, {256, 2}, {512, 1}, {576, 1}} {
		s := AttendShape{Dim: each[0], Tiles: each[1], Group: group}
		if s.Dim < dim || s.Rows() < 1 || s.shared() > q.Device.SharedMax {
			continue
		}
		if best.Dim != 0 && (s.Dim > best.Dim || rows <= narrowRows || best.Rows() >= rows) {
			break
		}
		best = s
	}
	return best
}

// DeviceAttend is one layer's attention over cells: [cell][KVHeads][CellWidth] halves,
// for keys and for values.
type DeviceAttend struct {
	AttendArgs
	// Q are the queries; K and V name the cells. Where K.X and V.X are set they are the
	// step's own keys and values, and the kernel does all that the three parts say: norm
	// and rotation, and the store into cells. Else this has been done before.
	Q, K, V rowwise.HeadPart
	// Step is where the step's inputs begin, Plan four int32 in them: how many items
	// there are, and where the items, the lists of cells and the list of rows begin, in
	// bytes. Positions has an int32 a row, PartsOf an AttendParts.
	Step, Plan, Positions, PartsOf gpu.Ptr
	Parts                          gpu.Ptr // room for records
	Items                          int     // about how many items there will be
}

type attendArgs struct {
	q, k, v                               rowwise.HeadJob
	step, plan, positions, partsOf, parts gpu.Ptr
	window, group, ofGroup                int32
	splits, ofSplits                      int32
	scale, softCap                        float32
	pad                                   int32
}

// PartFloats is the size of a record: a row's part of attention.
func (a *AttendArgs) PartFloats() int { return (a.Heads*(a.ValueDim+2) + 3) / 4 * 4 }

// QueueAttend queues the items of a layer's attention; QueueAttendJoin ends it.
func QueueAttend(q *kernels.Queue, s AttendShape, a *DeviceAttend) {
	heads := a.Heads / s.Group // of keys, each as often as blocks share it
	splits := heads / a.KVHeads
	c := gpu.Config{Threads: 128, Shared: s.shared()}
	if s.Wide {
		if a.K.X.Ptr != 0 {
			panic("attend: the kernel for many rows wants keys and values in cells")
		}
		c.Threads = 384
		c.Grid = [3]int{max(1, min(a.Items*heads, q.Device.SMs))}
	} else {
		resident := max(1, (q.Device.SharedMax+1024)/(s.shared()+1024)) * q.Device.SMs
		// Blocks begin in the grid's order: those of the first items, which may be all there are, before the rest.
		c.Grid = [3]int{heads, max(1, min(a.Items, (resident+heads-1)/heads))}
	}
	kernels.Launch(q, s.kernel(), c, attendArgs{
		q: a.Q.Job(), k: a.K.Job(), v: a.V.Job(), step: a.Step, plan: a.Plan, positions: a.Positions, partsOf: a.PartsOf,
		parts: a.Parts, window: int32(a.Window), group: int32(s.Group), ofGroup: int32(65536/s.Group + 1),
		splits: int32(splits), ofSplits: int32(65536/splits + 1), scale: a.Scale, softCap: a.SoftCap})
}

// AttendResult is where the attention of rows goes.
type AttendResult struct {
	Out     kernels.Place // may be none where Rounded is wanted
	Rounded kernels.Rounded
	Sinks   gpu.Ptr // a score a head, or 0
}

type joinArgs struct {
	out, parts, of, sinks gpu.Ptr
	rounded               kernels.RoundedArgs
	heads, dim, ldo, pad  int32
}

// QueueAttendJoin queues the end of a layer's attention; the width of values is even.
func QueueAttendJoin(q *kernels.Queue, a *DeviceAttend, to *AttendResult, rows int) {
	chunks, name := (a.Heads*a.ValueDim+255)/256, "attend_join"
	if rows > narrowRows {
		name, chunks = "attend_join_rows", (chunks+7)/8
	}
	if a.ValueDim%8 != 0 {
		name += "_pairs"
	}
	kernels.Launch(q, name, gpu.Config{Grid: [3]int{rows, chunks}, Threads: 256}, joinArgs{
		out: to.Out.Ptr, parts: a.Parts, of: a.PartsOf, sinks: to.Sinks, rounded: to.Rounded.Args(rows),
		heads: int32(a.Heads), dim: int32(a.ValueDim), ldo: int32(to.Out.Stride)})
}
