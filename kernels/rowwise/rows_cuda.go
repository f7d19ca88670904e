//go:build cuda

package rowwise

import (
	"fmt"

	"github.com/confab-tui/confab/gpu"
	"github.com/confab-tui/confab/kernels"
)

// MapOp names what Map does to each value; see map.cuh.
type MapOp int32

// The operations of Map.
const (
	MapAdd MapOp = iota
	MapScale
	MapSiLU
	MapGELU
	MapSigmoid
	MapReLUSquared
	MapGateSiLU
	MapGateGELU
	MapGateSigmoid
	MapGateClamped
	MapGatePlain // a * b
	MapSoftCap
	MapSharpen
	MapWeigh // b * sigmoid(a), a being one value for the whole row
	MapRound // nothing: the values are only rounded
)

// MapArgs is what Map works on: N values in each of Rows rows. Out may be none.
type MapArgs struct {
	Op        MapOp
	Out, A, B kernels.Place
	Rounded   kernels.Rounded
	Rows, N   int
	By, Every float32
	Pos       gpu.Ptr // of each row, for MapSharpen
}

type mapArgs struct {
	out, a, b, pos         gpu.Ptr
	rounded                kernels.RoundedArgs
	rows, n, ldo, lda, ldb int32
	by, every              float32
	pad                    int32
}

// QueueMap queues out = op(a, b), value by value.
func QueueMap(q *kernels.Queue, m MapArgs) {
	work, warps := m.Rows*((m.N+255)/256), 8
	for warps > 1 && work < warps*q.Device.SMs {
		warps /= 2 // rather more multiprocessors
	}
	kernels.Launch(q, fmt.Sprintf("map_rows_%d", m.Op), gpu.Config{Grid: [3]int{q.GridOf(work, warps)}, Threads: 32 * warps}, mapArgs{
		out: m.Out.Ptr, a: m.A.Ptr, b: m.B.Ptr, pos: m.Pos, rounded: m.Rounded.Args(m.Rows), rows: int32(m.Rows), n: int32(m.N),
		ldo: int32(m.Out.Stride), lda: int32(m.A.Stride), ldb: int32(m.B.Stride), by: m.By, every: m.Every})
}

// NormArgs is a norm of whole rows. Out may be none; Weight and Bias may be 0.
type NormArgs struct {
	Out, In      kernels.Place
	Weight, Bias gpu.Ptr
	Rounded      kernels.Rounded
	Rows, N      int
	Eps          float32
	Center       bool
}

type normArgs struct {
	out, in, weight, bias gpu.Ptr
	rounded               kernels.RoundedArgs
	n, ldo, ldi, center   int32
	eps                   float32
	pad                   int32
}

// QueueNorm queues RMSNorm, or with Center LayerNorm, of rows.
func QueueNorm(q *kernels.Queue, n NormArgs) {
	threads := 512
	for threads > 64 && threads*8 >= 2*n.N {
		threads /= 2
	}
	kernels.Launch(q, "norm_rows", gpu.Config{Grid: [3]int{n.Rows}, Threads: threads}, normArgs{
		out: n.Out.Ptr, in: n.In.Ptr, weight: n.Weight, bias: n.Bias, rounded: n.Rounded.Args(n.Rows), n: int32(n.N),
		ldo: int32(n.Out.Stride), ldi: int32(n.In.Stride), center: bit(n.Center), eps: n.Eps})
}

func bit(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

type selectArgs struct {
	out, in, rows      gpu.Ptr
	count, n, ldo, ldi int32
}

// QueueSelect queues out[i] = in[rows[i]].
func QueueSelect(q *kernels.Queue, out, in kernels.Place, rows gpu.Ptr, count, n int) {
	kernels.Launch(q, "select_rows", gpu.Config{Grid: [3]int{(n + 255) / 256, min(count, 65535)}, Threads: 256}, selectArgs{
		out: out.Ptr, in: in.Ptr, rows: rows, count: int32(count), n: int32(n), ldo: int32(out.Stride), ldi: int32(in.Stride)})
}

// HeadPart is what happens to some heads of each row: a norm of each head, the turning
// of its pairs, the store into cells; in this order, any of them left out.
type HeadPart struct {
	X          kernels.Place
	Heads, Dim int
	// Norm divides by the root mean square (Center: of what the mean leaves).
	Norm, Center bool
	Weight, Bias gpu.Ptr
	Eps          float32
	// Table is a RopeTable with Pairs pairs, or 0.
	Table       gpu.Ptr
	Pairs       int
	Interleaved bool
	// Cache is where cells keep these heads, CellWidth halves each, or 0.
	Cache     gpu.Ptr
	CellWidth int
	// Keep writes the result back to X.
	Keep bool
}

// HeadJob is a HeadPart as the device reads it; see heads.cuh.
type HeadJob struct {
	x, weight, bias, table, cache             gpu.Ptr
	heads, dim, ld, pairs, interleaved, width int32
	norm, center, keep                        int32
	eps                                       float32
}

// Job converts p.
func (p *HeadPart) Job() HeadJob {
	kernels.MustFit("head width", p.Dim, MaxHeadDim)
	return HeadJob{x: p.X.Ptr, weight: p.Weight, bias: p.Bias, table: p.Table, cache: p.Cache, heads: int32(p.Heads),
		dim: int32(p.Dim), ld: int32(p.X.Stride), pairs: int32(p.Pairs), interleaved: bit(p.Interleaved),
		width: int32(p.CellWidth), norm: bit(p.Norm), center: bit(p.Center), keep: bit(p.Keep), eps: p.Eps}
}

type headArgs struct {
	jobs                    [3]HeadJob
	cells                   gpu.Ptr
	rows, count, total, pad int32
}

// MaxHeadParts and MaxHeadDim bound a Heads.
const (
	MaxHeadParts = 3
	MaxHeadDim   = 1024
)

// QueueHeads queues the steps of up to three parts; cells names each row's cell.
func QueueHeads(q *kernels.Queue, parts []HeadPart, rows int, cells gpu.Ptr) {
	kernels.MustFit("parts of heads", len(parts), MaxHeadParts)
	a, widths := headArgs{cells: cells, rows: int32(rows), count: int32(len(parts))}, []int{64, 128, 256, MaxHeadDim}
	for i, p := range parts {
		a.jobs[i] = p.Job()
		a.total += int32(p.Heads)
		for p.Dim > widths[0] {
			widths = widths[1:]
		}
	}
	kernels.Launch(q, fmt.Sprintf("turn_heads_%d", widths[0]), gpu.Config{Grid: [3]int{q.GridOf(rows*int(a.total), 4)}, Threads: 128}, a)
}

type ropeArgs struct {
	table, freqs, pos gpu.Ptr
	rows, pairs       int32
	magnitude         float32
	pad               int32
}

// QueueRopeTable queues each row's cosines and sines; freqs are float64, pos int32.
func QueueRopeTable(q *kernels.Queue, table, freqs, pos gpu.Ptr, rows, pairs int, magnitude float32) {
	kernels.Launch(q, "rope_table", gpu.Config{Grid: [3]int{q.GridOf(rows*pairs, 64)}, Threads: 64},
		ropeArgs{table: table, freqs: freqs, pos: pos, rows: int32(rows), pairs: int32(pairs), magnitude: magnitude})
}
