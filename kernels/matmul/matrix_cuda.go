//go:build cuda

package matmul

import (
	"fmt"
	"slices"

	"github.com/confab-tui/confab/gpu"
	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/rowwise"
)

// DeviceMatrix is weights in tiles on the device (tile.cuh): [Experts][N][K].
type DeviceMatrix struct {
	Type          Type
	N, K, Experts int
	Data          gpu.Ptr
}

// DeviceType returns the type that weights of a type are kept in on the device: their
// own where there is a kernel for it, otherwise F16.
func DeviceType(t Type) Type {
	switch t {
	case F32, F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K, Q6_K, MXFP4:
		return t
	}
	return F16
}

// Form is what the matrix wants its input to be.
func (m *DeviceMatrix) Form() kernels.Form {
	switch m.Type {
	case F32, F16, BF16:
		return kernels.FormF32
	case Q4_K, Q5_K, Q6_K:
		return kernels.FormQ8K
	}
	return kernels.FormQ8
}

func (m *DeviceMatrix) chunks() int {
	if m.Form() == kernels.FormF32 {
		return (m.K + 15) / 16
	}
	return (m.K + 255) / 256
}

// tileBytes is the size of a tile of 16 rows by 16 or 256 values.
func tileBytes(t Type) int {
	switch t {
	case F32:
		return 1024
	case F16, BF16:
		return 512
	case Q4_0, Q4_K, MXFP4:
		return 2304
	case Q4_1:
		return 2560
	case Q5_0, Q5_K:
		return 2816
	case Q5_1:
		return 3072
	case Q8_0:
		return 4352
	case Q6_K:
		return 3360
	}
	panic(fmt.Sprintf("matmul: no tiles of type %d", t))
}

// stripBytes is the size of the tiles of 16 rows.
func (m *DeviceMatrix) stripBytes() int64 { return int64(m.chunks()) * int64(tileBytes(m.Type)) }

// Bytes is the room that the matrix takes.
func (m *DeviceMatrix) Bytes() int64 {
	return int64(m.Experts) * int64((m.N+15)/16) * m.stripBytes()
}

type repackArgs struct {
	src, dst              gpu.Ptr
	stride                int64
	typ, rows, k, columns int32
}

// QueueRepack queues the repacking of rows of an expert, first a multiple of 16; src holds
// them as the file does, in the matrix's type.
func QueueRepack(q *kernels.Queue, m *DeviceMatrix, expert, first, rows int, src gpu.Ptr) {
	values, bytes := m.Type.block()
	strips := int64(expert)*int64((m.N+15)/16) + int64(first/16)
	kernel, threads := "repack_quant", 256
	if m.Form() == kernels.FormF32 {
		kernel = "repack_float"
	}
	// The grid's second dimension ends at 65535.
	for from := 0; from < rows; from += 16 * 65535 {
		n := min(rows-from, 16*65535)
		stride := int64(m.K / values * bytes)
		kernels.Launch(q, kernel, gpu.Config{Grid: [3]int{m.chunks(), (n + 15) / 16}, Threads: threads}, repackArgs{
			src: src + gpu.Ptr(int64(from)*stride), dst: m.Data + gpu.Ptr((strips+int64(from/16))*m.stripBytes()), stride: stride,
			typ: int32(m.Type), rows: int32(n), k: int32(m.K), columns: int32(m.chunks())})
	}
}

// block is the size of a block of a type that tiles exist for.
func (t Type) block() (values, bytes int) {
	f := formats[t]
	return f.values, f.bytes
}

type embedArgs struct {
	table, ids, out                   gpu.Ptr
	typ, rows, k, columns, ldo, limit int32
	scale                             float32
	pad                               int32
}

// QueueEmbed queues out = scale times the rows of the table that ids names.
func QueueEmbed(q *kernels.Queue, out kernels.Place, table *DeviceMatrix, ids gpu.Ptr, rows int, scale float32) {
	kernels.Launch(q, "embed", gpu.Config{Grid: [3]int{(table.K + 255) / 256, min(rows, 65535)}, Threads: 256}, embedArgs{
		table: table.Data, ids: ids, out: out.Ptr, typ: int32(table.Type), rows: int32(rows), k: int32(table.K),
		columns: int32(table.chunks()), ldo: int32(out.Stride), limit: int32(table.N), scale: scale})
}

// Product is one matrix of a Mul: Out = W·x (+ Bias) (+ Add); Bias has N values, of
// every expert.
type Product struct {
	W    *DeviceMatrix
	Out  kernels.Place
	Bias gpu.Ptr
	Add  kernels.Place
}

// MulRows says which rows a Mul takes.
type MulRows struct {
	Rows  int     // at most
	Count gpu.Ptr // how many, an int32 on the device, or 0: Rows
	// With experts: the lists that ExpertLists made, over Rows rows with Used experts
	// each; Divide is Used where x has one row a token, 1 where one a pair.
	Lists  *rowwise.Lists
	Divide int
	// Wide is room of WideBytes for Rows rows of the products' K, or 0. With it, more than
	// narrowRows rows are multiplied in half precision on Hopper.
	Wide gpu.Ptr
}

type mulJob struct {
	w, out, bias, add               gpu.Ptr
	n, ldo, ldadd, typ, blocks, pad int32
}

type mulArgs struct {
	jobs                                    [MaxProducts]mulJob
	x, record, count, experts, starts, list gpu.Ptr
	rows, columns, ldx, k, divide, slots    int32
}

// narrowRows is the most rows for which blocks of 16 rows of weights are faster than
// those of 128, which read x less often but are too few.
const narrowRows = 64

// MaxProducts is how many products one Mul takes; they have one K and one Form.
const MaxProducts = 3

// QueueMul queues products with the same input: x for FormF32, rounded otherwise. Those of one type are
// launched together. Lists go with weights of FormF32 alone; others have QueueExperts. The
// results of a row have the same bits whatever rows are beside it, except those in half
// precision (MulRows.Wide): these differ from them by less than WideError.
func QueueMul(q *kernels.Queue, products []Product, x kernels.Place, rounded kernels.Rounded, rows MulRows) {
	kernels.MustFit("products in a launch", len(products), MaxProducts)
	halves := rows.Wide != 0 && rows.Rows > narrowRows && rows.Lists == nil
	var in wideArgs
	for i, p := range products {
		if p.W.K != products[0].W.K || p.W.Form() != products[0].W.Form() {
			panic("matmul: Mul of matrices with different inputs")
		}
		if rows.Lists != nil && p.W.Form() != kernels.FormF32 {
			panic("matmul: Mul of quantised experts")
		}
		if slices.IndexFunc(products, func(o Product) bool { return o.W.Type == p.W.Type }) != i {
			continue
		}
		if !halves || p.W.Type == F32 {
			queueType(q, products, p.W, x, rounded, rows)
			continue
		}
		if in.x == 0 || p.W.Form() == kernels.FormF32 {
			in = queueWiden(q, p.W, x, rounded, rows)
		}
		queueWide(q, products, p.W, in)
	}
}

// queueType queues the products whose weights have the type of w.
func queueType(q *kernels.Queue, products []Product, w *DeviceMatrix, x kernels.Place, rounded kernels.Rounded, rows MulRows) {
	a := argsOf(w, x, rounded, rows)
	wide, high := rows.Rows > narrowRows && rows.Lists == nil, 16
	// Few rows of floats, such as a router's, would leave most of the processor idle.
	if blocks := fillJobs(&a.jobs, products, w.Type, 128); w.Form() == kernels.FormF32 && blocks*(rows.Rows+63)/64 < q.Device.SMs/2 {
		wide = false
	}
	if wide {
		high = 128
	}
	if tiles := fillJobs(&a.jobs, products, w.Type, tallHigh); rounded.Gathered != 0 && rows.Lists == nil {
		if f, ok := chooseFew(q.Device, w, rows.Rows, tiles); ok {
			queueFew(q, products, w, a, rounded, f)
			return
		}
		if f, ok := chooseDozens(q.Device, w, rows.Rows, tiles); ok {
			queueDozens(q, products, w, a, rounded, f)
			return
		}
	}
	blocks := fillJobs(&a.jobs, products, w.Type, high)
	if f, ok := chooseStream(q.Device, w, rows.Rows, blocks); ok && rows.Lists == nil {
		queueStream(q, w, a, f)
		return
	}
	c := gpu.Config{Grid: [3]int{blocks}, Threads: 256}
	if wide {
		c.Grid[1], c.Shared = (rows.Rows+63)/64, 2*64*(320+64)+4*128*64
		if w.Form() == kernels.FormF32 {
			c.Shared = 2 * 4 * 2 * 64 * 80
		}
		kernels.Launch(q, fmt.Sprintf("mul_%d_wide", w.Type), c, a)
		return
	}
	each := rows.Rows
	if l := rows.Lists; l != nil {
		a = a.listed(l)
		c.Grid[2] = min(l.Count, rows.Rows*l.Used)
		each = min(rows.Rows, 2*(rows.Rows*l.Used+l.Count-1)/l.Count)
	}
	width := mulWidth(each)
	if rows.Lists == nil {
		c.Grid[1] = (each + 8*width - 1) / (8 * width)
	}
	if w.Form() != kernels.FormF32 {
		// As many blocks as the registers allow at once, each going from tile to tile.
		resident := 2
		if width > 4 {
			resident = 1
		}
		c.Grid[0] = min(blocks, resident*q.Device.SMs)
	}
	c.Shared = width * 8 * 8 * 17 * 4
	kernels.Launch(q, fmt.Sprintf("mul_%d_%d", w.Type, width), c, a)
}

// argsOf says what products with w's type and K read.
func argsOf(w *DeviceMatrix, x kernels.Place, rounded kernels.Rounded, rows MulRows) mulArgs {
	a := mulArgs{x: x.Ptr, ldx: int32(x.Stride), k: int32(w.K), columns: int32(w.chunks()),
		rows: int32(rows.Rows), count: rows.Count, divide: int32(max(1, rows.Divide))}
	if w.Form() != kernels.FormF32 {
		a.x, a.record = rounded.Values, rounded.Records
	}
	return a
}

// fillJobs makes jobs of the products that have a type, in blocks of high rows of weights,
// and returns how many blocks they are.
func fillJobs(jobs *[MaxProducts]mulJob, products []Product, t Type, high int) int {
	blocks, n := 0, 0
	for _, p := range products {
		if p.W.Type != t {
			continue
		}
		blocks += (p.W.N + high - 1) / high
		jobs[n] = mulJob{w: p.W.Data, out: p.Out.Ptr, bias: p.Bias, add: p.Add.Ptr, n: int32(p.W.N),
			ldo: int32(p.Out.Stride), ldadd: int32(p.Add.Stride), typ: int32(t), blocks: int32(blocks)}
		n++
	}
	for ; n < len(jobs); n++ {
		jobs[n].blocks = int32(blocks)
	}
	return blocks
}

// mulWidth is how many times 8 rows a block takes at once.
func mulWidth(rows int) int {
	for wide := 1; wide < 8; wide *= 2 {
		if rows <= 8*wide {
			return wide
		}
	}
	return 8
}
