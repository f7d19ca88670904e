//go:build cuda

package matmul

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/confab-tui/confab/kernels"
	"github.com/confab-tui/confab/kernels/kerneltest"
	"github.com/confab-tui/confab/kernels/rowwise"
)

// wideRoom makes room for products in half precision, poisoned; it is 0 on devices that
// have none.
func wideRoom(t testing.TB, q *kernels.Queue, rows MulRows, k int) MulRows {
	t.Helper()
	bytes := WideBytes(q.Device, rows.Rows, k)
	if bytes == 0 {
		t.Skip("half precision for many rows is Hopper's")
	}
	rows.Wide = kerneltest.Put(t, q, make([]byte, bytes))
	if err := q.Device.Fill(rows.Wide, 0xff, bytes); err != nil {
		t.Fatal(err)
	}
	return rows
}

// Products of many rows in half precision are as near to the others as WideError says,
// whatever a row's magnitude.
func TestDeviceWide(t *testing.T) {
	q := kerneltest.OnDevice(t)
	shapes := [][3]int{{64, 256, 65}, {1000, 768, 96}, {17, 1024, 97}, {200, 4096, 128}, {33, 14336, 200}, {130, 512, 512}, {48, 256, 4097}}
	if testing.Short() {
		shapes = shapes[:3]
	}
	for _, typ := range deviceTypes {
		if typ == F32 {
			continue
		}
		more := shapes
		if f := formats[typ]; f.values <= 32 {
			more = append(more, [3]int{40, 64, 70}, [3]int{24, 352, 300})
			if f.values == 1 {
				more = append(more, [3]int{64, 172, 129}, [3]int{5, 3, 66})
			}
		}
		for _, shape := range more {
			n, k, rows := shape[0], shape[1], shape[2]
			r := rand.New(rand.NewPCG(uint64(typ), uint64(rows)))
			m, _ := loadMatrix(t, q, r, typ, n, k)
			x := randomRows(r, rows, k)
			for i := range x {
				x[i] *= [5]float32{1, 1e-6, 30, 3e4, 1e-3}[i/k%5]
			}
			in := kerneltest.NewRows(t, q, rows, k, k+8).Set(x)
			rounded := newRounded(t, q, m.Form(), rows, k)
			if m.Form() != kernels.FormF32 {
				rowwise.QueueMap(q, rowwise.MapArgs{Op: rowwise.MapRound, A: in.Place(), Rounded: rounded, Rows: rows, N: k})
			}
			out, want := kerneltest.NewRows(t, q, rows, n, n+5), kerneltest.NewRows(t, q, rows, n, n)
			QueueMul(q, []Product{{W: m, Out: want.Place()}}, in.Place(), rounded, MulRows{Rows: rows})
			QueueMul(q, []Product{{W: m, Out: out.Place()}}, in.Place(), rounded, wideRoom(t, q, MulRows{Rows: rows}, k))
			a, b := out.Get(), want.Get()
			for i := range rows {
				alike(a[i*n:][:n], b[i*n:][:n])
			}
			kerneltest.Near(t, fmt.Sprintf("type %d, %d x %d, %d rows", typ, n, k, rows), a, b, WideError(typ))
		}
	}
}

// alike divides a row of results and what they should be by the size of the latter, so
// that all rows count.
func alike(got, want []float32) {
	sum := 0.0
	for _, v := range want {
		sum += float64(v) * float64(v)
	}
	if sum == 0 { // the scale of such small values is 0 in half precision
		return
	}
	for i := range got {
		got[i] /= float32(math.Sqrt(sum))
		want[i] /= float32(math.Sqrt(sum))
	}
}

// The same with several types at once, with biases and sums, fewer rows than the launch is
// made for, and every form of the kernel, which give the same but for the order of sums.
func TestDeviceWideTogether(t *testing.T) {
	q := kerneltest.OnDevice(t)
	all := wideForms
	defer func() { wideForms = all }()
	for _, f := range all {
		wideForms = []wideForm{f}
		r := rand.New(rand.NewPCG(3, 4))
		const k, rows, live = 1280, 150, 131
		x := randomRows(r, rows, k)
		in := kerneltest.NewRows(t, q, rows, k, k).Set(x)
		rounded := newRounded(t, q, kernels.FormQ8K, rows, k)
		rowwise.QueueMap(q, rowwise.MapArgs{Op: rowwise.MapRound, A: in.Place(), Rounded: rounded, Rows: rows, N: k})
		var products []Product
		var outs []*kerneltest.DeviceRows
		var wants [][]float32
		for i, typ := range []Type{Q4_K, Q6_K, Q4_K} {
			n := 40 + 250*i
			m, data := loadMatrix(t, q, r, typ, n, k)
			bias, add := kerneltest.Gaussians(r, n), kerneltest.Gaussians(r, rows*n)
			want := slices.Clone(reference(t, typ, n, k, data, x, rows)[:live*n])
			for j := range want {
				want[j] += bias[j%n]
				want[j] += add[j]
			}
			out := kerneltest.NewRows(t, q, live, n, n+3)
			outs, wants = append(outs, out), append(wants, want)
			products = append(products, Product{W: m, Out: out.Place(), Bias: kerneltest.Put(t, q, bias), Add: kerneltest.NewRows(t, q, rows, n, n).Set(add).Place()})
		}
		QueueMul(q, products, in.Place(), rounded, wideRoom(t, q, MulRows{Rows: rows, Count: kerneltest.Put(t, q, []int32{live})}, k))
		for i := range outs {
			kerneltest.Near(t, fmt.Sprintf("%d rows, %d groups, product %d", f.rows, f.groups, i), outs[i].Get(), wants[i], WideError(Q4_K))
		}
	}
}
