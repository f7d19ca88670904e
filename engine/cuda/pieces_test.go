//go:build cuda

package cuda

import (
	"fmt"
	"testing"

	"github.com/confab-tui/confab/gpu"
	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/attend"
	"github.com/confab-tui/confab/kernels/kerneltest"
	"github.com/confab-tui/confab/kernels/rowwise"
	"github.com/confab-tui/confab/kernels/sample"
)

// What stands between the products of a step of an 8B model, each as many times as the
// model has layers, one after the other in a graph.
const (
	pieceLayers = 32
	pieceHeads  = 32
	pieceKV     = 8
	pieceDim    = 128
)

// BenchmarkPieces times each of them.
func BenchmarkPieces(b *testing.B) {
	q := kerneltest.OnDevice(b)
	for _, c := range []struct{ rows, depth, shared int }{{1, 0, 0}, {1, 128, 0}, {1, 1024, 0}, {1, 4096, 0}, {1, 8192, 0}, {4, 128, 0}, {16, 128, 0},
		{64, 128, 0}, {16, 4096, 0}, {8, 2100, 0}, {8, 2100, 2048}, {1, 32768, 0}} {
		b.Run(fmt.Sprintf("attend-x%d-%d-%d", c.rows, c.depth, c.shared), func(b *testing.B) {
			kerneltest.Use(b, q)
			f, bytes := attendPiece(b, q, c.rows, c.depth, c.shared)
			piece(b, q, f, bytes)
		})
	}
	for _, c := range []struct{ rows, depth int }{{128, 0}, {512, 0}, {512, 4096}, {2048, 0}, {4096, 0}} {
		b.Run(fmt.Sprintf("attend-prompt-%d-%d", c.rows, c.depth), func(b *testing.B) {
			kerneltest.Use(b, q)
			f, bytes := promptPiece(b, q, c.rows, c.depth)
			piece(b, q, f, bytes)
		})
	}
	for _, rows := range []int{1, 16, 64} {
		b.Run(fmt.Sprintf("norm-x%d", rows), func(b *testing.B) {
			kerneltest.Use(b, q)
			x, w := kerneltest.NewRows(b, q, rows, 4096, 4096).Set(make([]float32, rows*4096)), kerneltest.Put(b, q, make([]float32, 4096))
			a := rowwise.NormArgs{In: x.Place(), Weight: w, Rounded: pieceRounded(b, q, rows, 4096), Rows: rows, N: 4096, Eps: 1e-5}
			piece(b, q, func(int) { rowwise.QueueNorm(q, a) }, 0)
		})
		b.Run(fmt.Sprintf("gate-x%d", rows), func(b *testing.B) {
			kerneltest.Use(b, q)
			const n = 14336
			x := kerneltest.NewRows(b, q, rows, 2*n, 2*n).Set(make([]float32, rows*2*n))
			a := rowwise.MapArgs{Op: rowwise.MapGateSiLU, A: x.Place(), B: x.Place().At(n), Rounded: pieceRounded(b, q, rows, n), Rows: rows, N: n}
			piece(b, q, func(int) { rowwise.QueueMap(q, a) }, 0)
		})
		b.Run(fmt.Sprintf("sample-x%d", rows), func(b *testing.B) {
			kerneltest.Use(b, q)
			f := samplePiece(b, q, rows)
			piece(b, q, func(int) { f() }, 0)
		})
	}
}

// piece reports the time of one of pieceLayers launches, and its bytes a second.
func piece(b *testing.B, q *kernels.Queue, f func(layer int), bytes int) {
	all := func() {
		for i := range pieceLayers {
			f(i)
		}
	}
	seconds := kerneltest.TimeGraph(b, q, all) / pieceLayers
	b.ReportMetric(seconds*1e6, "us")
	b.ReportMetric(float64(bytes)/seconds/1e9, "GB/s")
	b.ReportMetric(0, "ns/op")
}

func pieceRounded(b *testing.B, q *kernels.Queue, rows, n int) kernels.Rounded {
	values, records := kernels.RoundedBytes(kernels.FormQ8K, rows, n)
	return kernels.Rounded{Form: kernels.FormQ8K, Chunks: (n + 255) / 256,
		Values: kerneltest.Put(b, q, make([]byte, values)), Records: kerneltest.Put(b, q, make([]byte, records))}
}

// attendPiece makes one row each for some sequences, whose first cells are shared, and
// returns the launch of a layer and the bytes of cells that it must read.
func attendPiece(b *testing.B, q *kernels.Queue, rows, depth, shared int) (f func(layer int), bytes int) {
	var spans []span
	next := int32(shared)
	for i := range rows {
		cells := make([]int32, depth+1)
		for p := range cells {
			cells[p] = int32(p)
			if p >= shared {
				cells[p] = next
				next++
			}
		}
		spans = append(spans, span{row: i, rows: 1, pos: depth, at: i * (depth + 1), cells: cells})
	}
	return spansPiece(b, q, spans, rows, int(next))
}

// promptPiece makes a sequence whose last rows are to be evaluated.
func promptPiece(b *testing.B, q *kernels.Queue, rows, depth int) (f func(layer int), bytes int) {
	cells := make([]int32, depth+rows)
	for p := range cells {
		cells[p] = int32(p)
	}
	return spansPiece(b, q, []span{{rows: rows, pos: depth, cells: cells}}, rows, len(cells))
}

// spansPiece is the launch of a layer's attention of rows in spans, which refer to so many cells.
func spansPiece(b *testing.B, q *kernels.Queue, spans []span, rows, cells int) (f func(layer int), bytes int) {
	shape, err := attend.DeviceShape(q, pieceDim, pieceHeads/pieceKV, rows)
	if err != nil {
		b.Fatal(err)
	}
	var lists, positions []int32
	for _, s := range spans {
		lists = append(lists, s.cells...)
		for i := range s.rows {
			positions = append(positions, int32(s.pos+i))
		}
	}
	plan := &attendPlan{group: pieceHeads / pieceKV, dim: pieceDim, kvHeads: pieceKV}
	most := max(rows, graphRows*(mostChunks+1))
	plan.build(spans, rows, shape.Rows(), q.Device.SMs, most, rows > graphRows)
	block := []int32{int32(len(plan.items)), 16, int32(16 + 32*len(plan.items)), int32(16 + 32*len(plan.items) + 4*len(lists))}
	step := kerneltest.Put(b, q, append(append(append(gpu.Bytes(block), gpu.Bytes(plan.items)...), gpu.Bytes(lists)...), gpu.Bytes(plan.list)...))
	bytes = 4 * cells * pieceKV * pieceDim
	caches := make([][2]gpu.Ptr, max(1, min(pieceLayers, 1<<30/bytes)))
	for i := range caches {
		for j := range caches[i] {
			if caches[i][j], err = q.Device.Alloc(int64(bytes / 2)); err != nil {
				b.Fatal(err)
			}
			if err := q.Device.Fill(caches[i][j], 0x11, int64(bytes/2)); err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = q.Device.Free(caches[i][j]) })
		}
	}
	const width = (pieceHeads + 2*pieceKV) * pieceDim
	x := kerneltest.NewRows(b, q, rows, width, width).Set(make([]float32, rows*width)).Place()
	table := kerneltest.Put(b, q, make([]float32, rows*pieceDim))
	head := func(at, heads int, table gpu.Ptr) rowwise.HeadPart {
		return rowwise.HeadPart{X: x.At(at), Heads: heads, Dim: pieceDim, Table: table, Pairs: pieceDim / 2, CellWidth: pieceDim}
	}
	a := attend.DeviceAttend{AttendArgs: attend.AttendArgs{Heads: pieceHeads, KVHeads: pieceKV, KeyDim: pieceDim, ValueDim: pieceDim, Scale: 0.1},
		Q: head(0, pieceHeads, table), K: head(pieceHeads*pieceDim, pieceKV, table), V: head((pieceHeads+pieceKV)*pieceDim, pieceKV, 0),
		Step: step, Plan: step, Positions: kerneltest.Put(b, q, positions), PartsOf: kerneltest.Put(b, q, plan.parts),
		Items: 1 << 20}
	a.V.Pairs = 0
	if rows > graphRows {
		a.Items, a.Q.Pairs, a.K.X, a.V.X = len(plan.items), 0, kernels.Place{}, kernels.Place{}
	}
	to := attend.AttendResult{Rounded: pieceRounded(b, q, rows, pieceHeads*pieceDim)}
	a.Parts = kerneltest.Put(b, q, make([]float32, most*a.PartFloats()))
	return func(layer int) {
		a.K.Cache, a.V.Cache = caches[layer%len(caches)][0], caches[layer%len(caches)][1]
		attend.QueueAttend(q, shape, &a)
		attend.QueueAttendJoin(q, &a, &to, rows)
	}, bytes
}

// samplePiece draws from rows of logits as the default knobs do.
func samplePiece(b *testing.B, q *kernels.Queue, rows int) func() {
	const vocab = 128256
	logits := make([]float32, rows*vocab)
	for i := range logits {
		logits[i] = float32(uint32(i)*2654435761>>16) / 8192
	}
	draws := make([]sample.DrawRow, rows)
	for i := range draws {
		draws[i] = sample.DrawRowOf(&sample.SampleParams{Temperature: 0.8, TopK: 40, TopP: 0.95, MinP: 0.05, Seed: 1, Pos: int32(i)}, 0)
	}
	room := sample.SampleRoom{Logits: kerneltest.NewRows(b, q, rows, vocab, vocab).Set(logits).Place(), Rows: kerneltest.Put(b, q, draws),
		History: kerneltest.Put(b, q, []int32{0}), Count: kerneltest.Put(b, q, []int32{int32(rows)}),
		Drawn: kerneltest.Put(b, q, make([]sample.Drawn, rows)), Alternatives: kerneltest.Put(b, q, make([]sample.Drawn, rows*sample.MaxAlternatives)),
		Saved: kerneltest.Put(b, q, make([]float32, rows)), HistoryMax: 1, Scan: kerneltest.Put(b, q, make([]float32, rows*sample.ScanFloats))}
	return func() { sample.QueueSample(q, &room, vocab, rows) }
}
