package attend

import (
	"fmt"
	"testing"
)

// BenchmarkAttend times one worker's attention of one layer: decoding reads each
// cell once a key head (GB/s are of cells), prefill is bound by arithmetic.
func BenchmarkAttend(b *testing.B) {
	for _, s := range []struct{ heads, kv, dim, rows, depth int }{
		{32, 8, 128, 1, 4095}, {16, 8, 128, 1, 4095}, {32, 32, 128, 1, 1023}, {64, 8, 64, 1, 4095},
		{32, 8, 128, 512, 0}, {16, 8, 128, 512, 0}, {64, 8, 64, 512, 0}, {32, 8, 128, 64, 4032},
	} {
		b.Run(fmt.Sprintf("%dover%dx%d/rows%d/depth%d", s.heads, s.kv, s.dim, s.rows, s.depth), func(b *testing.B) {
			args := AttendArgs{Heads: s.heads, KVHeads: s.kv, KeyDim: s.dim, ValueDim: s.dim, Scale: 0.1}
			n := s.depth + s.rows
			kv := NewKV(n+1, s.kv, s.dim, s.dim, false)
			cells := make([]int32, n)
			row := make([]float32, s.kv*s.dim)
			for p := range cells {
				cells[p] = int32(p + 1)
				row[p%len(row)] = float32(p%7) / 7
				kv.Store(cells[p], row, row)
			}
			q, out := make([]float32, s.rows*s.heads*s.dim), make([]float32, s.rows*s.heads*s.dim)
			io := &AttendIO{KV: kv, Q: q, Out: out, QStride: s.heads * s.dim, OutStride: s.heads * s.dim}
			plan := NewAttendPlan(1)
			pairs := s.rows*s.depth + s.rows*(s.rows+1)/2
			b.SetBytes(int64(n) * int64(4*s.kv*s.dim))
			for b.Loop() {
				plan.Prepare(args, []AttendSeq{{Count: s.rows, Pos: int32(s.depth), Cells: cells}})
				runPlan(plan, io)
			}
			flops := float64(pairs) * float64(4*s.heads*s.dim)
			b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}
