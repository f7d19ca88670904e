//go:build cuda

package kernels

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// Every operation on values, against its definition; the rounded form of its result
// serves a product as well as rounding the result afterwards.
func TestDeviceMap(t *testing.T) {
	q := onDevice(t)
	r := rand.New(rand.NewPCG(1, 2))
	plain := map[MapOp]func(out, a, b []float32){
		MapAdd:         Add,
		MapScale:       func(out, a, _ []float32) { Scale(out, a, 0.7) },
		MapSiLU:        func(out, a, _ []float32) { SiLU(out, a) },
		MapGELU:        func(out, a, _ []float32) { GELU(out, a) },
		MapSigmoid:     func(out, a, _ []float32) { Sigmoid(out, a) },
		MapGateSiLU:    SwiGLU,
		MapGateGELU:    GeGLU,
		MapGateSigmoid: SigmoidGate,
		MapGateClamped: func(out, a, b []float32) { SwiGLUClamped(out, a, b, 1.702, 7) },
		MapSoftCap: func(out, a, _ []float32) {
			for i, v := range a {
				out[i] = softCap(v, 0.7)
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
			a, b := gaussians(r, rows*n), gaussians(r, rows*n)
			Scale(a, a, 4)
			want := make([]float32, rows*n)
			f(want, a, b)
			out := newRows(t, q, rows, n, n+1)
			q.Map(MapArgs{Op: op, Out: out.place(), A: newRows(t, q, rows, n, n+2).set(a).place(),
				B: newRows(t, q, rows, n, n).set(b).place(), Rows: rows, N: n, By: 0.7})
			near(t, fmt.Sprintf("operation %d, %d x %d", op, rows, n), out.get(), want, limit)
		}
	}
}

func TestDeviceNorm(t *testing.T) {
	q := onDevice(t)
	r := rand.New(rand.NewPCG(1, 3))
	for _, shape := range [][2]int{{1, 4096}, {5, 172}, {65, 576}, {2, 8192}, {3, 64}} {
		for _, center := range []bool{false, true} {
			rows, n := shape[0], shape[1]
			x, w, b := gaussians(r, rows*n), gaussians(r, n), gaussians(r, n)
			want := make([]float32, rows*n)
			for i := range rows {
				if center {
					LayerNorm(want[i*n:][:n], x[i*n:][:n], w, b, 1e-5)
				} else {
					RMSNorm(want[i*n:][:n], x[i*n:][:n], w, 1e-5)
				}
			}
			a := NormArgs{In: newRows(t, q, rows, n, n+4).set(x).place(), Weight: put(t, q, w), Rows: rows, N: n, Eps: 1e-5, Center: center}
			if center {
				a.Bias = put(t, q, b)
			}
			out := newRows(t, q, rows, n, n+3)
			a.Out = out.place()
			q.Norm(a)
			near(t, fmt.Sprintf("%d x %d, center %t", rows, n, center), out.get(), want, 1e-6)
		}
	}
}

// A norm that rounds its result serves a product as rounding afterwards does.
func TestDeviceNormRounds(t *testing.T) {
	q := onDevice(t)
	r := rand.New(rand.NewPCG(1, 4))
	for _, typ := range []Type{Q8_0, Q4_K} {
		const rows, n, k = 5, 64, 1024
		m, _ := loadMatrix(t, q, r, typ, n, k)
		in := newRows(t, q, rows, k, k).set(gaussians(r, rows*k))
		middle := newRows(t, q, rows, k, k)
		rounded := newRounded(t, q, m.Form(), rows, k)
		q.Norm(NormArgs{Out: middle.place(), In: in.place(), Rounded: rounded, Rows: rows, N: k, Eps: 1e-5})
		out := newRows(t, q, rows, n, n)
		q.Mul([]Product{{W: m, Out: out.place()}}, Place{}, rounded, MulRows{Rows: rows})
		same(t, fmt.Sprintf("type %d", typ), out.get(), deviceProduct(t, q, m, middle.get(), rows))
	}
}

func TestDeviceSelect(t *testing.T) {
	q := onDevice(t)
	const rows, n = 9, 300
	x := gaussians(rand.New(rand.NewPCG(1, 5)), rows*n)
	picks := []int32{8, 0, 3}
	var want []float32
	for _, p := range picks {
		want = append(want, x[int(p)*n:int(p+1)*n]...)
	}
	out := newRows(t, q, len(picks), n, n+1)
	q.Select(out.place(), newRows(t, q, rows, n, n+7).set(x).place(), put(t, q, picks), len(picks), n)
	same(t, "select", out.get(), want)
}

// Norm, rotation and store of three parts in one launch.
func TestDeviceHeads(t *testing.T) {
	q := onDevice(t)
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
		table := put(t, q, make([]float32, rows*2*pairs))
		q.RopeTable(table, put(t, q, rope.Freqs), put(t, q, pos), rows, pairs, rope.Magnitude)
		const dim, qHeads, kvHeads, valueDim = 64, 6, 2, 40
		w := gaussians(r, dim)
		x := [][]float32{gaussians(r, rows*qHeads*dim), gaussians(r, rows*kvHeads*dim), gaussians(r, rows*kvHeads*valueDim)}
		keys, values := put(t, q, make([]uint16, cells*kvHeads*dim)), put(t, q, make([]uint16, cells*kvHeads*valueDim))
		places := []*deviceRows{newRows(t, q, rows, qHeads*dim, 999).set(x[0]), newRows(t, q, rows, kvHeads*dim, 130).set(x[1]),
			newRows(t, q, rows, kvHeads*valueDim, 80).set(x[2])}
		q.Heads([]HeadPart{
			{X: places[0].place(), Heads: qHeads, Dim: dim, Norm: true, Weight: put(t, q, w), Eps: 1e-6, Table: table, Pairs: pairs, Interleaved: interleaved, Keep: true},
			{X: places[1].place(), Heads: kvHeads, Dim: dim, Table: table, Pairs: pairs, Interleaved: interleaved, Keep: true, Cache: keys, CellWidth: dim},
			{X: places[2].place(), Heads: kvHeads, Dim: valueDim, Cache: values, CellWidth: valueDim},
		}, rows, put(t, q, cell))
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
			near(t, fmt.Sprintf("part %d, interleaved %t", i, interleaved), d.get(), x[i], 1e-6)
		}
		for i := range rows {
			at := int(cell[i]) * kvHeads * dim
			var want []float32
			for _, v := range x[1][i*kvHeads*dim : (i+1)*kvHeads*dim] {
				want = append(want, F16ToF32(F32ToF16(v)))
			}
			var got []float32
			for _, h := range fetch[uint16](t, q, keys, cells*kvHeads*dim)[at : at+kvHeads*dim] {
				got = append(got, F16ToF32(h))
			}
			near(t, "keys in cells", got, want, 1e-4)
		}
		stored := fetch[uint16](t, q, values, cells*kvHeads*valueDim)
		for c := range cells {
			i := slices.Index(cell, int32(c))
			for j, h := range stored[c*kvHeads*valueDim : (c+1)*kvHeads*valueDim] {
				want := uint16(0)
				if i >= 0 {
					want = F32ToF16(x[2][i*kvHeads*valueDim+j])
				}
				if h != want {
					t.Fatalf("cell %d, value %d: %x, want %x", c, j, h, want)
				}
			}
		}
	}
}

// Routing and a feed-forward of experts, against the CPU's pieces.
func TestDeviceExperts(t *testing.T) {
	q := onDevice(t)
	r := rand.New(rand.NewPCG(1, 7))
	for _, rows := range []int{1, 7, 40} {
		for _, rule := range []RouteRule{RouteSoftmax, RouteChosen, RouteSigmoid} {
			const experts, used, k, n = 40, 4, 256, 48
			how := Routing{Rule: rule, Normalize: rule != RouteChosen, Scale: 1.3}
			scores := gaussians(r, rows*experts)
			wantIDs, wantWeights := make([]int32, rows*used), make([]float32, rows*used)
			for i := range rows {
				Route(wantIDs[i*used:][:used], wantWeights[i*used:][:used], slices.Clone(scores[i*experts:][:experts]), how)
			}
			ids, weights := put(t, q, make([]int32, rows*used)), newRows(t, q, rows, used, used)
			q.Route(Place{ids, used}, weights.place(), newRows(t, q, rows, experts, experts+1).set(scores).place(), how, rows, experts, used)
			if got := fetch[int32](t, q, ids, rows*used); !slices.Equal(got, wantIDs) {
				t.Fatalf("rule %d: experts %v, want %v", rule, got, wantIDs)
			}
			near(t, fmt.Sprintf("weights of rule %d", rule), weights.get(), wantWeights, 1e-5)

			lists := Lists{Experts: put(t, q, make([]int32, experts)), Starts: put(t, q, make([]int32, experts+1)),
				List: put(t, q, make([]int32, rows*used)), Count: experts, Used: used}
			live := rows - rows/4
			q.ExpertLists(&lists, Place{ids, used}, put(t, q, []int32{int32(live)}), rows)
			m := &DeviceMatrix{Type: Q4_K, N: n, K: k, Experts: experts}
			m.Data = put(t, q, make([]byte, m.Bytes()))
			x := randomRows(r, rows, k)
			bias := gaussians(r, experts*n)
			want := make([]float32, live*used*n)
			data := make([][]byte, experts)
			for e := range data {
				data[e] = randomWeights(r, Q4_K, n*k)
				q.Repack(m, e, 0, n, put(t, q, data[e]))
			}
			for p := range live * used {
				e := int(wantIDs[p])
				copy(want[p*n:], reference(t, Q4_K, n, k, data[e], x[p/used*k:][:k], 1))
				Add(want[p*n:][:n], want[p*n:][:n], bias[e*n:][:n])
			}
			rounded := newRounded(t, q, FormQ8K, rows, k)
			q.Map(MapArgs{Op: MapRound, A: newRows(t, q, rows, k, k).set(x).place(), Rounded: rounded, Rows: rows, N: k})
			out := newRows(t, q, live*used, n, n)
			q.Mul([]Product{{W: m, Out: out.place(), Bias: put(t, q, bias)}}, Place{}, rounded,
				MulRows{Rows: rows, Lists: &lists, Divide: used})
			near(t, fmt.Sprintf("experts, %d rows", rows), out.get(), want, 1e-5)

			sums := make([]float32, live*n)
			for p := range live * used {
				for j := range n {
					sums[p/used*n+j] += wantWeights[p] * want[p*n+j]
				}
			}
			sum := newRows(t, q, live, n, n+2)
			q.ExpertSum(sum.place(), out.place().Ptr, Place{ids, used}, weights.place(), 0, live, used, n)
			near(t, "sum of experts", sum.get(), sums, 1e-5)
		}
	}
}
