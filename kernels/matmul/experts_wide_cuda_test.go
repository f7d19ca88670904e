//go:build cuda

package matmul

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/confab-tui/confab/gpu"
	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/kerneltest"
	"github.com/confab-tui/confab/kernels/rowwise"
)

// Feed-forwards of many rows in half precision are as near to the CPU's as WideError says. One expert has all
// rows, more than a pass, one a single row, the last one none.
func TestDeviceExpertsWide(t *testing.T) {
	shapes := []expertShape{{6, 2, 300, 768, 768}, {5, 3, 33, 2304, 256}, {36, 4, 130, 256, 1024}}
	if testing.Short() {
		shapes = shapes[:1]
	}
	for _, typ := range deviceTypes {
		if (&DeviceMatrix{Type: typ}).Form() == kernels.FormF32 {
			continue
		}
		t.Run(fmt.Sprintf("type-%d", typ), func(t *testing.T) {
			for _, s := range shapes {
				s.checkWide(t, typ, 65, rowwise.MapGateClamped)
				s.checkWide(t, typ, 270, rowwise.MapGateSiLU)
			}
		})
	}
}

// unevenScores are scores by which all rows choose the first expert, only row 3 the second, and none the last.
func unevenScores(r *rand.Rand, rows, experts int) []float32 {
	scores := kerneltest.Gaussians(r, rows*experts)
	for i := range rows {
		of := scores[i*experts:][:experts]
		of[0], of[1], of[experts-1] = of[0]+50, of[1]-50, of[experts-1]-50
		if i == 3 {
			of[1] += 100
		}
	}
	return scores
}

func (s expertShape) checkWide(t *testing.T, typ Type, rows int, op rowwise.MapOp) {
	q := kerneltest.OnDevice(t)
	r := rand.New(rand.NewPCG(uint64(typ), uint64(rows)))
	if values, _ := typ.block(); values <= 32 {
		s.hidden += 32
	}
	gate, up, down := newBank(t, q, r, typ, s.experts, s.hidden, s.k), newBank(t, q, r, typ, s.experts, s.hidden, s.k),
		newBank(t, q, r, typ, s.experts, s.n, s.hidden)
	c := choose(t, q, s.experts, s.used, unevenScores(r, rows, s.experts))
	wide := wideRoom(t, q, MulRows{Rows: rows * s.used}, max(s.k, s.hidden)).Wide
	x, add := randomRows(r, rows, s.k), kerneltest.Gaussians(r, rows*s.n)
	for i := range x {
		x[i] *= [4]float32{1, 1e-3, 3, 0.1}[i/s.k%4] / 16
	}
	hidden, sums := c.feedWith(t, q, feedHow{op: op, wide: wide}, gate, up, down, x, add)
	// The rows between are in the order of the lists.
	pairs := make([]float32, len(hidden))
	for i, p := range kerneltest.Fetch[int32](t, q, c.lists.List, c.live*c.used) {
		copy(pairs[int(p)*gate.N:][:gate.N], hidden[i*gate.N:][:gate.N])
	}
	what := fmt.Sprintf("%+v, %d rows", s, rows)
	want, other := c.want(t, gate, x, s.used), c.want(t, up, x, s.used)
	if op == rowwise.MapGateSiLU {
		rowwise.SwiGLU(want, want, other)
	} else {
		rowwise.SwiGLUClamped(want, want, other, 1.702, 7)
	}
	kerneltest.Near(t, what+", gated", pairs, want, 2*WideError(typ)) // two errors multiplied
	kerneltest.Near(t, what+", sums", sums, c.sum(down, c.want(t, down, pairs, 1), add), WideError(typ))
}

// A row's results in half precision have the same bits whatever rows are beside it.
func TestDeviceExpertsWideAlone(t *testing.T) {
	q := kerneltest.OnDevice(t)
	for _, typ := range []Type{Q8_0, Q4_K, MXFP4} {
		const experts, used, n, k, hidden, rows, fewer = 6, 2, 40, 768, 512, 200, 100
		r := rand.New(rand.NewPCG(uint64(typ), 3))
		gate, up, down := newBank(t, q, r, typ, experts, hidden, k), newBank(t, q, r, typ, experts, hidden, k), newBank(t, q, r, typ, experts, n, hidden)
		scores, x, add := kerneltest.Gaussians(r, rows*experts), randomRows(r, rows, k), kerneltest.Gaussians(r, rows*n)
		how := feedHow{op: rowwise.MapGateSiLU, wide: wideRoom(t, q, MulRows{Rows: rows * used}, k).Wide}
		_, all := choose(t, q, experts, used, scores).feedWith(t, q, how, gate, up, down, x, add)
		some := choose(t, q, experts, used, scores[:fewer*experts])
		_, sums := some.feedWith(t, q, how, gate, up, down, x[:fewer*k], add[:fewer*n])
		kerneltest.Same(t, fmt.Sprintf("type %d", typ), sums, all[:some.live*n])
	}
}

// Stages find room on Hopper for every type and as many rows as a step has.
func TestWideExpertStagesFit(t *testing.T) {
	d := &gpu.Device{SMs: 132, SharedMax: 227 << 10, Major: 9}
	for _, typ := range deviceTypes {
		if (&DeviceMatrix{Type: typ}).Form() == kernels.FormF32 {
			continue
		}
		for _, l := range []rowwise.Lists{{Count: 8, Used: 2}, {Count: 128, Used: 8}, {Count: 512, Used: 22}} {
			for rows := 65; rows <= 4096; rows *= 2 {
				if shared, stages := wideStages(d, typ, MulRows{Rows: rows, Lists: &l}); stages < 2 || shared > d.SharedMax {
					t.Errorf("type %d, %d rows, %d of %d experts: %d stages in %d bytes", typ, rows, l.Used, l.Count, stages, shared)
				}
			}
		}
	}
}
