//go:build cuda

package rowwise

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/kerneltest"
)

// Every operation on values, against its definition; the rounded form of its result
// serves a product as well as rounding the result afterwards.
func TestDeviceMap(t *testing.T) {
	q := kerneltest.OnDevice(t)
	r := rand.New(rand.NewPCG(1, 2))
	plain := map[MapOp]func(out, a, b []float32){
		MapAdd:         Add,
		MapScale:       func(out, a, _ []float32) { Scale(out, a, 0.7) },
		MapSiLU:        func(out, a, _ []float32) { SiLU(out, a) },
		MapGELU:        func(out, a, _ []float32) { GELU(out, a) },
		MapSigmoid:     func(out, a, _ []float32) { Sigmoid(out, a) },
		MapReLUSquared: func(out, a, _ []float32) { ReLUSquared(out, a) },
		MapGatePlain:   Mul,
		MapGateSiLU:    SwiGLU,
		MapGateGELU:    GeGLU,
		MapGateSigmoid: SigmoidGate,
		MapGateClamped: func(out, a, b []float32) { SwiGLUClamped(out, a, b, 1.702, 7) },
		MapSoftCap: func(out, a, _ []float32) {
			for i, v := range a {
				out[i] = SoftCapOf(v, 0.7)
			}
		},
	}
	for op, f := range plain {
		limit := 1e-6
		if op == MapGELU || op == MapGateGELU {
			limit = 1e-4 // a last bit in front of the rounding to half precision
		}
		for _, shape := range [][2]int{{1, 4096}, {3, 172}, {70, 1000}, {2, 14336}} {
			rows, n := shape[0], shape[1]
			a, b := kerneltest.Gaussians(r, rows*n), kerneltest.Gaussians(r, rows*n)
			Scale(a, a, 4)
			want := make([]float32, rows*n)
			f(want, a, b)
			out := kerneltest.NewRows(t, q, rows, n, n+1)
			QueueMap(q, MapArgs{Op: op, Out: out.Place(), A: kerneltest.NewRows(t, q, rows, n, n+2).Set(a).Place(),
				B: kerneltest.NewRows(t, q, rows, n, n).Set(b).Place(), Rows: rows, N: n, By: 0.7})
			kerneltest.Near(t, fmt.Sprintf("operation %d, %d x %d", op, rows, n), out.Get(), want, limit)
		}
	}
}

func TestDeviceNorm(t *testing.T) {
	q := kerneltest.OnDevice(t)
	r := rand.New(rand.NewPCG(1, 3))
	for _, shape := range [][2]int{{1, 4096}, {5, 172}, {65, 576}, {2, 8192}, {3, 64}} {
		for _, center := range []bool{false, true} {
			rows, n := shape[0], shape[1]
			x, w, b := kerneltest.Gaussians(r, rows*n), kerneltest.Gaussians(r, n), kerneltest.Gaussians(r, n)
			want := make([]float32, rows*n)
			for i := range rows {
				if center {
					LayerNorm(want[i*n:][:n], x[i*n:][:n], w, b, 1e-5)
				} else {
					RMSNorm(want[i*n:][:n], x[i*n:][:n], w, 1e-5)
				}
			}
			a := NormArgs{In: kerneltest.NewRows(t, q, rows, n, n+4).Set(x).Place(), Weight: kerneltest.Put(t, q, w), Rows: rows, N: n, Eps: 1e-5, Center: center}
			if center {
				a.Bias = kerneltest.Put(t, q, b)
			}
			out := kerneltest.NewRows(t, q, rows, n, n+3)
			a.Out = out.Place()
			QueueNorm(q, a)
			kerneltest.Near(t, fmt.Sprintf("%d x %d, center %t", rows, n, center), out.Get(), want, 1e-6)
		}
	}
}

// One value weighs a whole row, in place.
func TestDeviceWeigh(t *testing.T) {
	q := kerneltest.OnDevice(t)
	r := rand.New(rand.NewPCG(1, 8))
	for _, shape := range [][2]int{{1, 64}, {3, 172}, {70, 2048}} {
		rows, n := shape[0], shape[1]
		gate, x := kerneltest.Gaussians(r, rows), kerneltest.Gaussians(r, rows*n)
		d := kerneltest.NewRows(t, q, rows, n, n+1).Set(x)
		QueueMap(q, MapArgs{Op: MapWeigh, Out: d.Place(), A: kerneltest.NewRows(t, q, rows, 1, 3).Set(gate).Place(), B: d.Place(), Rows: rows, N: n})
		Sigmoid(gate, gate)
		for i := range rows {
			Scale(x[i*n:][:n], x[i*n:][:n], gate[i])
		}
		kerneltest.Near(t, fmt.Sprintf("%d x %d", rows, n), d.Get(), x, 1e-6)
	}
}

func TestDeviceSelect(t *testing.T) {
	q := kerneltest.OnDevice(t)
	const rows, n = 9, 300
	x := kerneltest.Gaussians(rand.New(rand.NewPCG(1, 5)), rows*n)
	picks := []int32{8, 0, 3}
	var want []float32
	for _, p := range picks {
		want = append(want, x[int(p)*n:int(p+1)*n]...)
	}
	out := kerneltest.NewRows(t, q, len(picks), n, n+1)
	QueueSelect(q, out.Place(), kerneltest.NewRows(t, q, rows, n, n+7).Set(x).Place(), kerneltest.Put(t, q, picks), len(picks), n)
	kerneltest.Same(t, "select", out.Get(), want)
}

// Norm, rotation and store of three parts in one launch.
func TestDeviceHeads(t *testing.T) {
	q := kerneltest.OnDevice(t)
	r := rand.New(rand.NewPCG(1, 6))
	for _, interleaved := range []bool{false, true} {
		const rows, cells = 3, 10
		cell := []int32{7, 1, 4}
		pos := []int32{0, 5, 100000}
		rope := Rope{Freqs: make([]float64, 24), Magnitude: 1.1, Interleaved: interleaved}
		for i := range rope.Freqs {
			rope.Freqs[i] = 1 / (1 + float64(i*i))
		}
		pairs := len(rope.Freqs)
		table := kerneltest.Put(t, q, make([]float32, rows*2*pairs))
		QueueRopeTable(q, table, kerneltest.Put(t, q, rope.Freqs), kerneltest.Put(t, q, pos), rows, pairs, rope.Magnitude)
		const dim, qHeads, kvHeads, valueDim = 64, 6, 2, 40
		w := kerneltest.Gaussians(r, dim)
		x := [][]float32{kerneltest.Gaussians(r, rows*qHeads*dim), kerneltest.Gaussians(r, rows*kvHeads*dim), kerneltest.Gaussians(r, rows*kvHeads*valueDim)}
		keys, values := kerneltest.Put(t, q, make([]uint16, cells*kvHeads*dim)), kerneltest.Put(t, q, make([]uint16, cells*kvHeads*valueDim))
		places := []*kerneltest.DeviceRows{kerneltest.NewRows(t, q, rows, qHeads*dim, 999).Set(x[0]), kerneltest.NewRows(t, q, rows, kvHeads*dim, 130).Set(x[1]),
			kerneltest.NewRows(t, q, rows, kvHeads*valueDim, 80).Set(x[2])}
		QueueHeads(q, []HeadPart{
			{X: places[0].Place(), Heads: qHeads, Dim: dim, Norm: true, Weight: kerneltest.Put(t, q, w), Eps: 1e-6, Table: table, Pairs: pairs, Interleaved: interleaved, Keep: true},
			{X: places[1].Place(), Heads: kvHeads, Dim: dim, Table: table, Pairs: pairs, Interleaved: interleaved, Keep: true, Cache: keys, CellWidth: dim},
			{X: places[2].Place(), Heads: kvHeads, Dim: valueDim, Cache: values, CellWidth: valueDim},
		}, rows, kerneltest.Put(t, q, cell))
		for i := range rows {
			row := make([]float32, 2*pairs)
			rope.Table(row, pos[i])
			for h := range qHeads {
				head := x[0][(i*qHeads+h)*dim:][:dim]
				RMSNorm(head, head, w, 1e-6)
			}
			rope.Apply(x[0][i*qHeads*dim:], qHeads, dim, row)
			rope.Apply(x[1][i*kvHeads*dim:], kvHeads, dim, row)
		}
		for i, d := range places {
			kerneltest.Near(t, fmt.Sprintf("part %d, interleaved %t", i, interleaved), d.Get(), x[i], 1e-6)
		}
		for i := range rows {
			at := int(cell[i]) * kvHeads * dim
			var want []float32
			for _, v := range x[1][i*kvHeads*dim : (i+1)*kvHeads*dim] {
				want = append(want, kernels.F16ToF32(kernels.F32ToF16(v)))
			}
			var got []float32
			for _, h := range kerneltest.Fetch[uint16](t, q, keys, cells*kvHeads*dim)[at : at+kvHeads*dim] {
				got = append(got, kernels.F16ToF32(h))
			}
			kerneltest.Near(t, "keys in cells", got, want, 1e-4)
		}
		stored := kerneltest.Fetch[uint16](t, q, values, cells*kvHeads*valueDim)
		for c := range cells {
			i := slices.Index(cell, int32(c))
			for j, h := range stored[c*kvHeads*valueDim : (c+1)*kvHeads*valueDim] {
				want := uint16(0)
				if i >= 0 {
					want = kernels.F32ToF16(x[2][i*kvHeads*valueDim+j])
				}
				if h != want {
					t.Fatalf("cell %d, value %d: %x, want %x", c, j, h, want)
				}
			}
		}
	}
}
